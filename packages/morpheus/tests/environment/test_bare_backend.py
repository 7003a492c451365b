"""A backend that keeps the protocol and offers nothing beyond it."""

from typing import Any

import numpy as np
import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.ports.environment import capabilities


@pytest.fixture
def env(bare_backend: Any) -> MorpheusEnv:
    """A discrete view over the bare backend, some way into the world."""
    env = MorpheusEnv(bare_backend, task_view=SchedulingUnderDrift(), reward_spec=PAPER)
    env.reset(seed=3)
    for _ in range(60):
        bare_backend.inner.advance(env.world_id)
    env.step(0)
    return env


def test_the_double_keeps_the_protocol(bare_backend: Any) -> None:
    assert isinstance(bare_backend, MorpheusBackend)


def test_it_is_found_to_offer_what_it_offers(env: MorpheusEnv) -> None:
    found = capabilities(env)
    assert found.tier == 3
    assert not found.snapshots
    assert not found.in_process
    assert env.describe()["signals_from"] == "wire"


def test_signals_are_worked_out_from_what_the_wire_shows(env: MorpheusEnv) -> None:
    _, reward, _, _, info = env.step(0)
    assert reward == pytest.approx(0.3 * info["reward_terms"]["financial"])
    assert info["reward_terms"].keys() == {"remediation", "financial", "throughput"}
    assert "reward_missing" not in info
    assert info["world_time"] is None


def test_signals_whose_sources_are_not_there_count_zero_and_are_named(
    env: MorpheusEnv, bare_backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(world_id: str, path: str, *, params: Any = None) -> Any:
        raise BackendError(f"GET {path}: expected 200, found 404", status=404)

    monkeypatch.setattr(bare_backend, "fetch", nothing)
    _, reward, _, _, info = env.step(0)
    assert reward == 0.0
    assert info["reward_terms"] == {"remediation": 0.0, "financial": 0.0, "throughput": 0.0}
    assert info["reward_missing"] == ("financial", "throughput")


def test_the_discrete_view_works_off_tickets(env: MorpheusEnv, bare_backend: Any) -> None:
    features = env.step(0)[0]
    board = bare_backend.inner.ticket_board(env.world_id)
    for queue, tickets in enumerate(board.queues):
        block = features[11 * queue : 11 * (queue + 1)]
        assert block[0] == bool(tickets)
        assert block[1] == pytest.approx(len(tickets) / 20)
        assert block[4] == pytest.approx(board.blocked_cents[queue] / 2000)


def test_the_verifier_says_whether_a_remedy_worked(env: MorpheusEnv, bare_backend: Any) -> None:
    board = bare_backend.inner.ticket_board(env.world_id)
    queue = next(place for place, tickets in enumerate(board.queues) if len(tickets) > 1)
    fault = board.queues[queue][0]
    wrong = 1 + 3 * queue + (fault.cause + 1) % 3
    features, _, _, _, info = env.step(wrong)
    assert info["outcome"].verified == ()
    assert features[78:80].tolist() == [0, 1]
    features, _, _, _, info = env.step(1 + 3 * queue + fault.cause)
    assert info["outcome"].verified == (fault.ticket_id,)
    assert features[78:80].tolist() == [1, 0]


def test_a_step_without_a_call_sends_nothing(env: MorpheusEnv, bare_backend: Any) -> None:
    sent = len(bare_backend.calls)
    env.step(0)
    assert len(bare_backend.calls) == sent


def test_a_look_sends_its_two_reads(env: MorpheusEnv, bare_backend: Any) -> None:
    board = bare_backend.inner.ticket_board(env.world_id)
    queue = next(place for place, tickets in enumerate(board.queues) if tickets)
    fault = board.queues[queue][0]
    for _ in range(2):
        features, *_ = env.step(22 + queue)
    assert [method for method, *_ in bare_backend.calls] == ["GET", "GET"]
    assert np.flatnonzero(features[11 * queue + 5 : 11 * queue + 8]).tolist() == [fault.cause]


def test_a_deployment_that_blinks_reads_as_no_tickets(bare_backend: Any) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise BackendError("no connection")

    env = MorpheusEnv(bare_backend, reward_spec=PAPER)
    env.reset(seed=1)
    bare_backend.get_tasks = broken
    bare_backend.verify = broken
    action = {"method": "PUT", "path": "/{worldId}/tickets/t1", "body": "{}"}
    observation, _, _, _, info = env.step(action)
    assert observation["ticket_payload"] == "[]"
    assert info["outcome"].tickets == ("t1",)
    assert info["outcome"].verified == ()


def test_a_world_that_can_not_be_moved_on_is_an_outcome(bare_backend: Any) -> None:
    class Stuck(type(bare_backend)):  # type: ignore[misc]
        def advance(self, world_id: str) -> None:
            raise BackendError("no connection")

    env = MorpheusEnv(Stuck(), task_view=SchedulingUnderDrift())
    env.reset(seed=1)
    outcome = env.step(0)[4]["outcome"]
    assert (outcome.accepted, outcome.reason) == (False, "unreachable")


def test_closing_closes_the_backend_once(bare_backend: Any) -> None:
    env = MorpheusEnv(bare_backend)
    env.reset(seed=1)
    env.close()
    assert bare_backend.closed == 1
