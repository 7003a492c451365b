"""What comes back from several worlds, and in which order."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, VectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus import PersistentVectorEnv

SEEDS = [11, 12, 13]


class Echo(gymnasium.Env[Any, Any]):
    """Observes its last action."""

    def __init__(self, space: spaces.Space[Any], in_process: bool) -> None:
        self.metadata = {"in_process": in_process}
        self.observation_space = self.action_space = space

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.action_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def test_it_is_a_vector_env_that_says_it_never_resets_by_itself(counter: Any) -> None:
    env = PersistentVectorEnv([counter] * 3)
    assert isinstance(env, VectorEnv)
    assert PersistentVectorEnv.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert env.metadata == {
        "render_modes": [],
        "in_process": False,
        "autoreset_mode": AutoresetMode.DISABLED,
    }
    assert env.num_envs == 3
    assert env.single_observation_space == counter.observation_space
    assert env.single_action_space == counter.action_space
    assert env.observation_space == spaces.Box(-np.inf, np.inf, (3, 2), np.float32)
    assert env.action_space == spaces.MultiDiscrete([9, 9, 9])
    env.close()


@pytest.mark.parametrize("max_workers", [None, 0, 1, 2, 9])
def test_results_are_in_world_order_and_typed(counter: Any, max_workers: int | None) -> None:
    env = PersistentVectorEnv([counter] * 3, max_workers)
    observations, infos = env.reset(seed=SEEDS)
    assert observations.tolist() == [[11, 0], [12, 0], [13, 0]]
    assert infos["seed"].tolist() == SEEDS
    observations, rewards, terminations, truncations, infos = env.step(np.array([4, 5, 6]))
    assert observations.tolist() == [[11, 1], [12, 1], [13, 1]]
    assert rewards.tolist() == [4.0, 5.0, 6.0]
    assert rewards.dtype == np.float64
    assert terminations.tolist() == truncations.tolist() == [False] * 3
    assert terminations.dtype == truncations.dtype == np.bool_
    assert infos["steps"].tolist() == [1, 1, 1]
    assert infos["_steps"].tolist() == [True] * 3
    assert set(infos) == {"steps", "_steps"}
    env.close()


def test_order_is_kept_when_the_last_world_finishes_first(counter: Any) -> None:
    finished = [threading.Event() for _ in range(5)]
    finished[4].set()

    def after(number: int, _action: Any) -> None:
        assert finished[number + 1].wait(10)

    class Last(counter):
        def __init__(self, number: int) -> None:
            super().__init__(partial(after, number))
            self.number = number

        def step(self, action: Any) -> Any:
            result = super().step(action)
            finished[self.number].set()
            return result

    env = PersistentVectorEnv([partial(Last, number) for number in range(4)])
    env.reset()
    _, rewards, *_, infos = env.step(np.arange(4))
    assert rewards.tolist() == [0, 1, 2, 3]
    assert "failed" not in infos
    env.close()


@pytest.mark.parametrize(("max_workers", "at_once"), [(None, 6), (2, 2)])
def test_worlds_are_stepped_at_the_same_time_by_as_many_threads_as_asked_for(
    counter: Any, world_threads: Callable[[], int], max_workers: int | None, at_once: int
) -> None:
    barrier = threading.Barrier(at_once, timeout=10)
    names: list[str] = []

    def meet(_action: Any) -> None:
        barrier.wait()
        names.append(threading.current_thread().name)

    env = PersistentVectorEnv([partial(counter, meet)] * 6, max_workers)
    env.reset()
    *_, infos = env.step(np.zeros(6, int))
    assert "failed" not in infos
    assert len(set(names)) == world_threads() == at_once
    env.close()


@pytest.mark.parametrize(("in_process", "max_workers"), [(True, None), (False, 0)])
def test_in_process_worlds_and_no_workers_mean_the_callers_thread(
    counter: Any, world_threads: Callable[[], int], in_process: bool, max_workers: int | None
) -> None:
    seen: list[threading.Thread] = []
    here = partial(counter, lambda _: seen.append(threading.current_thread()), in_process=in_process)
    env = PersistentVectorEnv([here] * 3, max_workers)
    env.reset()
    env.step(np.zeros(3, int))
    assert seen == [threading.current_thread()] * 3
    assert world_threads() == 0
    env.close()


composite = st.recursive(
    st.one_of(
        st.integers(1, 5).map(spaces.Discrete),
        st.lists(st.integers(1, 4), min_size=1, max_size=3).map(spaces.MultiDiscrete),
        st.integers(1, 4).map(spaces.MultiBinary),
        st.sampled_from([(), (2,), (2, 3)]).map(lambda shape: spaces.Box(-1, 1, shape, np.float32)),
        st.integers(1, 6).map(lambda length: spaces.Text(length, min_length=0)),
    ),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(spaces.Dict),
        st.lists(inner, min_size=1, max_size=3).map(spaces.Tuple),
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=60)
@given(space=composite, num_envs=st.integers(1, 4), in_process=st.booleans(), seed=st.integers(0, 99))
def test_every_world_gets_its_own_action_and_its_observation_comes_back_in_its_place(
    space: spaces.Space[Any], num_envs: int, in_process: bool, seed: int
) -> None:
    space.seed(seed)
    env = PersistentVectorEnv([partial(Echo, space, in_process)] * num_envs)
    observations, _ = env.reset()
    assert observations in env.observation_space
    actions = env.action_space.sample()
    assert data_equivalence(env.step(actions)[0], actions)
    env.close()


def test_observations_share_nothing_with_worlds_or_with_later_steps(counter: Any) -> None:
    env = PersistentVectorEnv([counter] * 2)
    first, _ = env.reset(seed=SEEDS[:2])
    kept = first.copy()
    second = env.step(np.zeros(2, int))[0]
    second[:] = -9
    third = env.step(np.zeros(2, int))[0]
    np.testing.assert_array_equal(first, kept)
    assert third.tolist() == [[11, 2], [12, 2]]
    env.close()


def test_gymnasiums_wrappers_for_vectors_fit_around_it(counter: Any) -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(PersistentVectorEnv([counter] * 2))
    env.reset()
    for _ in range(2):
        env.step(np.ones(2, int))
    *_, infos = env.step(np.array([1, 4]))
    assert infos["episode"]["r"].tolist() == [3, 6]
    env.close()
