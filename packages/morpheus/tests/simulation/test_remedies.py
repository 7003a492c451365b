"""Remedies as domain operations: in every layout each one mends its cause, through the scope agents have by default."""

import pytest

from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.simulation import World, catalogue, layout_named, layout_names
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.operations import Operations
from skyfall_crl.ports.tools import ToolCall

WORLD_ID = "5f" * 12


def held_everywhere(name: str, cause: int) -> World:
    """Return a world in which every stage holds orders for one cause."""
    world = World(layout_named(name), 3)
    layout = world.layout
    mix = [[float(c == cause) for c in range(layout.causes)]] * len(layout.symptoms)
    world.configure({"cause_mix": mix, "fault_probability": 0.3, "demand": 2})
    while not all(world.board.queues):
        world.begin()
        world.advance()
    return world


@pytest.mark.parametrize("name", layout_names())
@pytest.mark.parametrize("cause", range(3))
def test_each_remedy_is_admitted_answered_and_mends_its_cause(name: str, cause: int) -> None:
    world = held_everywhere(name, cause)
    operations, enterprise, scope = Operations(world.layout), Enterprise(world, WORLD_ID), ActionScope()
    for symptom in range(len(world.layout.symptoms)):
        queue = world.board.queues[symptom]
        fault = queue[0]
        for remedy in sorted(range(3), key=lambda each, cause=fault.cause: each == cause):
            call, refusal = scope.admit(world.layout.remedy_call(symptom, remedy, fault.ticket_id), WORLD_ID)
            assert refusal is None
            for _ in range(2):
                world.begin()
                answer = operations.perform(enterprise, call.method, call.path, call.body)
                assert answer["success"], (call, answer)
                assert world.remedied is (remedy == fault.cause)
                if world.remedied:
                    break
            assert fault not in queue or remedy != fault.cause


@pytest.mark.parametrize("name", layout_names())
def test_the_entity_a_remedy_wrote_fits_its_declaration(name: str) -> None:
    world = held_everywhere(name, 0)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    for symptom, queue in enumerate(world.board.queues):
        fault = queue[-1]
        for remedy in sorted(range(world.layout.causes), key=lambda each, cause=fault.cause: each == cause):
            call = world.layout.remedy_call(symptom, remedy, fault.ticket_id).resolved(WORLD_ID)
            operations.perform(enterprise, call.method, call.path, call.body)
    assert len(enterprise.store.written) > world.layout.causes
    for collection in enterprise.directory.collections.values():
        for document in enterprise.entities(collection):
            if collection.entity:
                assert catalogue.entity(collection.entity).problem(document) is None


@pytest.mark.parametrize("name", layout_names())
def test_both_linked_entities_of_each_symptom_can_be_read_and_name_the_cause(name: str) -> None:
    world = held_everywhere(name, 1)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    for symptom, queue in enumerate(world.board.queues):
        calls = world.layout.look_calls(symptom, queue[0].ticket_id)
        first, second = (operations.perform(enterprise, call.method, call.path) for call in calls)
        assert world.layout.diagnose(symptom, first, second) == queue[0].cause


def test_lists_show_no_figures_of_faults() -> None:
    world = held_everywhere("process-outbound", 0)
    enterprise = Enterprise(world, WORLD_ID)
    names = [name for each in world.layout.symptoms for name in (each.clue, *each.candidates)]
    for path in enterprise.directory.collections:
        answer = Operations(world.layout).perform(enterprise, "GET", f"/{WORLD_ID}/{path}?status=X&limit=999")
        assert not [name for name in names if name in str(answer)]
        documents = enterprise.entities(enterprise.directory.collections[path])
        assert not [name for name in names if name in str(documents)]


def test_a_remedy_deleted_away_or_asked_for_twice_does_not_pay_twice() -> None:
    world = held_everywhere("process-outbound", 2)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    fault = world.board.queues[5][0]
    call: ToolCall = world.layout.remedy_call(5, fault.cause, fault.ticket_id)
    world.begin()
    paid = []
    for _ in range(3):
        assert operations.perform(enterprise, call.method, call.path, call.body)["success"]
        paid.append(world.obligations.earned)
    assert paid == [paid[0]] * 3
