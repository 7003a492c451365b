"""A contextual bandit to learn from, and windows of it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.policies import ActorCritic, LinearPolicy, MlpPolicy


@pytest.fixture(params=["linear", "mlp"])
def make_policy(request: pytest.FixtureRequest) -> Callable[..., ActorCritic]:
    """Build a policy of 2 features and 2 actions, the first of which is number 5."""

    def make(seed: int = 0, actions: int = 2) -> ActorCritic:
        policy = LinearPolicy() if request.param == "linear" else MlpPolicy(hidden=8)
        policy.seed(np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1]))
        policy.bind(spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(actions, start=5))
        return policy

    return make


class Bandit:
    """Pays 1 for the arm that the first feature points to, 0 for the others, in each of N worlds."""

    def __init__(self, policy: ActorCritic, *, seed: int = 0, worlds: int = 4, steps: int = 16) -> None:
        self.policy, self.worlds, self.steps = policy, worlds, steps
        self.generator = np.random.default_rng([seed, 2])
        self.info: Mapping[str, Any] = {}
        self.size, self.level = 1.0, 0.0

    def _look(self) -> list[np.ndarray]:
        signs = self.generator.choice([-1.0, 1.0], self.worlds)
        return [np.array([sign, 1.0], dtype=np.float32) for sign in signs]

    def window(self) -> Window:
        infos = [self.info] * self.worlds
        observations = [self._look() for _ in range(self.steps + 1)]
        decisions = [self.policy.act(row, infos) for row in observations[:-1]]
        hits = [
            [decision.action == (6 if seen[0] > 0 else 5) for seen, decision in zip(*pair, strict=True)]
            for pair in zip(observations[:-1], decisions, strict=True)
        ]
        shape = (self.steps, self.worlds)
        return Window(
            observations=list(observations[:-1]),
            infos=[infos] * self.steps,
            decisions=decisions,
            rewards=self.level + self.size * np.array(hits, dtype=np.float64),
            valid=np.ones(shape, dtype=np.bool_),
            terminated=np.zeros(shape, dtype=np.bool_),
            truncated=np.zeros(shape, dtype=np.bool_),
            last_observations=observations[-1],
            last_infos=infos,
            final_observations={},
        )

    def mean_reward(self, windows: int = 10) -> float:
        return float(np.mean([self.window().rewards.mean() for _ in range(windows)]))


@pytest.fixture
def make_bandit() -> type[Bandit]:
    return Bandit
