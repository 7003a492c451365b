"""EDI documents: made from what the engine knows, listed, counted and written over, and never an obligation."""

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation import catalogue, layout_names
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.snapshot import digest

EXCHANGING = "erp-order-to-cash"
DIRECTIONS = {"850": "IN", "855": "OUT", "856": "OUT", "810": "OUT", "820": "IN"}
SENT_IN = {"capture": "850", "acknowledge": "855", "advise": "856", "bill": "810", "settle": "820"}
PATHS = {"IN": ["RECEIVED", "PROCESSING", "DELIVERED", "ARCHIVED"]}
PATHS["OUT"] = ["QUEUED", *PATHS["IN"][1:]]


class Exchange:
    """A world of a backend and short ways to call it."""

    def __init__(self, layout: str = EXCHANGING, seed: int = 3, steps: int = 260) -> None:
        self.backend = SimulatedBackend()
        self.world = self.backend.create_world(name="edi", layout=layout, seed=seed)
        for _ in range(steps):
            self.backend.advance(self.world)

    @property
    def engine(self) -> World:
        return self.backend.engine(self.world)

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        return self.backend.perform(self.world, method=method, path=f"/{self.world}/{path}", body=body)

    def read(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer["success"], answer
        return answer["data"]

    def mend(self, number: int) -> None:
        fault = self.engine.blocked[number]
        call = self.engine.layout.remedy_call(fault.symptom, fault.cause, fault.ticket_id)
        assert self.call(call.method, call.path.removeprefix("/{worldId}/"), call.body)["success"]

    def errored(self) -> dict[str, Any]:
        found: dict[str, Any] = self.read("edi?status=ERRORED&limit=1")[0]
        return found


@pytest.fixture
def exchange() -> Exchange:
    return Exchange()


def test_documents_of_orders_in_every_stage_satisfy_the_catalogue() -> None:
    exchange, met = Exchange(steps=0), set()
    declared = catalogue.entity("EdiTransaction")
    for _ in range(26):
        for _ in range(12):
            exchange.backend.advance(exchange.world)
        for document in exchange.read("edi?limit=9999"):
            assert declared.problem(document) is None
            assert document["direction"] == DIRECTIONS[document["docType"]]
            assert document["createdAt"] == document["timestamp"] <= document["updatedAt"]
            assert ("errorReason" in document) is (document["status"] == "ERRORED")
            met.add((document["docType"], document["status"]))
    for kind, direction in DIRECTIONS.items():
        assert met >= {(kind, status) for status in (*PATHS[direction], "ERRORED")}


def test_a_document_is_in_error_exactly_while_its_order_is_blocked_where_it_is_sent(
    exchange: Exchange,
) -> None:
    stages = [symptom.stage for symptom in exchange.engine.layout.symptoms]
    expected = {
        f"EDI_{number}-{SENT_IN[stages[fault.symptom]]}"
        for number, fault in exchange.engine.blocked.items()
        if stages[fault.symptom] in SENT_IN
    }
    errored = {each["transactionId"] for each in exchange.read("edi?status=ERRORED&limit=999")}
    assert errored == expected
    assert len({each.rpartition("-")[2] for each in errored}) == 5
    for identifier in sorted(errored):
        exchange.mend(int(identifier[4:].partition("-")[0]))
        assert exchange.read(f"edi/{identifier}")["status"] == "PROCESSING"
    assert exchange.read("edi?status=ERRORED") == []


def test_documents_go_through_their_states_in_order() -> None:
    exchange, seen = Exchange(steps=30), dict[str, list[str]]()
    for _ in range(160):
        for number in list(exchange.engine.blocked):
            exchange.mend(number)
        exchange.backend.advance(exchange.world)
        for document in exchange.read("edi?limit=999"):
            states = seen.setdefault(document["transactionId"], [])
            if document["status"] not in (*states[-1:], "ERRORED"):
                states.append(document["status"])
    followed = {identifier: states for identifier, states in seen.items() if identifier.startswith("EDI_2")}
    for identifier, states in followed.items():
        path = PATHS[DIRECTIONS[identifier.rpartition("-")[2]]]
        assert [path.index(state) for state in states] == sorted(path.index(state) for state in states)
    assert PATHS["IN"] in followed.values()
    assert PATHS["OUT"] in followed.values()


@pytest.mark.parametrize("name", [name for name in layout_names() if name != EXCHANGING])
def test_layouts_without_an_exchange_have_no_documents(name: str) -> None:
    exchange = Exchange(name, steps=60)
    listed = exchange.call("GET", "edi")
    assert (listed["data"], listed["pagination"]["totalCount"]) == ([], 0)
    assert exchange.read("edi/deprecated") == []
    assert exchange.read("edi/statistics/amount?aggregationType=by-partners") == {
        "ediDollarAmountExposureByPartners": []
    }
    assert exchange.read("edi/statistics/invoice")["invoiceStatistics"]["total"] == 0
    for method, path in (("GET", "EDI_1-850"), ("POST", "EDI_1-850/requeue"), ("DELETE", "EDI_1-850")):
        assert exchange.call(method, f"edi/{path}")["status"] == 404


def test_filters_are_held_against_every_document(exchange: Exchange) -> None:
    whole = exchange.read("edi?limit=9999")
    middle = whole[len(whole) // 2]
    for name in ("partnerId", "customerId", "docType", "status", "flowId"):
        found = exchange.read(f"edi?limit=9999&{name}={middle[name]}")
        assert found == [each for each in whole if each[name] == middle[name]]
    for asked, shown in (("INBOUND", "IN"), ("OUTBOUND", "OUT")):
        found = exchange.read(f"edi?limit=9999&direction={asked}")
        assert found == [each for each in whole if each["direction"] == shown] != []
    moment = middle["timestamp"]
    since, until = (exchange.read(f"edi?limit=9999&date{end}={moment}") for end in ("Start", "End"))
    assert since == [each for each in whole if each["timestamp"] >= moment]
    assert until == [each for each in whole if each["timestamp"] <= moment]
    for query in ("direction=IN", "docType=851", "status=SENT", "limit=0"):
        assert exchange.call("GET", f"edi?{query}")["status"] == 400


def test_pages_of_both_kinds_show_every_document_once(exchange: Exchange) -> None:
    whole, found, cursor = exchange.read("edi?limit=9999"), [], ""
    while True:
        page = exchange.call("GET", f"edi?limit=50{cursor}")
        found += page["data"]
        if not page["pagination"]["hasMore"]:
            break
        cursor = f"&cursor={page['pagination']['nextCursor']}"
    assert found == whole
    first = exchange.call("GET", "edi/deprecated")
    assert (len(first["data"]), first["pagination"]["limit"]) == (10, 10)
    numbered, number = list[Any](), 0
    while number == 0 or page["pagination"]["hasMore"]:
        number += 1
        page = exchange.call("GET", f"edi/deprecated?page={number}&pageSize=60")
        numbered += page["data"]
    assert numbered == whole


def test_statistics_are_the_sums_of_the_list(exchange: Exchange) -> None:
    whole = exchange.read("edi?limit=9999")
    for asked, field, title in (
        ("by-document-type", "docType", "ediDollarAmountExposureByDocumentType"),
        ("by-partners", "partnerId", "ediDollarAmountExposureByPartners"),
    ):
        rows = exchange.read(f"edi/statistics/amount?aggregationType={asked}")[title]
        assert {row[field]: row["transactionCount"] for row in rows} == Counter(each[field] for each in whole)
        assert sum(row["totalDollarAmount"] for row in rows) == pytest.approx(
            sum(each["dollarValue"] for each in whole)
        )
    errored = [each for each in whole if each["status"] == "ERRORED"]
    for asked, field in (("by-doctype", "docType"), ("by-partners", "partnerId")):
        rows = exchange.read(f"edi/statistics/errors?aggregationType={asked}")["ediErrorStats"]
        assert {row[field]: row["count"] for row in rows} == Counter(each[field] for each in errored)
    for path in ("statistics/amount", "statistics/errors?aggregationType=by-document-type"):
        assert exchange.call("GET", f"edi/{path}")["status"] == 400


def test_an_invoice_that_was_refused_once_is_not_accepted_at_first(exchange: Exchange) -> None:
    before = exchange.read("edi/statistics/invoice")["invoiceStatistics"]
    assert before["rejectionRate"] == before["errored"] / before["total"] > 0
    for document in exchange.read("edi?status=ERRORED&docType=810"):
        exchange.mend(int(document["businessDocumentNumber"].removeprefix("INV_")))
    after = exchange.read("edi/statistics/invoice")["invoiceStatistics"]
    assert (after["errored"], after["rejectionRate"]) == (0, 0)
    assert after["firstPassAcceptanceRate"] == before["firstPassAcceptanceRate"] < 1
    assert after["totalExposureDollar"] == before["totalExposureDollar"]


def test_a_document_in_error_is_sent_again_and_mends_nothing(exchange: Exchange) -> None:
    identifier, before = exchange.errored()["transactionId"], digest(exchange.engine)
    answer = exchange.call("POST", f"edi/{identifier}/requeue")
    assert answer["data"]["status"] in ("QUEUED", "RECEIVED")
    assert "errorReason" not in answer["data"]
    assert exchange.read(f"edi/{identifier}") == answer["data"]
    assert exchange.call("POST", f"edi/{identifier}/requeue")["status"] == 400
    assert digest(exchange.engine) == before
    exchange.mend(int(identifier[4:].partition("-")[0]))
    assert exchange.read(f"edi/{identifier}")["status"] == "PROCESSING"


def test_what_agents_write_is_read_back_listed_and_audited(exchange: Exchange) -> None:
    body = {"partnerId": "mine", "docType": "997", "direction": "OUTBOUND", "rawEdi": "ST*997"}
    made = exchange.call("POST", "edi", body)
    assert (made["status"], made["data"]["status"], made["data"]["direction"]) == (201, "QUEUED", "OUT")
    path = f"edi/{made['data']['transactionId']}"
    assert exchange.call("PATCH", path, {"payload": {"a": 1}, "flowId": "f"})["data"]["flowId"] == "f"
    assert exchange.call("PATCH", path, {"payload": {"b": 2}})["data"]["payload"] == {"b": 2}
    refusal = {"status": "ERRORED", "errorReason": "syntax"}
    assert exchange.call("PATCH", f"{path}/status", refusal)["data"]["errorReason"] == "syntax"
    assert exchange.read("edi?partnerId=mine") == [exchange.read(path)]
    assert catalogue.entity("EdiTransaction").problem(exchange.read(path)) is None
    assert exchange.call("DELETE", path)["data"] == {"deleted": True}
    assert exchange.call("GET", path)["status"] == 404
    assert [each["model"] for each in exchange.read("audit-logs")] == ["EdiTransaction"] * 5
    assert exchange.call("POST", "edi", {**body, "direction": "OUT"})["status"] == 400


def test_relations_of_a_warehouse_order_name_its_documents(exchange: Exchange) -> None:
    document = exchange.errored()
    number = document["flowId"].removeprefix("run_")
    found = exchange.read(f"wms/outbound-orders/wms_outbound-order_{number}/relations")["ediDocuments"]
    shown = {name: document[name] for name in found[0]}
    assert shown in found
    assert len(found) == len(exchange.read(f"edi?flowId={document['flowId']}"))


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 99))
def test_an_agent_that_writes_documents_earns_what_one_does_that_does_nothing(seed: int) -> None:
    idle, busy = Exchange(seed=seed, steps=40), Exchange(seed=seed, steps=40)
    dice = Random(seed)
    for _ in range(60):
        documents = busy.read("edi?limit=999")
        identifier = documents[int(dice.random() * len(documents))]["transactionId"]
        status = {"status": dice.choice(["DELIVERED", "ARCHIVED", "QUEUED", "ERRORED"])}
        new = {"partnerId": "COMP_P1", "docType": "850", "direction": "INBOUND"}
        busy.call("POST", "edi", new)
        busy.call("PATCH", f"edi/{identifier}/status", status)
        for document in busy.read("edi?status=ERRORED"):
            assert busy.call("POST", f"edi/{document['transactionId']}/requeue")["success"]
        busy.call(
            *dice.choice([("DELETE", f"edi/{identifier}"), ("PATCH", f"edi/{identifier}", {"flowId": "x"})])
        )
        for each in (idle, busy):
            each.backend.advance(each.world)
        assert idle.backend.step_signals(idle.world) == busy.backend.step_signals(busy.world)
        assert digest(idle.engine) == digest(busy.engine)


