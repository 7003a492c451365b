"""Looking: what two linked entities show together, and that neither tells anything alone."""

from collections import Counter

from skyfall_crl.env.morpheus.simulation import World
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.facts import evidence_figures
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.operations import Operations

WORLD_ID = "5f" * 12


def bodies(layout: Layout, world: World, operations: Operations, fault: Fault) -> tuple[dict, dict]:
    calls = [call.resolved(WORLD_ID) for call in layout.look_calls(fault.symptom, fault.ticket_id)]
    first, second = (
        operations.perform(Enterprise(world, WORLD_ID), call.method, call.path) for call in calls
    )
    return first, second


def looked_at(layout: Layout) -> list[tuple[int, int, dict, dict]]:
    operations = Operations(layout)
    rows = []
    for seed in range(4):
        world = World(layout, seed)
        world.configure({"cause_mix": [[1 / 3] * 3] * 7, "fault_probability": 0.3, "demand": 3})
        for _ in range(200):
            world.begin()
            world.advance()
        rows += [
            (fault.symptom, fault.cause, *bodies(layout, world, operations, fault))
            for fault in world.blocked.values()
        ]
    return rows


def test_both_bodies_together_name_the_cause(layout: Layout) -> None:
    rows = looked_at(layout)
    assert len({(symptom, cause) for symptom, cause, _, _ in rows}) == 21
    for symptom, cause, first, second in rows:
        assert layout.diagnose(symptom, first, second) == cause
        assert layout.diagnose(symptom, first["data"], second["data"]) == cause


def test_either_body_alone_leaves_every_cause_about_as_likely(layout: Layout) -> None:
    world = World(layout, 1)
    for symptom, described in enumerate(layout.symptoms):
        first, second = (evidence.entity for evidence in described.evidence)
        by_clue: dict[int, Counter[int]] = {}
        by_smallest: dict[str, Counter[int]] = {}
        for number in range(2_000):
            order = world.draw_order(number, 0)
            cause = order.draws[2 * symptom + 1] * 3 >> 32
            fault = Fault(order, symptom, 0, cause, "")
            (clue,) = evidence_figures(world, fault, first).values()
            candidates = evidence_figures(world, fault, second)
            by_clue.setdefault(clue, Counter())[cause] += 1
            by_smallest.setdefault(min(candidates, key=candidates.__getitem__), Counter())[cause] += 1
        common = [counts for counts in by_clue.values() if counts.total() > 100]
        assert len(common) > 5
        assert len(by_smallest) == 3
        for counts in [*common, *by_smallest.values()]:
            assert max(counts.values()) / counts.total() < 0.5


def test_an_order_that_is_not_blocked_shows_nothing(world: World, layout: Layout) -> None:
    operations = Operations(layout)
    fault = next(iter(world.blocked.values()))
    world.begin()
    world.mend(fault, fault.cause)
    world.advance()
    first, second = bodies(layout, world, operations, fault)
    assert layout.diagnose(fault.symptom, first, second) is None


def test_refusals_and_foreign_bodies_diagnose_nothing(layout: Layout) -> None:
    refusal = {"success": False, "status": 404, "error": "no"}
    odd = {"data": [1, 2]}
    assert layout.diagnose(0, refusal, refusal) is None
    assert layout.diagnose(0, odd, odd) is None
    assert layout.diagnose(0, {"data": {"customFields": {"shortQuantity": 3}}}, refusal) is None


def test_a_write_does_not_show_what_only_looking_shows(layout: Layout) -> None:
    operations = Operations(layout)
    world = World(layout, 3)
    for _ in range(300):
        world.begin()
        world.advance()
    for fault in list(world.blocked.values()):
        wrong = (fault.cause + 1) % 3
        call = layout.remedy_call(fault.symptom, wrong, fault.ticket_id).resolved(WORLD_ID)
        answer = operations.perform(Enterprise(world, WORLD_ID), call.method, call.path, call.body)
        assert answer["success"]
        shown = answer["data"].get("customFields", {})
        assert shown == (call.body or {}).get("customFields", {})
