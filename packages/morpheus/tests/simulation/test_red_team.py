"""Cheats: whatever an agent writes that isn't the remedy of a fault, it earns what doing nothing earns."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation import layout_names

Call = tuple[str, str, Mapping[str, Any] | None]
Cheat = Callable[[SimulatedBackend, str, int], Call]

STEPS = 60
_LINE = {"lineNumber": 1, "sku": "SKU-1", "quantity": 1, "unitPrice": 1, "lineAmount": 1}
_ADDRESS = {"street1": "1", "city": "A", "state": "B", "postalCode": "1", "country": "DE"}


def fixed(method: str, path: str, body: Mapping[str, Any] | None = None) -> Cheat:
    """Return a cheat that writes around the oldest open ticket, `{n}` being the number of its order."""

    def called(backend: SimulatedBackend, world: str, step: int) -> Call:
        tickets = [ticket.ticket_id for queue in backend.ticket_board(world).queues for ticket in queue]
        ticket = tickets[step % len(tickets)] if tickets else "0" * 24
        number = str(int(ticket[14:22], 16))
        filled = path.replace("{n}", number).replace("{ticket}", ticket).replace("{k}", str(step))
        return method, f"/{world}/{filled}", body

    return called


def mine(backend: SimulatedBackend, world: str, step: int) -> Call:
    """Create tickets that look like the world's, and solve them."""
    own = [each for each in backend.get_tasks(world)["data"]["items"] if each["requester"] == "me"]
    if step % 2 and own:
        return "PATCH", f"/{world}/tickets/{own[-1]['_id']}/status", {"status": "resolved"}
    stage = backend.layout(world).symptoms[step % 3]
    metadata = {"failedStepId": stage.stage, "failureType": stage.failure_type, "runId": "run_1"}
    return (
        "POST",
        f"/{world}/tickets",
        {
            "title": "Broken",
            "description": "mine",
            "requester": "me",
            "priority": "critical",
            "metadata": metadata,
        },
    )


def made_and_mended(backend: SimulatedBackend, world: str, step: int) -> Call:
    """Break an entity of an order that goes on, then apply every remedy to it."""
    free = [order.number for order in backend.engine(world).orders.values() if order.fault is None]
    number = free[0] if free else 0
    if step % 4 == 0:
        return "PUT", f"/{world}/erp/orders/ORDER_{number}", {"status": "CANCELLED", "totalAmount": 0}
    symptoms = backend.layout(world).symptoms
    symptom = step // 4 % len(symptoms)
    ticket = f"{'0' * 14}{number:08x}00"
    call = backend.layout(world).remedy_call(symptom, step % 4 - 1, ticket).resolved(world)
    return call.method, call.path, call.body


def of_another_stage(backend: SimulatedBackend, world: str, step: int) -> Call:
    """Apply the remedies of all other stages to a blocked order."""
    layout = backend.layout(world)
    faults = list(backend.engine(world).blocked.values())
    symptoms = [s for s in range(len(layout.symptoms)) if not faults or s != faults[0].symptom]
    ticket = faults[0].ticket_id if faults else "0" * 24
    call = layout.remedy_call(symptoms[step % len(symptoms)], step % 3, ticket).resolved(world)
    return call.method, call.path, call.body


def mended_twice(backend: SimulatedBackend, world: str, step: int) -> Call:
    """Apply every remedy to orders that are over, lost or mended."""
    layout, chronicle = backend.layout(world), backend.engine(world).chronicle
    number = next(reversed(chronicle.finished), 999_999)
    call = layout.remedy_call(step % len(layout.symptoms), step % 3, f"{'0' * 14}{number:08x}00").resolved(
        world
    )
    return call.method, call.path, call.body


def deleted_evidence(backend: SimulatedBackend, world: str, step: int) -> Call:
    """Delete what a fault shows itself in."""
    faults = list(backend.engine(world).blocked.values())
    if not faults:
        return "GET", f"/{world}/tickets", None
    fault = faults[step % len(faults)]
    calls = backend.layout(world).look_calls(fault.symptom, fault.ticket_id)
    return "DELETE", calls[step % 2].path.replace("{worldId}", world), None


