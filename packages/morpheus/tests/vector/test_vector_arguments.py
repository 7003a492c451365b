"""What a vector of worlds is asked to do, and what it refuses."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.env.morpheus import PersistentVectorEnv
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure


@pytest.mark.parametrize(
    ("seed", "seeds"),
    [
        (None, [None] * 3),
        (5, [5, 6, 7]),
        (np.int64(5), [5, 6, 7]),
        ([3, np.int32(1), 2], [3, 1, 2]),
        (np.array([9, 8, 7]), [9, 8, 7]),
    ],
)
def test_seeds_are_counted_up_or_given_one_by_one(counter: Any, seed: Any, seeds: list[int | None]) -> None:
    env = PersistentVectorEnv([counter] * 3)
    env.reset(seed=seed)
    given_seeds = [each.resets[0][0] for each in env.envs]
    assert given_seeds == seeds
    assert all(type(each) in (int, type(None)) for each in given_seeds)
    env.close()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"seed": [1, 2]}, "seed: expected 3 seeds"),
        ({"seed": "abc"}, "seed: expected a whole number"),
        ({"seed": 1.5}, "seed: expected a whole number"),
        ({"options": {"reset_mask": np.array([True, False, True])}}, "every world in the first reset"),
        ({"options": {"reset_mask": np.array([False] * 3)}}, r"booleans of shape \(3,\)"),
        ({"options": {"reset_mask": np.array([1, 1, 1])}}, r"booleans of shape \(3,\)"),
        ({"options": {"reset_mask": np.array([True])}}, r"booleans of shape \(3,\)"),
    ],
)
def test_a_reset_that_cannot_be_meant_is_refused_before_any_world_is_touched(
    counter: Any, arguments: dict[str, Any], problem: str
) -> None:
    env = PersistentVectorEnv([counter] * 3)
    with pytest.raises(ConfigError, match=problem):
        env.reset(**arguments)
    assert [each.resets for each in env.envs] == [[], [], []]
    env.close()


@pytest.mark.parametrize("actions", [3, None, [1, 2], np.zeros(4, int), "ab"])
def test_a_batch_of_another_size_is_refused_before_any_world_moves(counter: Any, actions: Any) -> None:
    env = PersistentVectorEnv([counter] * 3)
    env.reset()
    with pytest.raises(ConfigError, match="actions: expected a batch"):
        env.step(actions)
    assert [each.steps for each in env.envs] == [0, 0, 0]
    env.close()


def test_worlds_get_options_of_their_own(counter: Any) -> None:
    env = PersistentVectorEnv([counter] * 2)
    env.reset(options={"depth": 1})
    given_options = [each.resets[0][1] for each in env.envs]
    assert given_options == [{"depth": 1}] * 2
    assert given_options[0] is not given_options[1]
    env.close()


def test_close_closes_every_world_once_ends_every_thread_and_is_final(
    counter: Any, world_threads: Callable[[], int]
) -> None:
    env = PersistentVectorEnv([counter] * 4)
    env.reset()
    assert world_threads() == 4
    env.close()
    assert world_threads() == 0
    env.close()
    assert [each.closed for each in env.envs] == [1] * 4
    for call in (env.reset, partial(env.step, np.zeros(4, int))):
        with pytest.raises(EnvironmentFailure, match="closed"):
            call()


def test_worlds_that_will_not_close_are_named_once_all_are_closed(
    counter: Any, fail: Callable[..., None]
) -> None:
    class Stubborn(counter):
        def close(self) -> None:
            super().close()
            fail(None)

    env = PersistentVectorEnv([counter, Stubborn, counter])
    with pytest.raises(EnvironmentFailure, match="found world 1: OSError: the network is down"):
        env.close()
    assert [each.closed for each in env.envs] == [1] * 3
    env.close()
    assert [each.closed for each in env.envs] == [1] * 3


def shared_world(counter: Any) -> list[Any]:
    one = counter()
    return [counter, lambda: one, lambda: gymnasium.Wrapper(one)]


def wider_part(counter: Any) -> list[Any]:
    def seeing(size: int) -> Any:
        env = counter()
        env.observation_space = spaces.Dict({"a": spaces.Discrete(2), "b": spaces.Discrete(size)})
        return env

    return [partial(seeing, size) for size in (3, 3, 4)]


@pytest.mark.parametrize(
    ("factories", "max_workers", "problem"),
    [
        (lambda _: [], None, "env_fns: expected at least one factory"),
        (lambda counter: [counter, counter()], None, r"env_fns\[1\]: expected a factory"),
        (shared_world, None, r"env_fns\[2\]: expected an environment of its own, found that of env_fns\[1\]"),
        (
            wider_part,
            None,
            r"env_fns\[2\]\.observation_space\['b'\]: expected Discrete\(3\) as in env_fns\[0\], found Discrete\(4\)",
        ),
        (lambda counter: [counter] * 2, -1, "max_workers: expected a whole number of at least 0"),
        (lambda counter: [counter] * 2, True, "max_workers: expected a whole number of at least 0"),
    ],
)
def test_worlds_that_cannot_make_a_vector_are_refused_by_name(
    counter: Any, factories: Callable[[Any], list[Any]], max_workers: Any, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        PersistentVectorEnv(factories(counter), max_workers)


def test_worlds_built_before_one_is_refused_are_closed(counter: Any) -> None:
    class Other(counter):
        action_space = spaces.Discrete(3)

    built: list[Any] = []

    def keep(kind: Any) -> Any:
        built.append(kind())
        return built[-1]

    with pytest.raises(ConfigError, match=r"env_fns\[1\]\.action_space: expected Discrete\(9\)"):
        PersistentVectorEnv([partial(keep, counter), partial(keep, Other)])
    assert [each.closed for each in built] == [1, 1]
