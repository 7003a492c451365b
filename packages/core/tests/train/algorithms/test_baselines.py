"""Frozen, scratch and latent-context learners: when they learn, when they start anew, which head they choose."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.config import RunConfig
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.registry import load
from skyfall_crl.testing import check_algorithm
from skyfall_crl.trace import first_difference
from skyfall_crl.train.algorithms.frozen import Frozen
from skyfall_crl.train.algorithms.latent_context import LatentContext
from skyfall_crl.train.algorithms.level import RewardLevel
from skyfall_crl.train.algorithms.scratch import Scratch
from skyfall_crl.train.policies import ActorCritic
from skyfall_crl.train.policies.heads import HeadsPolicy
from skyfall_crl.train.run import resume, run

MakePolicy = Callable[..., ActorCritic]
Configure = Callable[..., RunConfig]


def test_a_frozen_learner_learns_for_as_long_as_it_is_told(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    policy = make_policy()
    bandit, learner = make_bandit(policy, steps=16), Frozen(policy, train_steps=20)
    learner.seed(np.random.default_rng(0))
    weights = [policy.weights.copy()]
    for _ in range(3):
        learner.update(bandit.window())
        weights.append(policy.weights.copy())
    changes = [bool((after != before).any()) for before, after in itertools.pairwise(weights)]
    assert changes == [True, True, False]


def test_a_frozen_learner_acts_on_a_checkpoint(make_policy: MakePolicy, tmp_path: Path) -> None:
    make_policy(seed=3).save_weights(tmp_path)
    policy = make_policy(seed=4)
    Frozen(policy, checkpoint=str(tmp_path))
    np.testing.assert_array_equal(policy.weights, make_policy(seed=3).weights)
    with pytest.raises(ConfigError, match="checkpoint: "):
        Frozen(policy, checkpoint=str(tmp_path / "nothing"))


def test_scratch_starts_anew_after_each_boundary_and_resumes_to_the_same_rows(
    configure: Configure, tmp_path: Path
) -> None:
    config = configure(
        policy={"id": "scratch", "kwargs": {"hidden": 8}},
        algorithm={"id": "scratch"},
        run={"checkpoint_steps": 16, "steps": 96},
    )
    run(config, tmp_path / "whole")
    countdown = itertools.count()
    part = run(config, tmp_path / "part", stop=lambda: next(countdown) >= 60)
    assert part.status == "interrupted"
    assert resume(tmp_path / "part").status == "completed"
    assert first_difference(tmp_path / "whole/trace.jsonl", tmp_path / "part/trace.jsonl") is None


def test_scratch_draws_new_weights_one_step_after_the_configuration_changed() -> None:
    class World:
        regime_id = "A"

        def has_wrapper_attr(self, name: str) -> bool:
            return name == "regime_id"

        def get_wrapper_attr(self, name: str) -> str:
            return self.regime_id

    policy, world = load("policies", "scratch")(hidden=4), World()
    policy.seed(np.random.default_rng(0), np.random.default_rng(1))
    policy.attach(world)
    policy.bind(spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2))
    first = policy.weights.copy()
    for _ in range(3):
        policy.act([np.zeros(2)], [{}])
    np.testing.assert_array_equal(policy.weights, first)
    world.regime_id = "B"
    policy.act([np.zeros(2)], [{}])
    assert (policy.weights != first).any()
    assert policy.decisions_since_start == 1


def test_scratch_and_latent_context_name_the_policies_they_need(make_policy: MakePolicy) -> None:
    with pytest.raises(ConfigError, match="policy 'scratch'"):
        Scratch(make_policy())
    with pytest.raises(ConfigError, match="policy 'heads'"):
        LatentContext(make_policy())


def test_latent_context_keeps_its_contract() -> None:
    check_algorithm(LatentContext, lambda: HeadsPolicy(heads=3, hidden=6))


class Contexts:
    """Gives windows of a bandit whose rewards are what a head earns in a context."""

    def __init__(self, make_bandit: Callable[..., Any], heads: int = 3) -> None:
        self.policy = HeadsPolicy(heads=heads, hidden=6)
        self.policy.seed(np.random.default_rng(0), np.random.default_rng(1))
        self.policy.bind(spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2, start=5))
        self.learner = LatentContext(self.policy)
        self.learner.seed(np.random.default_rng(2))
        self.bandit = make_bandit(self.policy)

    def live(self, context: int, windows: int) -> int:
        """Return the head that acts after some windows in a context, which only its own head does well in."""
        for _ in range(windows):
            window = self.bandit.window()
            owner = getattr(self, f"owner_{context}", None)
            level = 0.8 if owner in (None, self.policy.active) else 0.1
            window.rewards[:] = level + 0.02 * np.random.default_rng(windows).standard_normal(
                window.rewards.shape
            )
            self.learner.update(window)
        return self.policy.active


def test_a_drop_finds_a_new_head_and_a_return_the_old_one(make_bandit: Callable[..., Any]) -> None:
    contexts = Contexts(make_bandit)
    contexts.owner_0 = 0
    assert contexts.live(0, 20) == 0
    contexts.owner_1 = 1
    assert contexts.live(1, 20) == 1
    assert contexts.live(0, 5) == 0
    assert contexts.live(1, 5) == 1


def test_without_an_unused_head_the_best_one_adapts(make_bandit: Callable[..., Any]) -> None:
    contexts = Contexts(make_bandit, heads=1)
    contexts.owner_0, contexts.owner_1 = 0, 7
    assert contexts.live(0, 20) == 0
    assert contexts.live(1, 20) == 0
    assert "policy_loss" in contexts.learner.update(contexts.bandit.window())


def test_weights_that_name_no_head_are_refused(tmp_path: Path) -> None:
    policy = HeadsPolicy(heads=2, hidden=3)
    policy.seed(np.random.default_rng(0), np.random.default_rng(1))
    policy.bind(spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2))
    policy.active = 2
    policy.save_weights(tmp_path)
    policy.active = 1
    with pytest.raises(CheckpointError, match="number of a head"):
        policy.load_weights(tmp_path)
    assert policy.active == 1


def test_a_level_notices_drops_once_it_is_settled_and_not_before() -> None:
    level = RewardLevel()
    for number in range(5):
        assert not level.is_above(-9.0, 4.0)
        level.follow(1.0 + 0.01 * (-1) ** number)
    assert level.is_above(0.5, 4.0)
    assert not level.is_above(0.99, 4.0)
    other = RewardLevel()
    other.state = level.state
    assert other.is_above(0.5, 4.0)
