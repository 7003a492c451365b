"""On a deployment the reward is the flow between two reads, and what the agent wrote itself earns nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.reward import RewardSpec

MakeLive = Callable[..., MorpheusEnv]
NOTHING = {"method": "", "path": "", "body": ""}
SPEC = RewardSpec.from_mapping(
    {
        "name": "hours-are-days",
        "version": 1,
        "terms": [
            {"name": "remediation", "weight": 0.5, "params": {"horizon_steps": 10}},
            {
                "name": "financial",
                "weight": 0.3,
                "params": {"leak_per_step": 100, "window_days": 10, "hours_per_day": 1},
            },
            {
                "name": "throughput",
                "weight": 0.2,
                "params": {"units_per_step": 2, "window_days": 10, "hours_per_day": 1},
            },
        ],
    }
)


def hour(number: int) -> str:
    return f"2026-01-01T{number:02d}:00:00Z"


def put(path: str, body: str = "{}", method: str = "PUT") -> dict[str, str]:
    return {"method": method, "path": f"/{{worldId}}/{path}", "body": body}


class Office:
    """A deployment's documents, an environment over them, and a clock that runs by changed documents alone."""

    def __init__(self, deployment: Any, env: MorpheusEnv) -> None:
        self.deployment, self.env = deployment, env
        self.invoices = deployment.documents["erp/invoices"]
        self.shipments = deployment.documents["tms/shipments"]
        self.orders = deployment.documents["erp/orders"]
        self.shipments.append({"shipmentId": "CLOCK", "status": "PLANNED", "createdAt": hour(0)})

    def at(self, number: int) -> None:
        self.shipments[0]["updatedAt"] = hour(number)

    def invoice(
        self, name: str, opened: int, total: float = 40, term: int | None = 2, **more: Any
    ) -> dict[str, Any]:
        document = {"_id": f"id-{name}", "invoiceId": name, "status": "SENT", "totalAmount": total}
        document |= {"createdAt": hour(opened), "issueDate": "2026-01-01"}
        if term is not None:
            document["dueDate"] = f"2026-01-{1 + term:02d}"
        self.invoices.append(document | more)
        return self.invoices[-1]

    def shipment(self, name: str, opened: int, status: str = "PLANNED", **costs: float) -> dict[str, Any]:
        document = {"shipmentId": name, "status": status, "createdAt": hour(opened), "costs": costs}
        self.shipments.append(document)
        return document

    def order(self, name: str, opened: int, status: str = "COMPLETED") -> dict[str, Any]:
        self.orders.append({"orderId": name, "status": status, "createdAt": hour(opened)})
        return self.orders[-1]

    def step(self, action: dict[str, str] = NOTHING) -> tuple[dict[str, float], int]:
        info = self.env.step(action)[4]
        return info["reward_terms"], info.get("reward_tainted", 0)


@pytest.fixture
def office(deployment: Any, make_live: MakeLive) -> Office:
    return Office(deployment, make_live(reward_spec=SPEC))


def test_signals_come_from_the_wire_and_say_so(office: Office) -> None:
    assert office.env.describe()["signals_from"] == "wire"


def test_what_was_there_before_the_first_read_earns_and_costs_nothing(office: Office) -> None:
    office.at(5)
    office.invoice("I", 0)
    office.shipment("S", 0, "DELIVERED", baseCost=10, fuelSurcharge=50)
    office.order("O", 0)
    office.env.reset()
    assert office.step()[0] == {"remediation": 0.0, "financial": 1.0, "throughput": 0.0}


def test_an_invoice_that_is_not_paid_when_its_term_ends_is_lost_once(office: Office) -> None:
    office.invoice("I", 0)
    office.env.reset()
    found = []
    for now in range(1, 5):
        office.at(now)
        found.append(office.step()[0]["financial"])
    assert found == [1.0, pytest.approx(0.6), 1.0, 1.0]


def test_an_invoice_that_is_paid_in_time_costs_nothing_and_a_partly_paid_one_the_rest(office: Office) -> None:
    paid, partly = office.invoice("I", 0), office.invoice("J", 0)
    office.env.reset()
    office.at(1)
    paid["status"] = "PAID"
    partly |= {"status": "PARTIALLY_PAID", "balanceDue": 10}
    assert office.step()[0]["financial"] == 1.0
    office.at(2)
    assert office.step()[0]["financial"] == pytest.approx(0.9)


