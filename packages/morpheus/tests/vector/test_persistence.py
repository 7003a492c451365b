"""Worlds that go on past truncation, as they would alone."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector.utils import iterate

from skyfall_crl.env.morpheus import PersistentVectorEnv
from skyfall_crl.env.morpheus.factory import world

SEEDS = [11, 12, 13]


def test_a_truncated_world_goes_on_and_is_not_reset(counter: Any) -> None:
    env = PersistentVectorEnv([counter] * 2)
    env.reset(seed=7)
    seen = [env.step(np.ones(2, int)) for _ in range(7)]
    assert [step[3].tolist() for step in seen] == [[number % 3 == 0] * 2 for number in range(1, 8)]
    assert [step[0][1].tolist() for step in seen] == [[8, number] for number in range(1, 8)]
    assert [len(each.resets) for each in env.envs] == [1, 1]
    env.close()


def test_a_terminated_world_is_stepped_on_too(counter: Any) -> None:
    ended = partial(counter, lambda _: (np.zeros(2), 1, True, False, {}))
    env = PersistentVectorEnv([ended, counter])
    env.reset()
    for number in range(1, 4):
        _, rewards, terminations, _, _ = env.step(np.zeros(2, int))
        assert terminations.tolist() == [True, False]
        assert rewards[0] == 1
        assert env.envs[0].steps == number
    env.close()


def test_cart_poles_run_on_past_their_time_limit_as_they_would_alone() -> None:
    make = partial(gymnasium.make, "CartPole-v1", max_episode_steps=5)
    env = PersistentVectorEnv([make] * 3)
    alone = [make() for _ in range(3)]
    observations, _ = env.reset(seed=3)
    starts = [each.reset(seed=3 + number)[0] for number, each in enumerate(alone)]
    np.testing.assert_array_equal(observations, starts)
    for number in range(1, 16):
        actions = (np.arange(3) + number) % 2
        observations, rewards, terminations, truncations, _ = env.step(actions)
        expected = [each.step(action) for each, action in zip(alone, actions, strict=True)]
        np.testing.assert_array_equal(observations, [step[0] for step in expected])
        assert observations in env.observation_space
        assert rewards.tolist() == [1.0] * 3
        assert not terminations.any()
        assert truncations.tolist() == [number >= 5] * 3
    env.close()
    for each in alone:
        each.close()


def test_worlds_of_the_adapter_are_stepped_inline_and_move_as_they_do_alone(
    world_threads: Callable[[], int],
) -> None:
    make = partial(world, max_steps=4)
    env = PersistentVectorEnv([make] * 3)
    alone = [make() for _ in range(3)]
    assert world_threads() == 0
    env.reset(seed=SEEDS)
    for each, seed in zip(alone, SEEDS, strict=True):
        each.reset(seed=seed)
    rng = np.random.default_rng(0)
    for number in range(1, 10):
        actions = rng.integers(0, env.single_action_space.n, 3)
        observations, rewards, _, truncations, infos = env.step(actions)
        expected = [each.step(action) for each, action in zip(alone, actions, strict=True)]
        assert data_equivalence(list(iterate(env.observation_space, observations)), [e[0] for e in expected])
        assert rewards.tolist() == [step[1] for step in expected]
        assert truncations.tolist() == [number % 4 == 0] * 3
        assert infos["outcome"].tolist() == [step[4]["outcome"] for step in expected]
        for term in expected[0][4]["reward_terms"]:
            assert infos["reward_terms"][term].tolist() == [
                step[4]["reward_terms"][term] for step in expected
            ]
    env.close()
    for each in alone:
        each.close()


def test_requests_as_text_reach_their_worlds_and_tickets_as_text_come_back() -> None:
    env = PersistentVectorEnv([partial(world, task_view="tool-call")] * 2)
    env.reset(seed=5)
    actions = {
        "method": ("GET", "GET"),
        "path": ("/{worldId}/tickets", "/{worldId}/od/descriptors"),
        "body": ("", ""),
    }
    observations, *_, infos = env.step(actions)
    assert observations in env.observation_space
    assert [outcome.reason for outcome in infos["outcome"]] == [None, "closed_domain"]
    env.close()
