"""The reset and step loop: a world that goes on, counters that don't, and actions that are never exceptions."""

import json
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from skyfall_crl.env.morpheus import registration
from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.ports.environment import capabilities
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure

MakeWorld = Callable[..., MorpheusEnv]
VIEWS = ("scheduling-under-drift", "resource-allocation", "tool-call")


@pytest.mark.parametrize("view", VIEWS)
def test_gymnasium_has_no_complaint(view: str) -> None:
    env = gymnasium.make(f"skyfall_crl.env.morpheus.registration:{registration.WORLD_ID}", task_view=view)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


def test_it_is_a_persistent_world_in_this_process_that_can_be_shifted_and_stored(
    make_world: MakeWorld,
) -> None:
    found = capabilities(make_world())
    assert found.tier == 3
    assert found.describes
    assert found.shifts
    assert found.persistent
    assert found.snapshots
    assert found.in_process
    assert found.references
    assert not found.announces
    assert found.regime_owner == "session"
    assert found.regime_axes is not None
    assert {"cause_mix", "payment_terms", "demand", "fault_probability", "reward_weights"} <= set(
        found.regime_axes
    )


def trajectory(env: MorpheusEnv, seed: int, actions: list[Any]) -> list[Any]:
    observation, _ = env.reset(seed=seed, options={"reprovision": True})
    found = [observation]
    for action in actions:
        observation, reward, *_ = env.step(action)
        found += [observation, reward]
    return found


def same(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return bool(np.array_equal(left, right))


@pytest.mark.parametrize("view", VIEWS)
def test_equal_seeds_and_actions_give_equal_observations_and_rewards(
    view: str, make_world: MakeWorld
) -> None:
    env, other = make_world(task_view=view), make_world(task_view=view)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(150)]
    other.reset(seed=99)
    first = trajectory(env, 7, actions)
    assert all(same(a, b) for a, b in zip(first, trajectory(env, 7, actions), strict=True))
    assert all(same(a, b) for a, b in zip(first, trajectory(other, 7, actions), strict=True))
    assert not all(same(a, b) for a, b in zip(first, trajectory(env, 8, actions), strict=True))


def test_a_reset_leaves_the_world_as_it_is(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    for _ in range(60):
        env.step(0)
    world_id, digest = env.world_id, env.digest()
    observation, info = env.reset(seed=2)
    assert (env.world_id, env.digest()) == (world_id, digest)
    assert info["world_time"] == 60 * 30
    assert observation[:77].any()
    assert "outcome" not in info
    assert "reward_terms" not in info


def test_reprovisioning_starts_a_new_world(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    fresh = env.digest()
    for _ in range(60):
        env.step(0)
    _, info = env.reset(options={"reprovision": True})
    assert info["world_time"] == 0
    assert env.digest() == fresh
    env.reset(seed=2, options={"reprovision": True})
    assert env.digest() != fresh
    assert env.describe()["seed"] == 2


def test_every_so_many_steps_it_truncates_and_goes_on(make_world: MakeWorld) -> None:
    env = make_world(max_steps=5)
    env.reset(seed=1)
    flags = [env.step(0)[2:4] for _ in range(12)]
    assert [truncated for _, truncated in flags] == [False, False, False, False, True] * 2 + [False, False]
    assert not any(terminated for terminated, _ in flags)
    env.reset()
    assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]


def test_stepping_before_a_reset_says_what_to_do(make_world: MakeWorld) -> None:
    with pytest.raises(EnvironmentFailure, match="call reset first"):
        make_world().step(0)


def test_what_is_returned_is_nobody_elses(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    observation, _, _, _, info = env.step(0)
    observation[:] = 7
    info["action_mask"][:] = False
    again, _, _, _, info = env.step(0)
    assert again.max() <= 1
    assert info["action_mask"].all()


def test_a_description_is_plain_data_that_names_what_was_configured(make_world: MakeWorld) -> None:
    env = make_world(max_steps=7, action_scope={"methods": ["GET"]})
    env.reset(seed=11)
    described = env.describe()
    assert json.loads(json.dumps(described)) == described
    assert described["layout"] == "process-outbound"
    assert described["seed"] == 11
    assert described["max_steps"] == 7
    assert described["reward_spec"] == "paper"
    assert described["scope"]["methods"] == ["GET"]
    assert described["signals_from"] == "backend"
    assert described["world_id"] == env.world_id


def test_the_default_view_is_the_whole_tool_surface() -> None:
    env = MorpheusEnv(SimulatedBackend())
    assert isinstance(env.action_space, gymnasium.spaces.Dict)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    env.close()


@pytest.mark.parametrize("steps", [0, -1, True, 1.5, "9"])
def test_max_steps_must_be_a_whole_number(steps: Any) -> None:
    with pytest.raises(ConfigError, match="max_steps"):
        MorpheusEnv(SimulatedBackend(), max_steps=steps)


def test_a_scope_object_is_taken_as_it_is() -> None:
    env = MorpheusEnv(
        SimulatedBackend(), task_view=SchedulingUnderDrift(), action_scope=ActionScope(("erp",))
    )
    assert env.describe()["scope"]["domains"] == ["erp"]
