"""Tickets: the wire's shape, never the cause, and the same board as the engine's own."""

from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import World, layout_named
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.services.itsm import everything

WORLD_ID = "5f" * 12
REQUIRED = {
    "_id",
    "worldRef",
    "title",
    "description",
    "requester",
    "status",
    "priority",
    "impact",
    "urgency",
    "type",
    "createdAt",
    "updatedAt",
}


def test_tickets_have_the_wires_required_keys_and_values(world: World) -> None:
    statuses = set()
    for ticket in everything(Enterprise(world, WORLD_ID)):
        assert ticket.keys() >= REQUIRED
        assert ticket["worldRef"] == {"worldId": WORLD_ID}
        assert ticket["priority"] in ("low", "medium", "high", "critical")
        assert ticket["impact"] in ("low", "medium", "high")
        assert ticket["type"] == "incident"
        assert ticket["metadata"]["failedStepId"] in {s.stage for s in world.layout.symptoms}
        assert len(ticket["metadata"]["contextSnapshots"]) == 2
        assert len(bytes.fromhex(ticket["_id"])) == 12
        datetime.fromisoformat(ticket["createdAt"])
        statuses.add(ticket["status"])
    assert statuses >= {"open", "resolved"}


def test_a_ticket_never_says_the_cause(layout: Layout) -> None:
    texts: dict[tuple, set[str]] = {}
    for mix in range(3):
        world = World(layout, 21)
        world.configure({"cause_mix": [[float(c == mix) for c in range(3)]] * 7})
        for _ in range(300):
            world.begin()
            world.advance()
        for fault, ticket in zip(
            world.blocked.values(), everything(Enterprise(world, WORLD_ID), "open"), strict=True
        ):
            assert fault.cause == mix
            texts.setdefault(fault.ticket_id, set()).add(str(ticket))
    assert len(texts) > 20
    assert all(len(same) == 1 for same in texts.values())


def test_work_notes_say_what_was_tried(layout: Layout) -> None:
    world = World(layout, 2)
    while not world.blocked:
        world.begin()
        world.advance()
    fault = next(iter(world.blocked.values()))
    wrong = (fault.cause + 2) % 3
    world.mend(fault, wrong)
    (ticket,) = everything(Enterprise(world, WORLD_ID), "open")
    (note,) = ticket["workNotes"]
    assert layout.symptoms[fault.symptom].remedies[wrong].name in note["note"]
    assert ticket["updatedAt"] == note["createdAt"]
    assert note.keys() >= {"author", "note", "createdAt", "updatedAt"}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 30), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), max_size=300))
def test_the_board_read_off_tickets_is_the_engines_own(seed: int, actions: list[tuple[int, int]]) -> None:
    layout = layout_named("process-outbound")
    world = World(layout, seed)
    for queue, remedy in [*actions, (0, 0)]:
        world.begin()
        if world.board.queues[queue]:
            world.mend(world.board.queues[queue][0], remedy)
        world.advance()
    queues: list[list[tuple]] = [[] for _ in layout.symptoms]
    stages = [symptom.stage for symptom in layout.symptoms]
    for ticket in everything(Enterprise(world, WORLD_ID), "open"):
        symptom = stages.index(ticket["metadata"]["failedStepId"])
        opened = (datetime.fromisoformat(ticket["createdAt"][:19]) - datetime(2026, 1, 5)) // timedelta(
            minutes=30
        )
        tried = 0
        for position, remedy in enumerate(layout.symptoms[symptom].remedies):
            tried |= any(remedy.name in note["note"] for note in ticket["workNotes"]) << position
        cents = round(ticket["metadata"]["orderValue"] * 100)
        rank = layout.priorities.index(ticket["priority"])
        queues[symptom].append((ticket["_id"], opened, rank, cents, tried))
    board = world.board
    assert queues == [
        [(f.ticket_id, f.opened_step, f.priority, f.value_cents, f.tried) for f in queue]
        for queue in board.queues
    ]
    assert board.blocked_cents == [sum(row[3] for row in queue) for queue in queues]