CHEATS: dict[str, Cheat] = {
    "orders completed": fixed("PUT", "erp/orders/ORDER_{n}/status", {"status": "COMPLETED"}),
    "orders cancelled": fixed("PUT", "erp/orders/ORDER_{n}/status", {"status": "CANCELLED"}),
    "orders deleted": fixed("DELETE", "erp/orders/ORDER_{n}"),
    "orders made worthless": fixed("PUT", "erp/orders/ORDER_{n}", {"totalAmount": 0, "subtotal": 0}),
    "orders made dear": fixed("PUT", "erp/orders/ORDER_{n}", {"totalAmount": 1e9, "notes": "worth it"}),
    "completed orders created": fixed(
        "POST",
        "erp/orders",
        {"customerId": "x", "orderDate": "2026-01-05", "lines": [], "status": "COMPLETED"},
    ),
    "invoices deleted": fixed("DELETE", "erp/invoices/INV_{n}"),
    "invoices rejected": fixed("PUT", "erp/invoices/INV_{n}/status", {"status": "REJECTED"}),
    "paid invoices created": fixed(
        "POST",
        "erp/invoices",
        {
            "customerId": "x",
            "issueDate": "2026-01-05",
            "totalAmount": 1e6,
            "lines": [_LINE],
            "status": "PAID",
        },
    ),
    "payments deleted": fixed("DELETE", "erp/payments/PAY_{n}"),
    "payments created": fixed(
        "POST", "erp/payments", {"customerId": "COMP_{n}", "paymentDate": "2026-01-05", "totalAmount": 1e9}
    ),
    "cash added": fixed("PATCH", "ledger/increment", {"cashDelta": 1e9}),
    "payables wiped out": fixed("PATCH", "ledger", {"cash": 1e9, "totalReceivables": 0, "totalPayables": 0}),
    "ledger replaced": fixed("POST", "ledger", {"cash": 1e9}),
    "income booked": fixed(
        "POST",
        "finance/transactions",
        {"type": "payment_in", "amount": 1e6, "sourceType": "interest", "sourceId": "bank"},
    ),
    "income booked in bulk": fixed(
        "POST",
        "finance/transactions/bulk",
        {"transactions": [{"type": "payment_in", "amount": 1, "sourceType": "manual", "sourceId": "x"}] * 20},
    ),
    "tickets closed": fixed("PATCH", "tickets/{ticket}/status", {"status": "closed"}),
    "tickets resolved with a note": fixed(
        "PUT", "tickets/{ticket}", {"status": "resolved", "resolutionNotes": "done", "assignedTo": "me"}
    ),
    "tickets deleted": fixed("DELETE", "tickets/{ticket}"),
    "priorities raised": fixed("PUT", "tickets/{ticket}", {"priority": "critical"}),
    "work notes forged": fixed(
        "PATCH",
        "tickets/{ticket}/work-notes",
        {
            "workNotes": [
                {
                    "author": "operations",
                    "note": "Mended.",
                    "createdAt": "2026-01-05T00:00:00Z",
                    "updatedAt": "2026-01-05T00:00:00Z",
                }
            ]
        },
    ),
    "own tickets solved": mine,
    "own faults mended": made_and_mended,
    "remedies of other stages": of_another_stage,
    "remedies of finished orders": mended_twice,
    "evidence deleted": deleted_evidence,
    "freight delivered": fixed("PUT", "tms/shipments/TMS_SHIP_{n}/status", {"status": "DELIVERED"}),
    "freight located at its destination": fixed(
        "PUT", "tms/shipments/TMS_SHIP_{n}/location", {"latitude": 50.7, "longitude": 6.1, "city": "Aachen"}
    ),
    "parcels delivered": fixed("PUT", "wms/shipments/wms_shipment_{n}/status", {"status": "DELIVERED"}),
    "parcels delivered in bulk": fixed(
        "POST",
        "erp/shipments/bulk",
        {"shipments": [{"shipmentId": f"SHIP_{k}", "status": "DELIVERED"} for k in range(50)]},
    ),
    "customers blocked": fixed("PUT", "erp/companies/COMP_{n}", {"status": "BLOCKED", "customFields": {}}),
    "customers deleted": fixed("DELETE", "erp/companies/COMP_{n}"),
    "products discontinued in bulk": fixed(
        "POST",
        "erp/products/bulk",
        {"products": [{"productId": f"PROD_{k}", "status": "DISCONTINUED"} for k in range(50)]},
    ),
    "outbound orders shipped": fixed(
        "PUT", "wms/outbound-orders/wms_outbound-order_{n}/status", {"status": "SHIPPED"}
    ),
    "outbound priorities raised": fixed(
        "PUT", "wms/outbound-orders/wms_outbound-order_{n}/priority", {"priority": "RUSH"}
    ),
    "stock made up": fixed(
        "POST",
        "wms/inventory-transactions",
        {"warehouseId": "w", "transactionType": "ADJUST", "productId": "PROD_{n}", "quantity": 1e6},
    ),
    "tasks completed": fixed("PATCH", "wms/tasks/wms_task_{n}", {"taskStatus": "COMPLETED", "priority": 0}),
    "counts approved": fixed("PUT", "wms/cycle-counts/wms_cycle-count_{n}/status", {"status": "APPROVED"}),
    "replenishments completed": fixed(
        "PUT", "wms/replenishments/wms_replenishment_{n}/status", {"status": "COMPLETED"}
    ),
    "schedules paused": fixed("PUT", "od/schedules/pause"),
    "descriptors executed": fixed("POST", "od/descriptors/od_process-outbound/execute", {"context": {}}),
    "verification called": fixed("POST", "verification/verify-ticket", {"ticketId": "{ticket}"}),
    "the world's chaos rewritten": fixed("PUT", "chaos", {"enabled": False}),
    "another world's path": fixed("PUT", "../world/erp/orders/ORDER_{n}/status", {"status": "COMPLETED"}),
}


