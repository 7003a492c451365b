"""Worlds that go on for long: the same on every Python, and no larger for their age."""

import tracemalloc
from random import Random

import msgspec
import pytest

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_names

DIGESTS = {
    "process-outbound": "90949c23faf0b5b4",
    "process-inbound": "ba19a4620ffb4eb9",
    "perishables-food-manufacturer": "e04aae4d7473ac00",
    "erp-order-to-cash": "18b787b175966b9b",
    "process-outbound/evidence": "ddfee1a808a4cf86",
}


def worked(backend: SimulatedBackend, world_id: str, steps: int, dice: Random, *, every: int = 1) -> None:
    """Apply a random remedy to a random queue's oldest ticket, or rewrite its order, in every so many steps."""
    layout, board = backend.layout(world_id), backend.ticket_board(world_id)
    symptoms, causes = len(layout.symptoms), layout.causes
    for step in range(steps):
        queue = int(dice.random() * symptoms)
        waiting = board.queues[queue]
        if step % every or not waiting:
            backend.advance(world_id)
            continue
        call = layout.remedy_call(queue, int(dice.random() * causes), waiting[0].ticket_id)
        if dice.random() < 0.2:
            number = waiting[0].order.number
            path = f"/{world_id}/erp/orders/ORDER_{number}"
            backend.act(world_id, method="PUT", path=path, body={"notes": f"seen at {step}"})
        else:
            path = call.resolved(world_id).path
            backend.act_briefly(world_id, method=call.method, path=path, body=call.body)


@pytest.mark.parametrize("layout", layout_names())
def test_10_000_worked_steps_end_in_the_same_world_on_every_python(layout: str) -> None:
    """A digest covers the world and what agents wrote in it; a layout that is changed on purpose gets a new one."""
    backend = SimulatedBackend()
    world_id = backend.create_world(name="long", layout=layout, seed=5)
    worked(backend, world_id, 10_000, Random(7))
    assert backend.digest_world(world_id)[:16] == DIGESTS[layout]


@pytest.mark.slow
def test_a_world_of_a_million_steps_takes_the_memory_of_a_young_one() -> None:
    """What is allocated is counted over the last thousand steps of each tenth of its life."""
    backend, dice = SimulatedBackend(), Random(7)
    world_id = backend.create_world(name="long", layout="process-outbound", seed=5)
    held = []
    for _ in range(10):
        worked(backend, world_id, 99_000, dice, every=4)
        size = len(msgspec.json.encode(backend.snapshot_world(world_id)))
        tracemalloc.start()
        worked(backend, world_id, 1_000, dice, every=4)
        held.append((size, tracemalloc.get_traced_memory()[0]))
        tracemalloc.stop()
    sizes, grown = zip(*held, strict=True)
    assert max(sizes) < 1.5 * min(sizes)
    assert max(grown) < 1 << 20
