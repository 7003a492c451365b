"""Cheats in every layout: writes that make the books look better than the world is earn what doing nothing earns."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layout import Layout

pytestmark = pytest.mark.floor

Cheat = tuple[str, str, dict[str, Any] | None]

ERP: tuple[Cheat, ...] = (
    ("PUT", "erp/orders/ORDER_{n}/status", {"status": "COMPLETED"}),
    ("PUT", "erp/orders/ORDER_{n}/status", {"status": "CANCELLED"}),
    ("PUT", "erp/orders/ORDER_{n}-P/status", {"status": "COMPLETED"}),
    ("PUT", "erp/orders/ORDER_{n}", {"totalAmount": 0, "notes": "settled"}),
    ("DELETE", "erp/orders/ORDER_{n}", None),
    ("DELETE", "erp/orders/ORDER_{n}-P", None),
    ("PUT", "erp/invoices/INV_{n}/status", {"status": "PAID"}),
    ("PUT", "erp/invoices/INV_{n}", {"balanceDue": 0, "status": "PAID", "dueDate": "2036-01-01"}),
    ("DELETE", "erp/invoices/INV_{n}", None),
    ("PUT", "erp/payments/PAY_{n}/status", {"status": "RECEIVED"}),
    ("POST", "erp/payments", {"customerId": "COMP_{n}", "paymentDate": "2026-01-06", "totalAmount": 1e6}),
    ("DELETE", "erp/payments/PAY_{n}", None),
    ("POST", "erp/shipments/bulk", {"shipments": [{"shipmentId": "SHIP_{n}", "status": "DELIVERED"}]}),
    ("DELETE", "erp/companies/COMP_{n}", None),
    ("DELETE", "erp/products/PROD_{n}", None),
)
MONEY: tuple[Cheat, ...] = (
    ("PATCH", "ledger", {"cash": 1e6, "totalReceivables": 1e6, "totalPayables": 0}),
    ("PATCH", "ledger/increment", {"cashDelta": 1e6}),
    ("POST", "ledger", {"cash": 1e6, "totalReceivables": 0, "totalPayables": 0}),
    (
        "POST",
        "finance/transactions",
        {"type": "payment_in", "amount": 1e6, "sourceType": "manual", "sourceId": "mine"},
    ),
    (
        "POST",
        "finance/transactions/bulk",
        {
            "transactions": [
                {"type": "payment_in", "amount": 1e6, "sourceType": "invoice", "sourceId": "INV_{n}"}
            ]
        },
    ),
)
TICKETS: tuple[Cheat, ...] = (
    ("PATCH", "tickets/{t}/status", {"status": "resolved"}),
    ("PATCH", "tickets/{t}/status", {"status": "closed"}),
    ("PUT", "tickets/{t}", {"priority": "critical", "resolutionNotes": "mended"}),
    ("PATCH", "tickets/{t}/work-notes", {"workNotes": []}),
    ("DELETE", "tickets/{t}", None),
    ("POST", "tickets", {"title": "mine", "description": "x", "requester": "me", "priority": "critical"}),
    ("POST", "verification/verify-ticket", {"ticketId": "{t}"}),
)
GOODS: tuple[Cheat, ...] = (
    ("PUT", "wms/outbound-orders/wms_outbound-order_{n}/status", {"status": "SHIPPED"}),
    ("PUT", "wms/inbound-orders/wms_inbound-order_{n}/status", {"status": "CLOSED"}),
    ("PUT", "wms/tasks/wms_task_{n}/status", {"status": "COMPLETED"}),
    ("PUT", "wms/shipments/wms_shipment_{n}/status", {"status": "DELIVERED"}),
    ("PUT", "wms/cycle-counts/wms_cycle-count_{n}/status", {"status": "APPROVED"}),
    ("PUT", "wms/receiving-transactions/wms_receiving-transaction_{n}/status", {"status": "COMPLETED"}),
    (
        "POST",
        "wms/inventory-transactions",
        {
            "warehouseId": "wms_warehouse_1",
            "transactionType": "ADJUST",
            "productId": "PROD_{n}",
            "quantity": 1e6,
        },
    ),
    ("PUT", "tms/shipments/TMS_SHIP_{n}/status", {"status": "DELIVERED"}),
    ("PUT", "tms/trailers/TRAILER_{n}/status", {"status": "DEPARTED"}),
    ("PUT", "tms/carriers/CARRIER_{n}/performance", {"onTimeDeliveryRate": 1}),
    ("POST", "od/descriptors/any/execute", {"context": {}}),
)
CHEATS = ERP + MONEY + TICKETS + GOODS


def filled(value: Any, number: int, ticket: str) -> Any:
    """Return a template with an order's number and a ticket's id in place."""
    if isinstance(value, str):
        return value.replace("{n}", str(number)).replace("{t}", ticket)
    if isinstance(value, dict):
        return {key: filled(item, number, ticket) for key, item in value.items()}
    return [filled(item, number, ticket) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("oldest", [True, False])
def test_cheats_earn_exactly_what_doing_nothing_earns(
    backend: SimulatedBackend, layout: Layout, crowded: Callable[[int], str], oldest: bool
) -> None:
    left_alone = crowded(1)
    cheated = backend.fork_world(left_alone)
    for step in range(2 * len(CHEATS)):
        faults = list(backend.engine(cheated).blocked.values())
        fault = faults[step % 5 if oldest else -1 - step % 5]
        method, path, body = filled(list(CHEATS[step % len(CHEATS)]), fault.order.number, fault.ticket_id)
        answer = backend.act(cheated, method=method, path=f"/{cheated}/{path}", body=body)
        backend.advance(left_alone)
        assert answer["status"] in (200, 201, 400, 404, 409, 422, 501)
        assert backend.step_signals(cheated) == backend.step_signals(left_alone), (method, path, body)


def test_what_a_cheat_did_to_an_order_spares_nobody_its_mending(
    backend: SimulatedBackend, layout: Layout, crowded: Callable[[int], str]
) -> None:
    world_id = crowded(3)
    fault = list(backend.engine(world_id).blocked.values())[-1]
    for method, path, body in filled([list(cheat) for cheat in TICKETS], fault.order.number, fault.ticket_id):
        backend.act(world_id, method=method, path=f"/{world_id}/{path}", body=body)
    assert not backend.verify(world_id, fault.ticket_id)["passed"]
    call = layout.remedy_call(fault.symptom, fault.cause, fault.ticket_id).resolved(world_id)
    backend.act(world_id, method=call.method, path=call.path, body=call.body)
    assert backend.step_signals(world_id).remedied
    assert backend.verify(world_id, fault.ticket_id)["passed"]


def test_a_fault_pays_once_however_often_its_remedy_is_applied(
    backend: SimulatedBackend, layout: Layout, crowded: Callable[[int], str]
) -> None:
    world_id = crowded(4)
    fault = list(backend.engine(world_id).blocked.values())[-1]
    call = layout.remedy_call(fault.symptom, fault.cause, fault.ticket_id).resolved(world_id)
    paid = []
    for _ in range(4):
        backend.act(world_id, method=call.method, path=call.path, body=call.body)
        paid.append(backend.step_signals(world_id).signals["remediation"])
    assert paid[0] > 0
    assert paid[1:] == [0, 0, 0]
