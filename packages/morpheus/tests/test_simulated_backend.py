"""The simulated backend: the whole protocol, many worlds, and a clock that only calls move."""

import json
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus import ports
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend

PROTOCOLS = (
    *(ports.MorpheusBackend, ports.AdvancingBackend, ports.DisposingBackend),
    *(ports.SignallingBackend, ports.BoardBackend, ports.SnapshotBackend),
)


@pytest.fixture
def backend() -> SimulatedBackend:
    return SimulatedBackend()


def create(backend: SimulatedBackend, seed: int | None = 1, **kwargs: Any) -> str:
    return backend.create_world(name="test", layout="process-outbound", seed=seed, **kwargs)


def minutes(backend: SimulatedBackend, world: str) -> int:
    return backend.step_signals(world).world_time


def work(backend: SimulatedBackend, world: str, steps: int, dice: int = 0) -> None:
    """Apply random remedies to the oldest tickets of random queues."""
    draw = Random(dice)
    layout = backend.layout(world)
    for _ in range(steps):
        symptom, remedy = int(draw.random() * 7), int(draw.random() * 3)
        queue = backend.ticket_board(world).queues[symptom]
        if queue:
            call = layout.remedy_call(symptom, remedy, queue[0].ticket_id).resolved(world)
            assert backend.act(world, method=call.method, path=call.path, body=call.body)["success"]
        else:
            backend.advance(world)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.__name__)
def test_it_keeps_every_protocol_a_backend_can_keep(backend: SimulatedBackend, protocol: type) -> None:
    assert isinstance(backend, protocol)


def test_world_ids_follow_from_seed_and_ordinal(backend: SimulatedBackend) -> None:
    first, second, other = create(backend, 1), create(backend, 1), create(backend, 2)
    assert len({first, second, other}) == 3
    assert all(len(bytes.fromhex(world)) == 12 for world in (first, second, other))
    assert create(SimulatedBackend(), 1) == first
    backend.delete_world(first)
    assert create(backend, 1) == first


def test_worlds_without_a_seed_differ(backend: SimulatedBackend) -> None:
    first, second = create(backend, None), create(backend, None)
    assert backend.digest_world(first) != backend.digest_world(second)


def test_a_call_of_the_agent_moves_the_clock_by_one_step_and_reading_does_not(
    backend: SimulatedBackend,
) -> None:
    world = create(backend)
    for _ in range(50):
        backend.advance(world)
    assert minutes(backend, world) == 50 * 30
    backend.act(world, method="GET", path=f"/{world}/tickets")
    backend.act(world, method="PUT", path="/nonsense", body={"a": 1})
    assert minutes(backend, world) == 52 * 30
    before = backend.digest_world(world)
    backend.fetch(world, f"/{world}/tickets", params={"status": "open"})
    backend.get_tasks(world)
    backend.get_action_space(world, "wms")
    backend.snapshot_world(world)
    assert backend.digest_world(world) == before


def test_a_call_never_raises_whatever_it_says(backend: SimulatedBackend) -> None:
    world = create(backend)
    for method, path, body in (
        (None, None, None),
        ("GET", 3, []),
        ("PUT", "/", "x"),
        ("\ud800", "\ud800", {}),
    ):
        answer = backend.act(world, method=method, path=path, body=body)
        assert answer["success"] is False
    assert backend.act("ff" * 12, method="GET", path="/x")["status"] == 404


def test_signals_are_those_of_the_last_step(backend: SimulatedBackend) -> None:
    world = create(backend)
    for _ in range(60):
        backend.advance(world)
    layout, board = backend.layout(world), backend.ticket_board(world)
    symptom = next(s for s in range(7) if board.queues[s])
    ticket = board.queues[symptom][0]
    weight, age = layout.priority_weights[ticket.priority], board.step - ticket.opened_step
    outcomes = []
    for remedy in range(3):
        call = layout.remedy_call(symptom, remedy, ticket.ticket_id).resolved(world)
        backend.act(world, method=call.method, path=call.path, body=call.body)
        signals = backend.step_signals(world)
        assert set(signals.signals) == {"remediation", "financial", "throughput"}
        assert all(0 <= value <= 1 for value in signals.signals.values())
        outcomes.append((signals.remedied, signals.failed))
        if signals.remedied:
            expected = weight * (1 - (age + remedy) / 96)
            assert signals.signals["remediation"] == pytest.approx(expected)
            break
        assert signals.signals["remediation"] == 0
    assert outcomes[-1] == (True, False)
    assert all(outcome == (False, True) for outcome in outcomes[:-1])
    backend.advance(world)
    assert backend.step_signals(world).remedied is False


