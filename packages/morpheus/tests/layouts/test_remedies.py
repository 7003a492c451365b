"""Every remedy of every layout, sent as an agent sends it: it mends its cause and no other."""

from collections.abc import Callable, Iterator

import pytest

from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.ports.tools import ToolCall

pytestmark = pytest.mark.floor

Crowded = Callable[[int], str]


@pytest.fixture
def one_of_each(backend: SimulatedBackend, crowded: Crowded, layout: Layout) -> Iterator[tuple[str, Fault]]:
    """World and fault, once for each symptom and cause."""

    def found() -> Iterator[tuple[str, Fault]]:
        missing = {
            (symptom, cause) for symptom in range(len(layout.symptoms)) for cause in range(layout.causes)
        }
        for seed in range(40):
            world_id = crowded(seed)
            state = backend.snapshot_world(world_id)
            for fault in reversed(list(backend.engine(world_id).blocked.values())):
                if (fault.symptom, fault.cause) in missing:
                    missing.remove((fault.symptom, fault.cause))
                    yield world_id, fault
                    backend.restore_world(world_id, state)
            backend.delete_world(world_id)
            if not missing:
                return
        pytest.fail(f"no fault found for {sorted(missing)}")

    return found()


def act(backend: SimulatedBackend, world_id: str, call: ToolCall) -> None:
    """Send a call as an environment does: through the default scope, with the world filled in."""
    admitted, refusal = ActionScope().admit(call, world_id)
    assert refusal is None, call
    answer = backend.act(world_id, method=admitted.method, path=admitted.path, body=admitted.body)
    assert answer["success"], (call, answer)


def test_each_remedy_mends_its_cause_and_no_other(
    backend: SimulatedBackend, layout: Layout, one_of_each: Iterator[tuple[str, Fault]]
) -> None:
    for world_id, fault in one_of_each:
        order = [remedy for remedy in range(layout.causes) if remedy != fault.cause]
        for remedy in (*order, fault.cause):
            act(backend, world_id, layout.remedy_call(fault.symptom, remedy, fault.ticket_id))
            signals = backend.step_signals(world_id)
            assert signals.remedied is (remedy == fault.cause)
            assert signals.failed is (remedy != fault.cause)
            assert backend.verify(world_id, fault.ticket_id)["passed"] is (remedy == fault.cause)


def test_a_look_reveals_the_cause_and_one_record_alone_does_not(
    backend: SimulatedBackend, layout: Layout, one_of_each: Iterator[tuple[str, Fault]]
) -> None:
    for world_id, fault in one_of_each:
        first, second = (
            backend.fetch(world_id, call.path.replace("{worldId}", world_id))
            for call in layout.look_calls(fault.symptom, fault.ticket_id)
        )
        assert layout.diagnose(fault.symptom, first, second) == fault.cause
        assert layout.diagnose(fault.symptom, first, {}) is None
        assert layout.diagnose(fault.symptom, {}, second) is None


def test_remedies_of_other_symptoms_mend_nothing(
    backend: SimulatedBackend, layout: Layout, crowded: Crowded
) -> None:
    world_id = crowded(3)
    world = backend.engine(world_id)
    for symptom in range(len(layout.symptoms)):
        fault = next(fault for fault in reversed(world.blocked.values()) if fault.symptom != symptom)
        for remedy in range(layout.causes):
            call = layout.remedy_call(symptom, remedy, fault.ticket_id).resolved(world_id)
            answer = backend.act(world_id, method=call.method, path=call.path, body=call.body)
            assert answer["status"] in (200, 201, 404)
            signals = backend.step_signals(world_id)
            assert not signals.remedied
            assert not signals.failed


def test_records_named_by_a_ticket_can_be_read(backend: SimulatedBackend, crowded: Crowded) -> None:
    world_id = crowded(4)
    for ticket in backend.get_tasks(world_id)["data"]["items"][:60]:
        for record in ticket["metadata"]["contextSnapshots"]:
            answer = backend.fetch(world_id, record["path"])
            assert record["entityId"] in str(answer["data"])
