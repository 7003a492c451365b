"""Penalties on the distance from earlier weights are the gradients of what they say they add."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skyfall_crl.train.algorithms import PPO
from skyfall_crl.train.algorithms.anchors import L2Init, OnlineEwc
from skyfall_crl.train.policies import ActorCritic

MakePolicy = Callable[..., ActorCritic]


def trained(policy: ActorCritic, hook: Any, bandit: Any, windows: int = 2) -> PPO:
    algorithm = PPO(policy, hooks=[hook])
    algorithm.seed(np.random.default_rng(0))
    for _ in range(windows):
        algorithm.update(bandit.window())
    return algorithm


@pytest.mark.parametrize(
    "make_hook", [lambda: L2Init(strength=0.3), lambda: OnlineEwc(strength=5.0, every=1)]
)
def test_the_gradient_added_is_that_of_the_loss_returned(
    make_policy: MakePolicy, make_bandit: Callable[..., Any], make_hook: Callable[[], Any]
) -> None:
    policy, hook = make_policy(), make_hook()
    trained(policy, hook, make_bandit(policy))
    policy.weights[:] += np.random.default_rng(1).normal(size=policy.weights.size)
    gradient = np.zeros_like(policy.weights)
    hook.add_gradient(gradient, 1)
    numeric = np.empty_like(gradient)
    for number in range(len(numeric)):
        losses = []
        for shift in (1e-5, -1e-5):
            policy.weights[number] += shift
            losses.append(hook.add_gradient(np.zeros_like(gradient), 1))
            policy.weights[number] -= shift
        numeric[number] = (losses[0] - losses[1]) / 2e-5
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7)


def test_importance_has_mean_one_at_first_and_fades_by_the_decay(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    policy, hook = make_policy(), OnlineEwc(every=2, decay=0.5)
    bandit = make_bandit(policy)
    size = policy.weights.size
    trained(policy, hook, bandit, windows=1)
    assert (hook.state[1 + size : 1 + 2 * size] == 0).all(), "nothing is held before the first anchor"
    hook = OnlineEwc(every=2, decay=0.5)
    trained(policy, hook, bandit, windows=2)
    assert hook.state[1 + size : 1 + 2 * size].mean() == pytest.approx(1.0)
    np.testing.assert_array_equal(hook.state[1 : 1 + size], policy.weights)
    hook = OnlineEwc(every=2, decay=0.5)
    trained(policy, hook, bandit, windows=4)
    assert hook.state[1 + size : 1 + 2 * size].mean() == pytest.approx(1.5)


def test_importance_is_the_mean_square_of_each_rows_gradient(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    policy = make_policy()
    features = np.random.default_rng(3).normal(size=(6, 2))
    outputs = np.random.default_rng(4).normal(size=(6, 3))
    hidden = policy.evaluate(features).hidden
    squares = policy.gradient(features, hidden, outputs, squared=True).copy()
    rows = [policy.gradient(features[[row]], hidden[[row]], outputs[[row]]).copy() ** 2 for row in range(6)]
    np.testing.assert_allclose(squares, np.sum(rows, axis=0))


def test_a_heavy_anchor_keeps_the_weights_where_they_were(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    moved = []
    for strength in (0.0, 1e6):
        policy = make_policy()
        trained(policy, L2Init(strength=strength), make_bandit(policy), windows=10)
        moved.append(float(np.abs(policy.weights - make_policy().weights).max()))
    assert moved[1] < moved[0] / 3
