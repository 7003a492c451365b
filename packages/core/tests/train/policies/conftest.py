"""Policies on small spaces, for every test of this folder."""

from collections.abc import Callable

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.train.policies import ActorCritic, LinearPolicy, MlpPolicy

FACTORIES = {"linear": LinearPolicy, "mlp": lambda **kwargs: MlpPolicy(hidden=5, **kwargs)}


@pytest.fixture(params=["linear", "mlp"])
def make_policy(request: pytest.FixtureRequest) -> Callable[..., ActorCritic]:
    """Build a policy of 4 features and 3 actions, the first of which is number 10."""

    def make(*, seed: int = 0, **kwargs: bool) -> ActorCritic:
        policy = FACTORIES[request.param](**kwargs)
        policy.seed(np.random.default_rng(seed), np.random.default_rng(seed + 1))
        policy.bind(spaces.Box(-np.inf, np.inf, (4,), np.float32), spaces.Discrete(3, start=10))
        return policy

    return make