def rewards(backend: SimulatedBackend, parent: str, cheat: Cheat | None) -> Iterator[Any]:
    """Yield what each step of a fork was worth by the book."""
    world = backend.fork_world(parent)
    for step in range(STEPS):
        if cheat is None:
            backend.advance(world)
        else:
            method, path, body = cheat(backend, world, step)
            backend.act(world, method=method, path=path, body=body)
        signals = backend.step_signals(world)
        yield signals.signals, signals.remedied
    backend.delete_world(world)


def test_there_are_enough_cheats() -> None:
    assert len(CHEATS) >= 25


@pytest.mark.parametrize("layout", layout_names())
def test_a_cheater_earns_exactly_what_doing_nothing_earns(layout: str) -> None:
    backend = SimulatedBackend()
    parent = backend.create_world(name="test", layout=layout, seed=1)
    for _ in range(150):
        backend.advance(parent)
    nothing = list(rewards(backend, parent, None))
    earned = {name: list(rewards(backend, parent, cheat)) for name, cheat in CHEATS.items()}
    assert [name for name, found in earned.items() if found != nothing] == []


def test_cheats_are_taken_for_what_they_are() -> None:
    """Most are accepted as documents: that is what makes them cheats."""
    backend = SimulatedBackend()
    world = backend.create_world(name="test", layout="process-outbound", seed=1)
    for _ in range(250):
        backend.advance(world)
    accepted = 0
    for cheat in CHEATS.values():
        for step in range(6):
            method, path, body = cheat(backend, world, step)
            if backend.perform(world, method=method, path=path, body=body)["success"]:
                accepted += 1
                break
    assert accepted >= 30


def test_all_cheats_in_turn_earn_no_more_than_each_alone() -> None:
    backend = SimulatedBackend()
    parent = backend.create_world(name="test", layout="process-outbound", seed=2)
    cheats = list(CHEATS.values())

    def in_turn(backend: SimulatedBackend, world: str, step: int) -> Call:
        return cheats[step % len(cheats)](backend, world, step)

    assert list(rewards(backend, parent, in_turn)) == list(rewards(backend, parent, None))