def test_an_invoice_without_a_term_is_lost_when_the_window_closes(office: Office) -> None:
    office.invoice("I", 0, term=None)
    office.env.reset()
    office.at(9)
    assert office.step()[0]["financial"] == 1.0
    office.at(10)
    assert office.step()[0]["financial"] == pytest.approx(0.6)
    office.at(11)
    assert office.step()[0]["financial"] == 1.0


def test_what_was_opened_before_the_window_does_not_count(office: Office) -> None:
    office.at(20)
    office.env.reset()
    office.invoice("I", 3, term=1)
    office.shipment("S", 3, "DELIVERED", fuelSurcharge=80)
    office.order("O", 3)
    assert office.step()[0] == {"remediation": 0.0, "financial": 1.0, "throughput": 0.0}


def test_quoted_freight_is_never_lost(office: Office) -> None:
    office.shipment("S", 0, baseCost=100)
    office.env.reset()
    for now in (5, 10, 12):
        office.at(now)
        assert office.step()[0]["financial"] == 1.0


def test_surcharges_cost_when_they_appear(office: Office) -> None:
    shipment = office.shipment("S", 0, baseCost=100)
    office.env.reset()
    shipment["costs"] = {"baseCost": 100, "fuelSurcharge": 20, "accessorialCharges": 10}
    assert office.step()[0]["financial"] == pytest.approx(0.7)
    assert office.step()[0]["financial"] == 1.0
    office.shipment("T", 0, fuelSurcharge=1000)
    assert office.step()[0]["financial"] == 0.0


def test_units_are_counted_when_they_are_done_and_once_in_their_life(office: Office) -> None:
    shipment, order = office.shipment("S", 0), office.order("O", 0, "IN_PROGRESS")
    office.env.reset()
    shipment["status"] = "DELIVERED"
    assert office.step()[0]["throughput"] == 0.5
    order["status"] = "COMPLETED"
    office.order("P", 0)
    assert office.step()[0]["throughput"] == 1.0
    shipment["status"] = "EXCEPTION"
    assert office.step()[0]["throughput"] == 0.0
    shipment["status"] = "DELIVERED"
    assert office.step()[0]["throughput"] == 0.0


def test_after_a_failed_read_the_next_flow_covers_what_happened_meanwhile(office: Office) -> None:
    shipment = office.shipment("S", 0)
    office.env.reset()
    shipment["status"] = "DELIVERED"
    office.deployment.broken["erp/orders"] = BackendError("no answer")
    info = office.env.step(NOTHING)[4]
    assert info["reward_missing"] == ("throughput",)
    office.deployment.broken.clear()
    assert office.step()[0]["throughput"] == 0.5


def test_a_domain_the_world_does_not_run_contributes_nothing(office: Office) -> None:
    office.deployment.broken["erp/orders"] = BackendError("no such route", status=404)
    shipment = office.shipment("S", 0)
    office.env.reset()
    shipment["status"] = "DELIVERED"
    info = office.env.step(NOTHING)[4]
    assert info["reward_terms"]["throughput"] == 0.5
    assert "reward_missing" not in info
    assert info["economics"]["missing"] == ["orders"]


def test_an_invoice_the_agent_marks_as_paid_is_lost_all_the_same(office: Office) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()
    office.deployment.after(lambda: invoice.update(status="PAID"))
    assert office.step(put("erp/invoices/I/status", '{"status": "PAID"}'))[1] == 1
    office.at(2)
    assert office.step() == ({"remediation": 0.0, "financial": pytest.approx(0.6), "throughput": 0.0}, 1)


def test_a_field_the_agent_wrote_counts_again_once_the_world_has_moved_it(office: Office) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()
    office.deployment.after(lambda: invoice.update(status="PARTIALLY_PAID", balanceDue=1))
    assert office.step(put("erp/invoices/I", '{"balanceDue": 1, "status": "PARTIALLY_PAID"}'))[1] == 1
    invoice["status"] = "PAID"
    office.at(2)
    assert office.step() == ({"remediation": 0.0, "financial": 1.0, "throughput": 0.0}, 0)


def test_a_write_that_changes_nothing_holds_nothing_back(office: Office) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()
    assert office.step(put("erp/invoices/I", '{"status": "SENT"}'))[1] == 0
    invoice["status"] = "PAID"
    office.at(2)
    assert office.step() == ({"remediation": 0.0, "financial": 1.0, "throughput": 0.0}, 0)


def test_a_write_the_world_refused_holds_nothing_back(office: Office) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()

    def refused() -> dict[str, Any]:
        invoice["status"] = "PAID"
        return {"success": False, "status": 400}

    office.deployment.after(refused)
    assert office.step(put("erp/invoices/I"))[1] == 0


