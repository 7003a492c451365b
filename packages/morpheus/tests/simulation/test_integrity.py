"""Integrity: what is owed follows from physical events, whatever an agent writes."""

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend

CHEATS = (
    ("PUT", "/{worldId}/erp/orders/ORDER_{n}/status", {"status": "COMPLETED"}),
    ("PUT", "/{worldId}/erp/orders/ORDER_{n}/status", {"status": "CANCELLED"}),
    ("DELETE", "/{worldId}/erp/orders/ORDER_{n}", None),
    ("PUT", "/{worldId}/erp/invoices/INV_{n}/status", {"status": "PAID"}),
    ("DELETE", "/{worldId}/erp/invoices/INV_{n}", None),
    ("PUT", "/{worldId}/erp/payments/PAY_{n}/status", {"status": "APPLIED"}),
    ("POST", "/{worldId}/erp/payments", {"customerId": "COMP_1", "totalAmount": 1e9}),
    ("PATCH", "/{worldId}/ledger/increment", {"cashDelta": 1e9}),
    ("PATCH", "/{worldId}/tickets/{ticket}/status", {"status": "closed"}),
    ("PUT", "/{worldId}/tickets/{ticket}", {"priority": "critical"}),
    ("POST", "/{worldId}/tickets", {"title": "mine", "description": "", "requester": "me"}),
    ("PUT", "/{worldId}/tms/shipments/TMS_SHIP_{n}/status", {"status": "DELIVERED"}),
    ("PUT", "/{worldId}/wms/outbound-orders/wms_outbound-order_{n}/status", {"orderStatus": "SHIPPED"}),
    ("POST", "/{worldId}/erp/shipments/bulk", {"shipments": [{"status": "DELIVERED"}]}),
)


def test_a_cheater_earns_exactly_what_doing_nothing_earns() -> None:
    backend = SimulatedBackend()
    cheated, left_alone = (
        backend.create_world(name="test", layout="process-outbound", seed=1) for _ in range(2)
    )
    for step in range(600):
        method, path, body = CHEATS[step % len(CHEATS)]
        tickets = [ticket for queue in backend.ticket_board(cheated).queues for ticket in queue]
        target = tickets[step % len(tickets)].ticket_id if tickets else "00" * 12
        number = str(int(target[14:22], 16))
        path = path.replace("{worldId}", cheated).replace("{n}", number).replace("{ticket}", target)
        backend.act(cheated, method=method, path=path, body=body)
        backend.advance(left_alone)
        assert backend.step_signals(cheated) == backend.step_signals(left_alone)
