"""Rules that look inside the world: what could be done by somebody who knows what agents are not told."""

from skyfall_crl.env.morpheus.references.queues import QueueReader, worth
from skyfall_crl.env.morpheus.references.rules import likeliest
from skyfall_crl.env.morpheus.simulation.axes import Conditions
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.faults import Fault


def sighted(reader: QueueReader, world: World) -> int:
    """See causes: mend the head with the largest value to go."""
    best, action = -1.0, 0
    for queue in world.board.queues:
        if queue:
            fault = queue[0]
            value = _worth(reader, world, fault, world.conditions)
            if value > best:
                best, action = value, reader.remedy(fault.symptom, fault.cause)
    return action


def informed(reader: QueueReader, world: World, known: Conditions | None = None) -> int:
    """Know the configuration but no cause: the largest value times the chance of the next untried remedy.

    `known` is what is taken to hold, by default what does.
    """
    known = world.conditions if known is None else known
    best, action = -1.0, 0
    for queue in world.board.queues:
        if queue:
            fault = queue[0]
            row = known.cause_mix[fault.symptom]
            mix = row[-fault.turn :] + row[: -fault.turn] if fault.turn else row
            remedy, chance = likeliest(mix, reader.untried(fault.tried))
            value = _worth(reader, world, fault, known) * chance
            if value > best:
                best, action = value, reader.remedy(fault.symptom, remedy)
    return action


def _worth(reader: QueueReader, world: World, fault: Fault, known: Conditions) -> float:
    layout = reader.layout
    return worth(
        layout,
        layout.priority_weights[fault.priority],
        (world.board.step - fault.opened_step) / layout.horizon_steps,
        fault.value_cents / layout.value_unit_cents,
        known.late[fault.symptom],
    )