def test_a_write_of_which_no_answer_came_is_taken_for_done(office: Office) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()

    def lost() -> dict[str, Any]:
        invoice["status"] = "PAID"
        return {"success": False, "status": None, "reason": "timeout", "error": "no answer"}

    office.deployment.after(lost)
    assert office.step(put("erp/invoices/I"))[1] == 1


@pytest.mark.parametrize("name", ["I", "id-I"])
def test_an_invoice_the_agent_deletes_is_owed_as_it_stood(name: str, office: Office) -> None:
    office.invoice("I", 0)
    office.env.reset()
    office.deployment.after(office.invoices.clear)
    assert office.step(put(f"erp/invoices/{name}", "", "DELETE"))[1] == 1
    office.at(2)
    assert office.step()[0]["financial"] == pytest.approx(0.6)
    office.at(13)
    assert office.step()[1] == 0


def test_an_invoice_the_world_withdraws_is_owed_no_more(office: Office) -> None:
    office.invoice("I", 0)
    office.env.reset()
    office.invoices.clear()
    office.step()
    office.at(2)
    assert office.step()[0]["financial"] == 1.0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("erp/orders", '{"orderId": "MINE", "status": "COMPLETED"}'),
        ("erp/orders", '{"customerId": "C"}'),
        ("erp/orders/bulk", '{"orders": [{"orderId": "MINE"}]}'),
    ],
)
def test_an_order_the_agent_made_up_earns_nothing_nor_does_what_the_world_does_with_it(
    path: str, body: str, office: Office
) -> None:
    office.env.reset()

    def made() -> dict[str, Any]:
        office.order("MINE", 0)
        return {"success": True, "status": 201, "data": {"orderId": "MINE"}}

    office.deployment.after(made)
    terms, tainted = office.step(put(path, body, "POST"))
    assert (terms["throughput"], tainted) == (0.0, 1)
    office.shipment("S", 0, "DELIVERED")["references"] = {"orderId": "MINE"}
    office.order("THEIRS", 0)
    assert office.step()[0]["throughput"] == 0.5


def test_an_order_the_agent_marks_as_completed_is_no_unit(office: Office) -> None:
    order = office.order("O", 0, "IN_PROGRESS")
    office.env.reset()
    office.deployment.after(lambda: order.update(status="COMPLETED"))
    terms, tainted = office.step(put("erp/orders/O", '{"status": "COMPLETED"}'))
    assert (terms["throughput"], tainted) == (0.0, 1)
    assert office.step()[0]["throughput"] == 0.0


def test_reporting_an_event_on_a_shipment_does_not_make_its_order_the_agents_own(office: Office) -> None:
    shipment = office.shipment("S", 0)
    office.env.reset()
    office.deployment.after(
        lambda: {"success": True, "status": 201, "data": {"orderId": "O", "shipmentId": "S"}}
    )
    office.step(put("tms/shipments/S/events", '{"note": "seen"}', "POST"))
    shipment["status"] = "DELIVERED"
    office.order("O", 0)
    assert office.step() == ({"remediation": 0.0, "financial": 1.0, "throughput": 1.0}, 0)


def test_a_bulk_write_holds_back_every_entity_it_names(office: Office) -> None:
    first, second = office.shipment("S", 0), office.shipment("T", 0)
    office.env.reset()

    def moved() -> None:
        first["status"] = second["status"] = "DELIVERED"

    office.deployment.after(moved)
    terms, tainted = office.step(put("tms/shipments/status", '{"ids": ["S", "T"], "status": "DELIVERED"}'))
    assert (terms["throughput"], tainted) == (0.0, 2)


def test_a_verified_ticket_pays_by_its_priority_and_age_once(office: Office) -> None:
    office.deployment.ticket("T1", "high")
    office.env.reset()
    office.step()
    office.deployment.mended.add("T1")
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.75 * 0.8)
    assert office.step(put("tickets/T1"))[0]["remediation"] == 0.0


def test_a_ticket_whose_checks_do_not_pass_pays_nothing_whatever_is_written_into_it(office: Office) -> None:
    office.deployment.ticket("T1", "low")
    office.env.reset()
    ticket = office.deployment.tickets[0]
    office.deployment.after(lambda: ticket.update(priority="critical", status="in_progress"))
    assert office.step(put("tickets/T1"))[0]["remediation"] == 0.0
    office.deployment.mended.add("T1")
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.25 * 0.8)


