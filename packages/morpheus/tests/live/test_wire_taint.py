"""What the agent wrote itself earns nothing, and each mended fault pays once."""

from typing import Any

import pytest


def put(path: str, body: str = "{}", method: str = "PUT") -> dict[str, str]:
    """Return a request of the agent's, a write."""
    return {"method": method, "path": f"/{{worldId}}/{path}", "body": body}


def test_an_invoice_the_agent_marks_as_paid_is_lost_all_the_same(office: Any) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()
    office.deployment.after(lambda: invoice.update(status="PAID"))
    assert office.step(put("erp/invoices/I/status", '{"status": "PAID"}'))[1] == 1
    office.at(2)
    assert office.step() == ({"remediation": 0.0, "financial": pytest.approx(0.6), "throughput": 0.0}, 1)


def test_a_field_the_agent_wrote_counts_again_once_the_world_has_moved_it(office: Any) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()
    office.deployment.after(lambda: invoice.update(status="PARTIALLY_PAID", balanceDue=1))
    assert office.step(put("erp/invoices/I", '{"balanceDue": 1, "status": "PARTIALLY_PAID"}'))[1] == 1
    invoice["status"] = "PAID"
    office.at(2)
    assert office.step() == ({"remediation": 0.0, "financial": 1.0, "throughput": 0.0}, 0)


def test_a_write_that_changes_nothing_holds_nothing_back(office: Any) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()
    assert office.step(put("erp/invoices/I", '{"status": "SENT"}'))[1] == 0
    invoice["status"] = "PAID"
    office.at(2)
    assert office.step() == ({"remediation": 0.0, "financial": 1.0, "throughput": 0.0}, 0)


def test_a_write_the_world_refused_holds_nothing_back(office: Any) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()

    def refused() -> dict[str, Any]:
        invoice["status"] = "PAID"
        return {"success": False, "status": 400}

    office.deployment.after(refused)
    assert office.step(put("erp/invoices/I"))[1] == 0


def test_a_write_of_which_no_answer_came_is_taken_for_done(office: Any) -> None:
    invoice = office.invoice("I", 0)
    office.env.reset()

    def lost() -> dict[str, Any]:
        invoice["status"] = "PAID"
        return {"success": False, "status": None, "reason": "timeout", "error": "no answer"}

    office.deployment.after(lost)
    assert office.step(put("erp/invoices/I"))[1] == 1


@pytest.mark.parametrize("name", ["I", "id-I"])
def test_an_invoice_the_agent_deletes_is_owed_as_it_stood(name: str, office: Any) -> None:
    office.invoice("I", 0)
    office.env.reset()
    office.deployment.after(office.invoices.clear)
    assert office.step(put(f"erp/invoices/{name}", "", "DELETE"))[1] == 1
    office.at(2)
    assert office.step()[0]["financial"] == pytest.approx(0.6)
    office.at(13)
    assert office.step()[1] == 0


def test_an_invoice_the_world_withdraws_is_owed_no_more(office: Any) -> None:
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
    path: str, body: str, office: Any
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


def test_an_order_the_agent_marks_as_completed_is_no_unit(office: Any) -> None:
    order = office.order("O", 0, "IN_PROGRESS")
    office.env.reset()
    office.deployment.after(lambda: order.update(status="COMPLETED"))
    terms, tainted = office.step(put("erp/orders/O", '{"status": "COMPLETED"}'))
    assert (terms["throughput"], tainted) == (0.0, 1)
    assert office.step()[0]["throughput"] == 0.0


def test_reporting_an_event_on_a_shipment_does_not_make_its_order_the_agents_own(office: Any) -> None:
    shipment = office.shipment("S", 0)
    office.env.reset()
    office.deployment.after(
        lambda: {"success": True, "status": 201, "data": {"orderId": "O", "shipmentId": "S"}}
    )
    office.step(put("tms/shipments/S/events", '{"note": "seen"}', "POST"))
    shipment["status"] = "DELIVERED"
    office.order("O", 0)
    assert office.step() == ({"remediation": 0.0, "financial": 1.0, "throughput": 1.0}, 0)


def test_a_bulk_write_holds_back_every_entity_it_names(office: Any) -> None:
    first, second = office.shipment("S", 0), office.shipment("T", 0)
    office.env.reset()

    def moved() -> None:
        first["status"] = second["status"] = "DELIVERED"

    office.deployment.after(moved)
    terms, tainted = office.step(put("tms/shipments/status", '{"ids": ["S", "T"], "status": "DELIVERED"}'))
    assert (terms["throughput"], tainted) == (0.0, 2)


def test_a_verified_ticket_pays_by_its_priority_and_age_once(office: Any) -> None:
    office.deployment.ticket("T1", "high")
    office.env.reset()
    office.step()
    office.deployment.mended.add("T1")
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.75 * 0.8)
    assert office.step(put("tickets/T1"))[0]["remediation"] == 0.0


def test_a_ticket_whose_checks_do_not_pass_pays_nothing_whatever_is_written_into_it(office: Any) -> None:
    office.deployment.ticket("T1", "low")
    office.env.reset()
    ticket = office.deployment.tickets[0]
    office.deployment.after(lambda: ticket.update(priority="critical", status="in_progress"))
    assert office.step(put("tickets/T1"))[0]["remediation"] == 0.0
    office.deployment.mended.add("T1")
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.25 * 0.8)


def test_tickets_of_one_failed_step_of_one_run_share_a_payment(office: Any) -> None:
    for name in ("T1", "T2"):
        office.deployment.ticket(name, runId="run-1", failedStepId="pack")
    office.deployment.ticket("T3", runId="run-1", failedStepId="pick")
    office.deployment.mended |= {"T1", "T2", "T3"}
    office.env.reset()
    assert office.step(put("tickets/T1"))[0]["remediation"] == pytest.approx(0.9)
    assert office.step(put("tickets/T2"))[0]["remediation"] == 0.0
    assert office.step(put("tickets/T3"))[0]["remediation"] == pytest.approx(0.7)


def test_closing_and_opening_a_ticket_again_makes_it_neither_younger_nor_dearer_nor_paid_twice(
    office: Any,
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


def test_a_ticket_the_agent_opened_itself_pays_nothing(office: Any) -> None:
    office.env.reset()

    def opened() -> dict[str, Any]:
        office.deployment.ticket("MINE")
        return {"success": True, "status": 201, "data": office.deployment.tickets[-1]}

    office.deployment.after(opened)
    office.deployment.mended.add("MINE")
    office.step(put("tickets", '{"title": "t"}', "POST"))
    assert office.step(put("tickets/MINE"))[0]["remediation"] == 0.0


def test_a_new_world_is_read_afresh(office: Any) -> None:
    office.shipment("S", 0)
    office.env.reset()
    office.shipments[1]["status"] = "DELIVERED"
    office.env.reset(options={"reprovision": True})
    assert office.step()[0]["throughput"] == 0.0
