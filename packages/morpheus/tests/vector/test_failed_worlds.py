"""A world that fails is kept apart from those that go on."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence

from skyfall_crl.env.morpheus import PersistentVectorEnv
from skyfall_crl.ports.errors import EnvironmentFailure

SEEDS = [11, 12, 13]
UNUSABLE = {
    "returns too little": lambda _: (np.zeros(2), 0.0, False, False),
    "observes another shape": lambda _: (np.zeros(3), 5.0, True, False, {}),
    "earns no number": lambda _: (np.zeros(2), "much", False, False, {}),
    "has no mapping for an info": lambda _: (np.zeros(2), 0.0, False, False, 7),
}


@pytest.mark.parametrize("way", ["raises", *UNUSABLE])
@pytest.mark.parametrize("max_workers", [None, 0])
def test_a_failed_world_is_reported_and_kept_out_while_the_others_go_on(
    counter: Any, fail: Callable[..., None], way: str, max_workers: int | None
) -> None:
    sick = False
    misbehave = UNUSABLE.get(way, fail)
    patient = partial(counter, lambda action: misbehave(action) if sick else None)
    env = PersistentVectorEnv([counter, patient, counter], max_workers)
    env.reset(seed=SEEDS)
    env.step(np.ones(3, int))[0][:] = 99
    sick = True
    for number in range(2, 5):
        observations, rewards, terminations, truncations, infos = env.step(np.ones(3, int))
        assert observations.tolist() == [[11, number], [12, 1], [13, number]]
        assert rewards.tolist() == [1, 0, 1]
        assert terminations.tolist() == [False] * 3
        assert truncations.tolist() == [number == 3, True, number == 3]
        assert infos["failed"].tolist() == infos["_failed"].tolist() == [False, True, False]
        assert infos["error"][1]
        assert infos["error"].tolist()[::2] == [None, None]
        assert infos["steps"].tolist() == [number, 0, number]
        assert infos["_steps"].tolist() == [True, False, True]
        assert list(env.failures) == [1]
        assert env.envs[1].steps <= 2
    env.close()
    assert [each.closed for each in env.envs] == [1, 1, 1]


def test_the_error_is_one_line_that_names_its_type_and_the_exception_can_be_had(
    counter: Any, fail: Callable[..., None]
) -> None:
    env = PersistentVectorEnv([partial(counter, fail)])
    env.reset()
    *_, infos = env.step([0])
    assert infos["error"].tolist() == ["OSError: the network is down"]
    assert isinstance(env.failures[0], OSError)
    assert env.failures[0].__traceback__ is not None
    env.close()


def test_a_masked_reset_starts_the_named_worlds_and_brings_back_a_failed_one(
    counter: Any, fail: Callable[..., None]
) -> None:
    bad = True
    env = PersistentVectorEnv([counter, lambda: counter(lambda _: fail(0) if bad else None), counter])
    env.reset(seed=SEEDS)
    env.step(np.zeros(3, int))
    bad = False
    options = {"reset_mask": np.array([False, True, False]), "reprovision": True}
    before = deepcopy(options)
    observations, infos = env.reset(seed=[1, 2, 3], options=options)
    assert data_equivalence(options, before)
    assert observations.tolist() == [[11, 1], [2, 0], [13, 1]]
    assert infos["_seed"].tolist() == [False, True, False]
    assert "failed" not in infos
    assert [each.resets[1:] for each in env.envs] == [[], [(2, {"reprovision": True})], []]
    observations, *_, infos = env.step(np.zeros(3, int))
    assert observations.tolist() == [[11, 2], [2, 1], [13, 2]]
    assert "failed" not in infos
    env.close()


def test_a_world_that_cannot_start_is_reported_with_an_empty_observation(
    counter: Any, fail: Callable[..., None]
) -> None:
    class Stillborn(counter):
        def reset(self, **_: Any) -> Any:
            fail(None)

    env = PersistentVectorEnv([counter, Stillborn])
    observations, infos = env.reset(seed=4)
    assert observations.tolist() == [[4, 0], [0, 0]]
    assert infos["failed"].tolist() == [False, True]
    observations, _, _, truncations, infos = env.step(np.zeros(2, int))
    assert observations.tolist() == [[4, 1], [0, 0]]
    assert truncations.tolist() == infos["failed"].tolist() == [False, True]
    assert env.envs[1].steps == 0
    env.close()


def test_a_reset_that_leaves_no_world_raises_and_so_does_stepping_then(
    counter: Any, fail: Callable[..., None]
) -> None:
    class Stillborn(counter):
        def reset(self, **_: Any) -> Any:
            fail(None)

    env = PersistentVectorEnv([Stillborn] * 2)
    with pytest.raises(EnvironmentFailure, match="world 0: OSError: the network is down") as raised:
        env.reset()
    assert isinstance(raised.value.__cause__, OSError)
    with pytest.raises(EnvironmentFailure, match="call reset first"):
        env.step(np.zeros(2, int))
    env.close()


def test_a_failing_world_with_an_observation_space_of_its_own_making_is_kept_apart_too(
    counter: Any, fail: Callable[..., None]
) -> None:
    class Words(spaces.Space[Any]):
        def contains(self, x: Any) -> bool:
            return isinstance(x, str)

    class Told(counter):
        observation_space = Words()

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            if seed == 1:
                fail(None)
            return "hello", {}

        def step(self, action: Any) -> Any:
            return "again", 0.0, False, False, {}

    env = PersistentVectorEnv([Told, Told])
    observations, _ = env.reset(seed=0)
    assert observations == ("hello", None)
    assert env.step([0, 0])[0] == ("again", None)
    env.close()


def test_an_observation_that_fits_in_part_leaves_nothing_of_itself_behind(counter: Any) -> None:
    space = spaces.Dict({"first": spaces.Box(0, 9, (2,)), "second": spaces.Box(0, 9, (2,))})

    class Parts(counter):
        observation_space = space

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return {"first": np.ones(2), "second": np.ones(2)}, {}

        def step(self, action: Any) -> Any:
            return {"first": np.full(2, 5), "second": np.full(2 + action, 5)}, 0.0, False, False, {}

    env = PersistentVectorEnv([Parts, Parts])
    env.reset()
    observations, *_, infos = env.step([0, 1])
    assert infos["failed"].tolist() == [False, True]
    assert observations["first"].tolist() == observations["second"].tolist() == [[5, 5], [1, 1]]
    env.close()
