"""What agents write: seen on later reads until the world moves it on, bounded, and part of snapshot and digest."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise


class Site:
    """A world of a backend and short ways to call it."""

    def __init__(self, layout: str = "process-outbound", seed: int = 1, steps: int = 200) -> None:
        self.backend = SimulatedBackend()
        self.world = self.backend.create_world(name="test", layout=layout, seed=seed)
        self.advance(steps)

    @property
    def engine(self) -> World:
        return self.backend.engine(self.world)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.backend.advance(self.world)

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        return self.backend.perform(self.world, method=method, path=f"/{self.world}/{path}", body=body)

    def read(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer["success"], answer
        return answer["data"]

    def free_order(self) -> int:
        """Return an order that goes on and was not delivered yet."""
        return next(o.number for o in self.engine.orders.values() if o.fault is None and 0 < o.stage < 4)


@pytest.fixture
def site() -> Site:
    return Site()


def test_a_written_field_is_read_until_the_world_moves_it_on(site: Site) -> None:
    number = site.free_order()
    path = f"erp/orders/ORDER_{number}"
    before = site.read(path)
    assert site.call("PUT", path, {"status": "CANCELLED", "notes": "mine", "totalAmount": 5})["success"]
    after = site.read(path)
    assert (after["status"], after["notes"], after["totalAmount"]) == ("CANCELLED", "mine", 5)
    assert after["updatedAt"] >= before["updatedAt"]
    while number in site.engine.orders:
        site.advance(1)
    over = site.read(path)
    assert over["status"] in ("COMPLETED", "CANCELLED")
    assert site.engine.chronicle.finished[number].stage < 7 or over["status"] == "COMPLETED"
    assert (over["notes"], over["totalAmount"]) == ("mine", 5)


def test_a_list_shows_what_was_written_and_filters_by_it(site: Site) -> None:
    number = site.free_order()
    site.call("PUT", f"erp/orders/ORDER_{number}/status", {"status": "CANCELLED"})
    found = site.call("GET", "erp/orders?status=CANCELLED&limit=999")["data"]
    assert f"ORDER_{number}" in [each["orderId"] for each in found]


def test_what_was_deleted_is_gone_from_reads_and_lists_and_the_order_goes_on(site: Site) -> None:
    number = site.free_order()
    assert site.call("DELETE", f"erp/orders/ORDER_{number}")["success"]
    assert site.call("GET", f"erp/orders/ORDER_{number}")["status"] == 404
    assert site.call("PUT", f"erp/orders/ORDER_{number}", {"notes": "x"})["status"] == 404
    assert f"ORDER_{number}" not in json.dumps(site.read("erp/orders?limit=999"))
    assert number in site.engine.orders


def test_what_was_created_is_read_changed_listed_and_deleted(site: Site) -> None:
    body = {"name": "Mine", "companyId": "COMP_mine", "customFields": {"a": 1}}
    assert site.call("POST", "erp/companies", body)["status"] == 201
    assert site.call("POST", "erp/companies", body)["status"] == 400
    assert site.call("PUT", "erp/companies/COMP_mine", {"creditLimit": 7})["data"]["creditLimit"] == 7
    assert site.read("erp/companies/COMP_mine")["name"] == "Mine"
    assert [each["companyId"] for each in site.read("erp/companies?search=mine")] == ["COMP_mine"]
    assert site.call("DELETE", "erp/companies/COMP_mine")["success"]
    assert site.call("GET", "erp/companies/COMP_mine")["status"] == 404


def test_master_data_is_there_from_the_first_step() -> None:
    site = Site(steps=0)
    companies, products = site.read("erp/companies"), site.read("erp/products")
    assert (len(companies), len(products)) == (6, 20)
    assert site.read("erp/companies/mpc")["isMpcCompany"] is True
    assert site.read("wms/warehouses")["totalCount"] == 1
    assert site.read("wms/bins/available")
    assert len({each["_id"] for each in [*companies, *products]}) == 26


def test_ids_of_entities_differ_whoever_made_them(site: Site) -> None:
    for number in range(3):
        site.call("POST", "erp/companies", {"name": f"Mine {number}"})
    enterprise = Enterprise(site.engine, site.world)
    enterprise.store = site.backend._worlds[site.world].enterprise.store
    ids = [each["_id"] for c in enterprise.directory.collections.values() for each in enterprise.entities(c)]
    ids += [fault.ticket_id for fault in site.engine.blocked.values()]
    ids += [each["_id"] for each in site.read("logs?limit=999")["items"]]
    ids += [each["_id"] for each in site.read("audit-logs")]
    assert len(set(ids)) == len(ids)


def test_totals_count_what_is_forgotten(site: Site) -> None:
    site.advance(400)
    completed = site.engine.chronicle.left[-1]
    page = site.call("GET", "erp/orders?status=COMPLETED&limit=10")["pagination"]
    assert page["totalCount"] == completed > 64
    everything = site.call("GET", "erp/orders")["pagination"]["totalCount"]
    assert everything == site.engine.next_order


def test_logs_tell_the_story_and_audit_logs_what_agents_did(site: Site) -> None:
    ticket = next(iter(site.engine.blocked.values())).ticket_id
    stopped = [each for each in site.read("logs?level=error")["items"] if ticket in each["msg"]]
    assert len(stopped) == 1
    assert stopped[0]["metadata"]["ticketId"] == ticket
    number = site.free_order()
    site.call("PUT", f"erp/orders/ORDER_{number}", {"notes": "mine"})
    (entry,) = site.read("audit-logs")
    assert (entry["model"], entry["documentId"]) == ("ERPOrder", f"ORDER_{number}")
    assert entry["after"] == {"notes": "mine"}


@pytest.mark.parametrize("layout", ["process-outbound", "process-inbound"])
def test_many_writes_do_not_grow_a_snapshot(layout: str) -> None:
    site = Site(layout)
    dice = Random(1)

    def written(count: int) -> int:
        for _ in range(count):
            number = int(dice.random() * site.engine.next_order)
            site.call("PUT", f"erp/orders/ORDER_{number}", {"notes": "x" * 50})
            site.call("PUT", f"erp/shipments/SHIP_{number}", {"customFields": {"n": number}})
            site.call("POST", "erp/companies", {"name": "mine"})
            site.call("POST", "tickets", {"title": "a", "description": "b", "requester": "c"})
            site.call("PATCH", "ledger/increment", {"cashDelta": 1})
            site.advance(1)
        return len(json.dumps(site.backend.snapshot_world(site.world)))

    first = written(300)
    assert written(600) < 1.3 * first


def test_a_body_that_is_too_long_is_refused(site: Site) -> None:
    before = site.backend.digest_world(site.world)
    answer = site.call("PUT", f"erp/orders/ORDER_{site.free_order()}", {"notes": "x" * 40_000})
    assert answer["status"] == 400
    assert site.backend.digest_world(site.world) == before


def writes(site: Site, seed: int, steps: int, *, briefly: bool = False) -> None:
    """Apply remedies and write all sorts of things, the same for the same seed."""
    dice = Random(seed)
    layout, act = site.backend.layout(site.world), site.backend.act_briefly if briefly else site.backend.act
    for step in range(steps):
        faults = list(site.engine.blocked.values())
        if step % 3 and faults:
            fault = faults[int(dice.random() * len(faults))]
            call = layout.remedy_call(fault.symptom, int(dice.random() * 3), fault.ticket_id).resolved(
                site.world
            )
            assert act(site.world, method=call.method, path=call.path, body=call.body)["success"]
        else:
            number = int(dice.random() * max(1, site.engine.next_order))
            path = f"/{site.world}/erp/orders/ORDER_{number}"
            act(site.world, method="PUT", path=path, body={"notes": str(step), "status": "ACKED"})


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.integers(0, 60), st.sampled_from(["process-outbound", "process-inbound"]))
def test_sparing_the_answers_leaves_the_same_world(seed: int, steps: int, layout: str) -> None:
    whole, brief = Site(layout, seed, 60), Site(layout, seed, 60)
    writes(whole, seed, steps)
    writes(brief, seed, steps, briefly=True)
    assert whole.backend.digest_world(whole.world) == brief.backend.digest_world(brief.world)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.integers(0, 50), st.integers(0, 50))
def test_a_fork_with_writes_goes_on_alike_and_never_changes_its_parent(
    seed: int, before: int, after: int
) -> None:
    site = Site(seed=seed, steps=60)
    writes(site, seed, before)
    digest = site.backend.digest_world(site.world)
    fork = Site(steps=0)
    fork.backend, fork.world = site.backend, site.backend.fork_world(site.world)
    assert site.backend.digest_world(fork.world) == digest
    writes(fork, seed + 1, after)
    assert site.backend.digest_world(site.world) == digest
    writes(site, seed + 1, after)
    assert site.backend.digest_world(site.world) == site.backend.digest_world(fork.world)
    seen = [each.read("erp/orders?limit=999") for each in (site, fork)]
    assert json.dumps(seen[0]).replace(site.world, fork.world) == json.dumps(seen[1])


def test_a_snapshot_holds_its_records_and_one_without_them_is_refused(site: Site) -> None:
    writes(site, 1, 60)
    digest = site.backend.digest_world(site.world)
    state = json.loads(json.dumps(site.backend.snapshot_world(site.world)))
    other = SimulatedBackend()
    elsewhere = other.create_world(name="other", layout="process-inbound", seed=9)
    other.restore_world(elsewhere, state)
    assert other.digest_world(elsewhere) == digest
    for damaged in (
        {name: part for name, part in state.items() if name != "records"},
        {**state, "records": {**state["records"], "version": 0}},
        {**state, "records": {**state["records"], "store": {}}},
        {**state, "records": 1},
    ):
        with pytest.raises(BackendError, match="snapshot: expected"):
            other.restore_world(elsewhere, damaged)
    assert other.digest_world(elsewhere) == digest