def test_a_mended_ticket_is_verified_and_resolved(backend: SimulatedBackend) -> None:
    world = create(backend)
    for _ in range(60):
        backend.advance(world)
    ticket_id = backend.get_tasks(world, status="open")["data"]["items"][0]["_id"]
    assert backend.verify(world, ticket_id)["passed"] is False
    fault = backend.engine(world).fault_of(ticket_id)
    call = backend.layout(world).remedy_call(fault.symptom, fault.cause, ticket_id).resolved(world)
    backend.act(world, method=call.method, path=call.path, body=call.body)
    assert backend.verify(world, ticket_id)["passed"] is True
    resolved = backend.get_tasks(world, status="resolved")["data"]["items"]
    assert [ticket["_id"] for ticket in resolved] == [ticket_id]


def test_axes_are_read_back_and_absent_ones_return_to_their_defaults(backend: SimulatedBackend) -> None:
    world = create(backend)
    pushed = {"cause_mix": "C", "demand": 2, "payment_terms": [1.0] * 7}
    read = backend.set_chaos(world, {"simulation": {"axes": pushed}})["simulation"]["axes"]
    assert {name: read[name] for name in pushed} == pushed
    read = backend.set_chaos(world, {"simulation": {"axes": {"demand": 0.5}}})["simulation"]["axes"]
    assert read == {"cause_mix": "A", "payment_terms": "A", "fault_probability": 0.15, "demand": 0.5}


def test_the_wires_switches_are_kept_and_process_chaos_decides_whether_anything_faults(
    backend: SimulatedBackend,
) -> None:
    world = create(backend, process_chaos=False, infrastructure_chaos=False)
    read = backend.set_chaos(world, {"probability": 0.3, "scenarios": [{"type": "stale_data"}]})
    assert (read["processChaosEnabled"], read["infraChaosEnabled"]) == (False, False)
    assert (read["probability"], read["scenarios"]) == (0.3, [{"type": "stale_data"}])
    for _ in range(100):
        backend.advance(world)
    assert backend.get_tasks(world)["data"]["totalCount"] == 0
    assert backend.set_chaos(world, {"processChaosEnabled": True})["probability"] == 0.3
    for _ in range(100):
        backend.advance(world)
    assert backend.get_tasks(world)["data"]["totalCount"] > 0


