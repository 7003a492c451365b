"""What is PPO's own: clipping, passes over a window, and its shuffle."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skyfall_crl.ports.errors import ConfigError, PolicyError
from skyfall_crl.train.algorithms import PPO
from skyfall_crl.train.policies import ActorCritic

MakePolicy = Callable[..., ActorCritic]


@pytest.mark.parametrize(
    ("name", "value"),
    [("gae_lambda", 1.5), ("clip", 0), ("epochs", 0), ("minibatches", 2.0), ("epochs", True)],
)
def test_hyper_parameters_out_of_range_are_named(make_policy: MakePolicy, name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"{name}: expected"):
        PPO(make_policy(), **{name: value})


def test_it_has_to_be_seeded_first(make_policy: MakePolicy, make_bandit: Callable[..., Any]) -> None:
    policy = make_policy()
    with pytest.raises(PolicyError, match="seed"):
        PPO(policy).update(make_bandit(policy).window())


def test_the_first_pass_over_all_rows_is_not_clipped_and_far_steps_are(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    policy = make_policy()
    window = make_bandit(policy).window()
    reports = []
    for epochs in (1, 30):
        algorithm = PPO(policy, epochs=epochs, minibatches=1, learning_rate=0.1)
        algorithm.seed(np.random.default_rng(0))
        reports.append(algorithm.update(window))
    assert reports[0]["clip_fraction"] == 0.0
    assert reports[0]["kl"] == pytest.approx(0.0, abs=1e-12)
    assert reports[1]["clip_fraction"] > 0.1
    assert reports[1]["kl"] > 0.0


def test_clipping_keeps_the_policy_near_the_one_that_acted(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    moved = []
    for clip in (0.05, 1e6):
        policy = make_policy()
        window = make_bandit(policy).window()
        algorithm = PPO(policy, clip=clip, epochs=30, learning_rate=0.05, entropy=0.0)
        algorithm.seed(np.random.default_rng(0))
        algorithm.update(window)
        logits = policy.evaluate(policy.encoder.encode([np.array([1.0, 1.0])])).logits[0]
        moved.append(abs(logits[1] - logits[0]))
    assert moved[0] < moved[1] / 2


@pytest.mark.parametrize("steps", [1, 3])
def test_more_minibatches_than_rows_are_no_trouble(
    make_policy: MakePolicy, make_bandit: Callable[..., Any], steps: int
) -> None:
    policy = make_policy()
    algorithm = PPO(policy, minibatches=64)
    algorithm.seed(np.random.default_rng(0))
    report = algorithm.update(make_bandit(policy, worlds=1, steps=steps).window())
    assert all(np.isfinite(number) for number in report.values())
