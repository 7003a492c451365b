"""Shrink-and-perturb shrinks and perturbs; continual backprop replaces the unit that does least, and no other."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.train.algorithms import PPO
from skyfall_crl.train.algorithms.plasticity import ContinualBackprop, ShrinkPerturb
from skyfall_crl.train.policies import LinearPolicy, MlpPolicy

UNITS = 6


@pytest.fixture
def policy() -> MlpPolicy:
    made = MlpPolicy(hidden=UNITS)
    made.seed(np.random.default_rng(0), np.random.default_rng(1))
    made.bind(spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2, start=5))
    return made


def hooked(policy: Any, hook: Any) -> Any:
    algorithm = PPO(policy, hooks=[hook])
    algorithm.seed(np.random.default_rng(2))
    return algorithm


def test_weights_shrink_by_their_share_and_noise_is_that_of_first_weights(policy: MlpPolicy) -> None:
    shrinking, noisy = ShrinkPerturb(shrink=0.25, noise=0.0), ShrinkPerturb(shrink=0.0, noise=0.5)
    hooked(policy, shrinking), hooked(policy, noisy)
    before = policy.weights.copy()
    shrinking.stepped(None, None)  # type: ignore[arg-type]
    np.testing.assert_allclose(policy.weights, 0.75 * before)
    before = policy.weights.copy()
    noisy.stepped(None, None)  # type: ignore[arg-type]
    drawn = policy.draw_weights(np.random.default_rng(2))
    np.testing.assert_allclose(policy.weights - before, 0.5 * drawn)


def judged(policy: MlpPolicy, useless: int, steps: int, **arguments: Any) -> ContinualBackprop:
    """Let a hook see `steps` steps of a network in which one unit leads nowhere."""
    hook = ContinualBackprop(**arguments)
    hooked(policy, hook)
    assert policy.unit_weights is not None
    policy.weights[policy.unit_weights[1]] = 1.0
    policy.weights[policy.unit_weights[1][useless]] = 0.01
    hidden = np.random.default_rng(3).normal(size=(8, UNITS))
    for _ in range(steps):
        hook.stepped(None, hidden)  # type: ignore[arg-type]
    return hook


def test_the_least_useful_unit_is_made_new_once_it_is_mature(policy: MlpPolicy) -> None:
    before = policy.draw_weights(np.random.default_rng(0))
    policy.weights[:] = before
    judged(policy, 4, steps=10, replacement_rate=1 / UNITS, maturity=9)
    into, out_of = policy.unit_weights
    assert (policy.weights[out_of[4]] == 0).all()
    changed = [unit for unit in range(UNITS) if (policy.weights[into[unit]] != before[into[unit]]).any()]
    assert changed == [4]


def test_young_units_are_left_alone_and_a_new_one_is_young(policy: MlpPolicy) -> None:
    judged(policy, 4, steps=9, replacement_rate=1.0, maturity=9)
    assert (policy.weights[policy.unit_weights[1][4]] == 0.01).all()
    hook = judged(policy, 4, steps=10, replacement_rate=1 / UNITS, maturity=9)
    assert hook.state[1 + 4] == 0
    assert (np.delete(hook.state[1 : 1 + UNITS], 4) == 10).all()


def test_what_a_replaced_unit_gave_on_average_stays(policy: MlpPolicy) -> None:
    hook = ContinualBackprop(replacement_rate=1.0, maturity=1)
    hooked(policy, hook)
    features = np.repeat([[0.3, -0.7]], 4, axis=0)
    policy.weights[:] = np.random.default_rng(5).normal(size=policy.weights.size)
    logits, values, hidden = policy.evaluate(features)
    for _ in range(2):
        hook.stepped(None, hidden)  # type: ignore[arg-type]
    after = policy.evaluate(features)
    np.testing.assert_allclose(after.logits, logits)
    np.testing.assert_allclose(after.values, values)


def test_a_policy_without_hidden_units_is_refused() -> None:
    linear = LinearPolicy()
    linear.seed(np.random.default_rng(0), np.random.default_rng(1))
    linear.bind(spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2))
    with pytest.raises(ConfigError, match="hidden units such as 'mlp', found LinearPolicy"):
        PPO(linear, hooks=[ContinualBackprop()])


def test_the_places_of_units_weights_are_theirs(policy: MlpPolicy) -> None:
    features = np.array([[0.3, -0.7]])
    into, out_of = policy.unit_weights
    assert sorted(np.concatenate([into.ravel(), out_of.ravel()])) == list(range(into.size + out_of.size))
    before = policy.evaluate(features).hidden[0]
    policy.weights[into[2]] += 0.5
    changed = policy.evaluate(features).hidden[0] != before
    assert changed.tolist() == [False, False, True, False, False, False]


@pytest.mark.parametrize("make", [lambda: ContinualBackprop(decay=1.0), lambda: ShrinkPerturb(shrink=1.5)])
def test_arguments_out_of_range_are_named(make: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError, match="expected a number"):
        make()
