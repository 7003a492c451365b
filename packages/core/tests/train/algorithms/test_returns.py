"""Advantages reach as far as a world went on, and no further."""

from collections.abc import Callable

import numpy as np
import pytest

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.returns import advantages, continues, next_values
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies import ActorCritic

DISCOUNT, DECAY = 0.9, 0.8


@pytest.fixture
def policy(make_policy: Callable[..., ActorCritic]) -> ActorCritic:
    policy = make_policy()
    policy.weights[:] = np.random.default_rng(7).normal(size=policy.weights.size)
    return policy


@pytest.fixture
def window(policy: ActorCritic, make_bandit: Callable[..., object]) -> Window:
    window: Window = make_bandit(policy, worlds=2, steps=4).window()  # type: ignore[attr-defined]
    window.rewards[:] = np.random.default_rng(8).normal(size=(4, 2))
    return window


def value(policy: ActorCritic, observation: np.ndarray) -> float:
    return float(policy.evaluate(policy.encoder.encode([observation])).values[0])


def estimate(policy: ActorCritic, window: Window) -> np.ndarray:
    values = np.array([[decision.value for decision in row] for row in window.decisions])
    following = next_values(window, policy, ReturnScale(), values)
    return advantages(
        window.rewards, values, following, continues(window), discount=DISCOUNT, trace_decay=DECAY
    )


def surprise(policy: ActorCritic, window: Window, step: int, following: float) -> float:
    decided = window.decisions[step][0].value
    assert decided is not None
    return float(window.rewards[step, 0]) + DISCOUNT * following - decided


def open_ended(policy: ActorCritic, window: Window, first: int) -> float:
    """Return the advantage of world 0 at `first`, summed by hand to the end of the window."""
    seen = [row[0] for row in window.observations] + [window.last_observations[0]]
    return sum(
        (DISCOUNT * DECAY) ** (step - first) * surprise(policy, window, step, value(policy, seen[step + 1]))
        for step in range(first, 4)
    )


def test_a_world_that_goes_on_is_valued_at_the_end_of_the_window(policy: ActorCritic, window: Window) -> None:
    assert estimate(policy, window)[0, 0] == pytest.approx(open_ended(policy, window, 0))


def test_truncation_without_a_reset_cuts_nothing(policy: ActorCritic, window: Window) -> None:
    before = estimate(policy, window)
    window.truncated[1, 0] = window.truncated[3, 0] = True
    np.testing.assert_array_equal(estimate(policy, window), before)


def test_a_reset_after_truncation_is_valued_by_the_final_observation(
    policy: ActorCritic, window: Window
) -> None:
    final = np.array([0.3, -0.7], dtype=np.float32)
    other = estimate(policy, window)[:, 1]
    window.truncated[1, 0] = True
    window.final_observations = {(1, 0): final}
    gains = estimate(policy, window)
    last = surprise(policy, window, 1, value(policy, final))
    first = surprise(policy, window, 0, value(policy, window.observations[1][0]))
    assert gains[:2, 0].tolist() == pytest.approx([first + DISCOUNT * DECAY * last, last])
    assert gains[2, 0] == pytest.approx(open_ended(policy, window, 2))
    np.testing.assert_array_equal(gains[:, 1], other)


@pytest.mark.parametrize("reset", [True, False])
def test_nothing_follows_a_termination(policy: ActorCritic, window: Window, reset: bool) -> None:
    window.terminated[1, 0] = True
    if reset:
        window.final_observations = {(1, 0): np.ones(2, dtype=np.float32)}
    assert estimate(policy, window)[1, 0] == pytest.approx(surprise(policy, window, 1, 0.0))


def test_a_row_without_a_reward_is_stepped_around(policy: ActorCritic, window: Window) -> None:
    window.valid[2, 0] = False
    window.rewards[2, 0] = 0.0
    gains = estimate(policy, window)
    expected = surprise(policy, window, 1, value(policy, window.observations[2][0]))
    assert gains[1, 0] == pytest.approx(expected)
    assert gains[3, 0] == pytest.approx(open_ended(policy, window, 3))


def test_what_follows_is_valued_in_units_of_the_rewards(policy: ActorCritic, window: Window) -> None:
    scale = ReturnScale()
    scale.follow(np.array([10.0, 14.0]))
    window.terminated[3, 1] = True
    following = next_values(window, policy, scale, np.zeros((4, 2)))
    assert following[3, 0] == pytest.approx(12.0 + 2.0 * value(policy, window.last_observations[0]))
    assert following[3, 1] == 0.0
