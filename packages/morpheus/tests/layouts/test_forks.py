"""Forks, stored worlds and obligations of every layout, with everything an agent wrote."""

from collections.abc import Callable

import pytest

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layout import Layout

pytestmark = pytest.mark.floor

Crowded = Callable[[int], str]


def mended(backend: SimulatedBackend, world_id: str, layout: Layout, steps: int, offset: int = 0) -> None:
    """Apply remedies to the youngest faults, step by step, some of them wrong."""
    for step in range(steps):
        fault = list(backend.engine(world_id).blocked.values())[-1 - step % 7]
        call = layout.remedy_call(fault.symptom, (step + offset) % layout.causes, fault.ticket_id)
        backend.act(world_id, method=call.method, path=call.resolved(world_id).path, body=call.body)


def test_equal_remedies_lead_a_fork_where_they_lead_its_parent(
    backend: SimulatedBackend, layout: Layout, crowded: Crowded
) -> None:
    parent = crowded(2)
    mended(backend, parent, layout, 20)
    before = backend.digest_world(parent)
    fork = backend.fork_world(parent)
    assert backend.digest_world(fork) == before
    mended(backend, fork, layout, 20, 1)
    assert backend.digest_world(parent) == before
    mended(backend, parent, layout, 20, 1)
    assert backend.digest_world(fork) == backend.digest_world(parent) != before


def test_a_stored_world_goes_on_in_another_backend(
    backend: SimulatedBackend, layout: Layout, crowded: Crowded
) -> None:
    here = crowded(5)
    mended(backend, here, layout, 20)
    elsewhere = SimulatedBackend()
    there = elsewhere.create_world(name="elsewhere", layout=layout.name, seed=0)
    elsewhere.restore_world(there, backend.snapshot_world(here))
    for each, world_id in ((backend, here), (elsewhere, there)):
        mended(each, world_id, layout, 20, 2)
    assert elsewhere.digest_world(there) == backend.digest_world(here)
    elsewhere.close()


def test_rewriting_records_makes_no_delay_cheaper(
    backend: SimulatedBackend, layout: Layout, crowded: Crowded
) -> None:
    idle = crowded(1)
    busy = backend.fork_world(idle)
    writes = [
        ("PUT", "erp/orders/ORDER_{n}/status", {"status": "CANCELLED"}),
        ("PUT", "erp/orders/ORDER_{n}-P/status", {"status": "COMPLETED"}),
        ("PUT", "erp/invoices/INV_{n}", {"totalAmount": 0, "balanceDue": 0, "status": "PAID", "subtotal": 0}),
        ("DELETE", "erp/orders/ORDER_{n}", None),
        ("PATCH", "ledger/increment", {"cashDelta": 1e6}),
        ("PATCH", "tickets/{t}/status", {"status": "closed"}),
        ("PUT", "tickets/{t}", {"priority": "critical"}),
    ]
    earned = {idle: 0.0, busy: 0.0}
    for step in range(6 * len(writes)):
        method, path, body = writes[step % len(writes)]
        fault = list(backend.engine(busy).blocked.values())[-1 - step % 5]
        path = path.replace("{n}", str(fault.order.number)).replace("{t}", fault.ticket_id)
        backend.act(busy, method=method, path=f"/{busy}/{path}", body=body)
        backend.advance(idle)
        for world_id in earned:
            signals = backend.step_signals(world_id).signals
            earned[world_id] += signals["remediation"] + signals["financial"] + signals["throughput"]
    assert earned[busy] <= earned[idle] + 1e-9