def test_lists_and_snapshots_are_bounded_whatever_agents_write(exchange: Exchange) -> None:
    def written(count: int) -> int:
        for step in range(count):
            new = {"partnerId": "p", "docType": "850", "direction": "INBOUND", "rawEdi": "x" * 50}
            exchange.call("POST", "edi", new)
            number = exchange.engine.next_order - 1 - step % 20
            exchange.call("PATCH", f"edi/EDI_{number}-850", {"payload": {f"n{step}": step}})
            exchange.backend.advance(exchange.world)
        assert len(exchange.read("edi?partnerId=p&limit=9999")) == 64
        live = len(exchange.engine.orders) + 64
        assert len(exchange.read("edi?limit=99999")) <= 5 * live + 64
        return len(json.dumps(exchange.backend.snapshot_world(exchange.world)))

    first = written(200)
    assert written(300) < 1.3 * first


def test_a_restored_world_has_the_same_documents(exchange: Exchange) -> None:
    exchange.call("POST", f"edi/{exchange.errored()['transactionId']}/requeue")
    exchange.call("POST", "edi", {"partnerId": "p", "docType": "820", "direction": "INBOUND"})
    before = exchange.read("edi?limit=9999")
    state = exchange.backend.snapshot_world(exchange.world)
    exchange.backend.advance(exchange.world)
    exchange.backend.restore_world(exchange.world, state)
    assert exchange.read("edi?limit=9999") == before
