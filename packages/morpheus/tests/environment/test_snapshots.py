"""Storing a world and putting it back, and worlds that branch off and come home."""

import json
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.regime import Regime, ScheduledRegime
from skyfall_crl.ports.environment import capabilities
from skyfall_crl.ports.errors import CheckpointError, EnvironmentFailure
from skyfall_crl.ports.snapshot import Snapshot, Snapshottable

MakeWorld = Callable[..., MorpheusEnv]
METHODS = ("snapshot", "restore", "fork", "commit", "digest")


def through_json(snapshot: Snapshot) -> Snapshot:
    state = json.loads(json.dumps(snapshot.state, allow_nan=False))
    assert state == snapshot.state
    return Snapshot(snapshot.kind, snapshot.version, state)


def walk(env: MorpheusEnv, generator: random.Random, steps: int) -> list[Any]:
    found = []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(generator.randrange(env.action_space.n))  # type: ignore[attr-defined]
        found.append(
            (observation.tolist(), reward, terminated, truncated, info["outcome"], info["world_time"])
        )
    return found


def same_info(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return left.keys() == right.keys() and all(np.array_equal(left[key], right[key]) for key in left)


@pytest.mark.parametrize("steps", [0, 1, 37, 150])
def test_a_restored_world_in_a_new_environment_goes_on_as_the_first_would(
    steps: int, make_world: MakeWorld
) -> None:
    env = make_world(max_steps=40)
    env.reset(seed=6)
    env.apply_regime(Regime("B2", alias_of="B", axes={"cause_mix": "B", "payment_terms": "B"}), None)
    walk(env, random.Random(1), steps)
    env.step(22)
    observation, _, _, _, info = env.step(29)
    stored = through_json(env.snapshot())
    expected = walk(env, random.Random(2), 120)

    other = make_world(max_steps=40)
    restored, restored_info = other.restore(stored)
    np.testing.assert_array_equal(restored, observation)
    assert same_info(restored_info, info)
    assert other.regime_id == "B2"
    assert other.world_id == env.world_id
    assert walk(other, random.Random(2), 120) == expected
    assert other.digest() == env.digest()


def test_a_look_that_was_begun_travels_in_the_snapshot(make_world: MakeWorld) -> None:
    env, other = make_world(), make_world()
    env.reset(seed=3)
    for _ in range(60):
        env.step(0)
    queue = next(q for q, tickets in enumerate(env.open_world()["board"].queues) if tickets)
    env.step(22 + queue)
    observation, info = other.restore(through_json(env.snapshot()))
    assert observation[80] == 1
    assert np.flatnonzero(info["action_mask"]).tolist() == [0]
    np.testing.assert_array_equal(other.step(5)[0], env.step(9)[0])


def test_restoring_rewinds_the_same_environment(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=3)
    walk(env, random.Random(1), 50)
    stored, digest = env.snapshot(), env.digest()
    first = walk(env, random.Random(2), 50)
    env.restore(stored)
    assert env.digest() == digest
    assert walk(env, random.Random(2), 50) == first


def test_a_snapshot_right_after_a_reset_restores_to_an_info_without_an_outcome(make_world: MakeWorld) -> None:
    env, other = make_world(), make_world()
    observation, info = env.reset(seed=3)
    restored, restored_info = other.restore(env.snapshot())
    np.testing.assert_array_equal(observation, restored)
    assert same_info(info, restored_info)


def test_an_environment_with_a_regime_of_its_own_goes_on_in_it(make_world: MakeWorld) -> None:
    schedule = {
        "shift_mode": "cyclic",
        "regimes": [
            {"regime_id": "A", "duration_steps": 30, "axes": {"cause_mix": "A"}},
            {
                "regime_id": "B",
                "duration_steps": 30,
                "axes": {"cause_mix": "B", "reward_weights": {"financial": 2.0}},
            },
        ],
    }
    env, other = make_world(regime=ScheduledRegime(schedule)), make_world(regime=ScheduledRegime(schedule))
    env.reset(seed=3)
    walk(env, random.Random(1), 45)
    info = env.step(0)[4]
    _, restored_info = other.restore(through_json(env.snapshot()))
    assert restored_info["regime_id"] == info["regime_id"] == "B"
    assert walk(other, random.Random(2), 60) == walk(env, random.Random(2), 60)


def test_a_text_world_can_be_stored_too(make_world: MakeWorld) -> None:
    env, other = make_world(task_view="tool-call"), make_world(task_view="tool-call")
    env.reset(seed=3)
    for _ in range(30):
        observation, *_ = env.step(env.task_view.no_action)
    restored, _ = other.restore(through_json(env.snapshot()))
    assert restored["ticket_payload"] == observation["ticket_payload"]


def test_a_fork_is_independent_and_in_the_same_state(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=3)
    walk(env, random.Random(1), 80)
    env.step(22)
    before = env.digest()
    fork = env.fork()
    assert fork.world_id != env.world_id
    assert fork.owns_world
    assert fork.digest() == before
    assert fork.task_view.memory() == env.task_view.memory()
    theirs = walk(fork, random.Random(2), 80)
    assert env.digest() == before
    assert walk(env, random.Random(2), 80) == theirs
    assert fork.digest() == env.digest()
    fork.close()


def test_closing_a_fork_deletes_its_world_and_nothing_else(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=3)
    fork = env.fork()
    fork_id = str(fork.world_id)
    fork.close()
    assert "error" in env.backend.act(fork_id, method="GET", path=f"/{fork_id}/tickets")
    env.step(0)


def test_a_fork_that_is_reset_stays_where_it_is(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=3)
    walk(env, random.Random(1), 20)
    fork = env.fork()
    fork.reset(seed=9)
    assert fork.digest() == env.digest()
    fork.close()


def test_committing_a_fork_makes_its_state_the_worlds(make_world: MakeWorld) -> None:
    env = make_world(max_steps=30)
    env.reset(seed=3)
    walk(env, random.Random(1), 20)
    world_id = env.world_id
    fork = env.fork()
    walk(fork, random.Random(2), 25)
    fork.step(22)
    env.commit(fork)
    assert env.world_id == world_id
    assert env.digest() == fork.digest()
    assert env.task_view.memory() == fork.task_view.memory()
    assert walk(env, random.Random(4), 40) == walk(fork, random.Random(4), 40)
    fork.close()


def test_only_a_fork_over_the_same_backend_can_be_committed(make_world: MakeWorld) -> None:
    env, other = make_world(), make_world()
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(EnvironmentFailure, match="commit"):
        env.commit(other)


@pytest.mark.parametrize(
    "change", [{"kind": "other/world"}, {"version": 99}, {"layout": "process-inbound"}, {"world_version": 99}]
)
def test_a_snapshot_that_does_not_fit_is_refused_and_changes_nothing(
    change: dict[str, Any], make_world: MakeWorld
) -> None:
    env = make_world()
    env.reset(seed=1)
    taken = env.snapshot()
    state = json.loads(json.dumps(taken.state))
    state["environment"]["layout"] = change.get("layout", state["environment"]["layout"])
    state["world"]["world"]["version"] = change.get("world_version", state["world"]["world"]["version"])
    odd = Snapshot(change.get("kind", taken.kind), change.get("version", taken.version), state)
    env.step(0)
    digest = env.digest()
    with pytest.raises(CheckpointError, match="restore"):
        env.restore(odd)
    assert env.digest() == digest


def test_the_methods_exist_through_wrappers_exactly_when_the_backend_can(
    bare_backend: Any, make_world: MakeWorld
) -> None:
    able = gymnasium.wrappers.TimeLimit(make_world(), 10)
    unable = gymnasium.wrappers.TimeLimit(MorpheusEnv(bare_backend), 10)
    for name in METHODS:
        assert able.has_wrapper_attr(name)
        assert not unable.has_wrapper_attr(name)
        with pytest.raises(AttributeError):
            getattr(unable.unwrapped, name)
    assert capabilities(able).snapshots
    assert not capabilities(unable).snapshots
    assert isinstance(able.unwrapped, Snapshottable)
    assert not isinstance(unable.unwrapped, Snapshottable)