def test_tickets_of_one_failed_step_of_one_run_share_a_payment(office: Office) -> None:
    for name in ("T1", "T2"):
        office.deployment.ticket(name, runId="run-1", failedStepId="pack")
    office.deployment.ticket("T3", runId="run-1", failedStepId="pick")
    office.deployment.mended |= {"T1", "T2", "T3"}
    office.env.reset()
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.9)
    assert office.step(put("tickets/T2"))[0]["remediation"] == 0.0
    assert office.step(put("tickets/T3"))[0]["remediation"] == pytest.approx(0.7)


def test_closing_and_opening_a_ticket_again_makes_it_neither_younger_nor_dearer_nor_paid_twice(
    office: Office,
) -> None:
    office.deployment.ticket("T1", "low", runId="run-1", failedStepId="pack")
    office.env.reset()
    ticket = office.deployment.tickets[0]
    office.deployment.after(lambda: ticket.update(status="closed"))
    office.step(put("tickets/T1"))
    office.deployment.after(
        lambda: ticket.update(status="open", priority="critical", metadata={"runId": "run-2"})
    )
    office.step(put("tickets/T1"))
    office.deployment.mended.add("T1")
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.25 * 0.7)
    office.deployment.after(lambda: ticket.update(metadata={"runId": "run-3"}))
    assert office.step(put("tickets/T1"))[0]["remediation"] == 0.0


def test_a_ticket_the_agent_opened_itself_pays_nothing(office: Office) -> None:
    office.env.reset()

    def opened() -> dict[str, Any]:
        office.deployment.ticket("MINE")
        return {"success": True, "status": 201, "data": office.deployment.tickets[-1]}

    office.deployment.after(opened)
    office.deployment.mended.add("MINE")
    office.step(put("tickets", '{"title": "t"}', "POST"))
    assert office.step(put("tickets/MINE"))[0]["remediation"] == 0.0


def test_a_new_world_is_read_afresh(office: Office) -> None:
    office.shipment("S", 0)
    office.env.reset()
    office.shipments[1]["status"] = "DELIVERED"
    office.env.reset(options={"reprovision": True})
    assert office.step()[0]["throughput"] == 0.0


@pytest.mark.parametrize(
    ("term", "params", "words"),
    [
        ("financial", {"leak_per_stepp": 1}, ["leak_per_stepp", "did you mean 'leak_per_step'"]),
        ("throughput", {"units_per_step": 0}, ["units_per_step", "positive"]),
        ("remediation", {"horizon_steps": "10"}, ["horizon_steps", "positive"]),
    ],
)
def test_a_parameter_that_can_not_work_is_a_config_error(
    term: str, params: dict[str, Any], words: list[str], make_live: MakeLive
) -> None:
    terms = [{"name": term, "weight": 1, "params": params}]
    spec = RewardSpec.from_mapping({"name": "x", "version": 1, "terms": terms})
    with pytest.raises(ConfigError) as raised:
        make_live(reward_spec=spec)
    assert all(word in str(raised.value) for word in words)


STATUSES = st.sampled_from(["SENT", "PAID", "PARTIALLY_PAID", "DRAFT", "DELIVERED", "COMPLETED", "PLANNED"])
HOURS = st.sampled_from([hour(number) for number in range(24)]) | st.none()
DOCUMENTS = st.lists(
    st.fixed_dictionaries(
        {"_id": st.sampled_from("abcd"), "status": STATUSES, "createdAt": HOURS, "updatedAt": HOURS},
        optional={
            "totalAmount": st.integers(-5, 500) | st.none(),
            "balanceDue": st.floats() | st.none(),
            "orderId": st.sampled_from("abcd"),
            "costs": st.dictionaries(st.sampled_from(["baseCost", "fuelSurcharge"]), st.integers(0, 90)),
        },
    ),
    max_size=4,
)
WRITES = st.sampled_from(
    [
        NOTHING,
        put("erp/invoices/a"),
        put("tms/shipments/b", "", "DELETE"),
        put("erp/orders", '{"_id": "c"}', "POST"),
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.tuples(WRITES, DOCUMENTS, DOCUMENTS, DOCUMENTS), max_size=5))
def test_whatever_a_deployment_records_each_signal_stays_in_its_range(
    deployment: Any, make_live: MakeLive, steps: list[Any]
) -> None:
    env = make_live(reward_spec=PAPER)
    env.reset()
    for action, *documents in steps:
        deployment.documents.update(
            zip(("erp/invoices", "tms/shipments", "erp/orders"), documents, strict=True)
        )
        _, reward, _, _, info = env.step(action)
        assert 0.0 <= reward <= 1.0
        assert all(0.0 <= value <= 1.0 for value in info["reward_terms"].values())
    env.close()