@pytest.mark.parametrize(
    "chaos",
    [
        {"simulation": {"axes": {"weather": 1}}},
        {"simulation": {"axes": {"demand": "much"}}},
        {"simulation": {"axes": [1]}},
        {"simulation": 1},
        {"processChaosEnabled": "yes"},
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused_and_nothing_changes(
    backend: SimulatedBackend, chaos: dict[str, Any]
) -> None:
    world = create(backend)
    before = backend.set_chaos(world, {"simulation": {"axes": {"demand": 1.5}}})
    digest = backend.digest_world(world)
    with pytest.raises(BackendError, match="expected"):
        backend.set_chaos(world, chaos)
    assert backend.digest_world(world) == digest
    assert backend.set_chaos(world, {"simulation": {"axes": {"demand": 1.5}}}) == before


def test_calls_on_what_does_not_exist_are_backend_errors(backend: SimulatedBackend) -> None:
    world = create(backend)
    nowhere = "ff" * 12
    for call in (
        lambda: backend.create_world(name="x", layout="nowhere"),
        lambda: backend.reset_world(nowhere),
        lambda: backend.delete_world(nowhere),
        lambda: backend.get_tasks(nowhere),
        lambda: backend.step_signals(nowhere),
        lambda: backend.fetch(world, f"/{world}/nothing"),
        lambda: backend.verify(world, "00" * 12),
        lambda: backend.verify(world, "not an id"),
        lambda: backend.restore_world(world, {}),
        lambda: backend.restore_world(world, {"world": {}, "chaos": {}}),
        lambda: backend.restore_world(world, {**backend.snapshot_world(world), "chaos": {}}),
    ):
        with pytest.raises(BackendError):
            call()


def test_resetting_builds_the_same_world_anew_under_its_id_and_configuration(
    backend: SimulatedBackend,
) -> None:
    world = create(backend)
    backend.set_chaos(world, {"simulation": {"axes": {"demand": 1.5}}})
    fresh = backend.digest_world(world)
    work(backend, world, 100)
    assert backend.digest_world(world) != fresh
    backend.reset_world(world)
    assert backend.digest_world(world) == fresh


def test_equal_seeds_and_calls_give_equal_worlds_and_answers() -> None:
    def lived() -> tuple[str, str]:
        backend = SimulatedBackend()
        world = create(backend, 77)
        work(backend, world, 300, dice=5)
        return backend.digest_world(world), json.dumps(backend.get_tasks(world))

    assert lived() == lived()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1 << 62), st.integers(0, 150), st.integers(0, 150))
def test_a_fork_goes_on_like_its_parent_and_never_changes_it(seed: int, before: int, after: int) -> None:
    backend = SimulatedBackend()
    world = create(backend, seed)
    backend.set_chaos(world, {"infraChaosEnabled": False, "simulation": {"axes": {"demand": 1.1}}})
    work(backend, world, before)
    digest = backend.digest_world(world)
    fork = backend.fork_world(world)
    assert fork != world
    work(backend, fork, after, dice=9)
    assert backend.digest_world(world) == digest
    work(backend, world, after, dice=9)
    assert backend.digest_world(world) == backend.digest_world(fork)
    assert backend.step_signals(world) == backend.step_signals(fork)


def test_committing_takes_over_what_the_fork_became(backend: SimulatedBackend) -> None:
    world = create(backend)
    work(backend, world, 80)
    fork = backend.fork_world(world)
    work(backend, fork, 40)
    backend.commit_world(world, fork)
    assert backend.digest_world(world) == backend.digest_world(fork)
    backend.delete_world(fork)
    backend.advance(world)


def test_a_snapshot_is_json_and_can_be_put_back_on_another_backend(backend: SimulatedBackend) -> None:
    world = create(backend)
    backend.set_chaos(world, {"persistCorruptedData": True, "simulation": {"axes": {"cause_mix": "B"}}})
    work(backend, world, 120)
    state = json.loads(json.dumps(backend.snapshot_world(world)))
    other = SimulatedBackend()
    elsewhere = create(other, 5)
    other.restore_world(elsewhere, state)
    work(backend, world, 50)
    work(other, elsewhere, 50)
    assert backend.digest_world(world) == other.digest_world(elsewhere)
    assert other.set_chaos(elsewhere, {})["persistCorruptedData"] is True


def test_worlds_stepped_side_by_side_are_the_worlds_stepped_one_by_one(backend: SimulatedBackend) -> None:
    worlds = [create(backend, seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda item: work(backend, item[1], 150, dice=item[0]), enumerate(worlds)))
    alone = SimulatedBackend()
    for seed, world in enumerate(worlds):
        again = create(alone, seed)
        work(alone, again, 150, dice=seed)
        assert alone.digest_world(again) == backend.digest_world(world)


def test_one_world_called_from_many_threads_takes_every_step_once(backend: SimulatedBackend) -> None:
    world = create(backend)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: [backend.advance(world) for _ in range(100)], range(8)))
    assert minutes(backend, world) == 800 * 30
    alone = create(backend)
    for _ in range(800):
        backend.advance(alone)
    assert backend.digest_world(world) == backend.digest_world(alone)


def test_closing_drops_every_world(backend: SimulatedBackend) -> None:
    world = create(backend)
    backend.close()
    with pytest.raises(BackendError):
        backend.get_tasks(world)
