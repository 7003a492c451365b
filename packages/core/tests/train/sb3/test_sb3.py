"""Learners of Stable-Baselines3 keep our contracts: they learn, resume, mask, and store nothing pickled."""

import itertools
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.config import RunConfig
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.testing import check_algorithm, check_policy
from skyfall_crl.trace import first_difference
from skyfall_crl.train.algorithms.sb3 import Sb3PPO, Sb3RecurrentPPO
from skyfall_crl.train.policies import MlpPolicy
from skyfall_crl.train.policies.sb3 import Sb3Policy, Sb3RecurrentPolicy
from skyfall_crl.train.policies.sb3_extra import MODULES
from skyfall_crl.train.run import resume, run

pytestmark = pytest.mark.skipif(
    not all(find_spec(module) for module in MODULES), reason="the extra sb3 isn't installed"
)
PAIRS = {"sb3-ppo": (Sb3Policy, Sb3PPO), "sb3-recurrent-ppo": (Sb3RecurrentPolicy, Sb3RecurrentPPO)}


@pytest.mark.parametrize(("policy", "algorithm"), PAIRS.values(), ids=list(PAIRS))
def test_policy_and_algorithm_keep_their_contracts(policy: Any, algorithm: Any) -> None:
    check_policy(policy)
    check_algorithm(algorithm, policy)


@pytest.mark.parametrize("policy", [Sb3Policy, Sb3RecurrentPolicy])
@pytest.mark.parametrize(
    "space",
    [spaces.MultiDiscrete([3, 2]), spaces.Box(-2, 5, (2,), np.float32), spaces.Discrete(4, start=3)],
    ids=["multi", "box", "discrete"],
)
def test_policies_act_in_every_kind_of_space(policy: Any, space: spaces.Space[Any]) -> None:
    check_policy(policy, action_space=space)


@pytest.mark.parametrize("name", PAIRS)
def test_a_short_run_learns_and_resumes_to_the_same_rows(
    configure: Callable[..., RunConfig], tmp_path: Path, name: str
) -> None:
    steps = {"steps": 512, "window_steps": 64, "num_envs": 4, "checkpoint_steps": 64}
    config = configure(
        regime=None,
        policy={"id": name, "kwargs": {"hidden": 16}},
        algorithm={"id": name, "kwargs": {"learning_rate": 0.01, "discount": 0.0}},
        run=steps,
    )
    rewards: list[float] = []
    whole = run(config, tmp_path / "whole", observe=lambda progress: rewards.append(progress.reward or 0.0))
    assert whole.status == "completed"
    assert rewards[0] < 0.6 < 0.9 < rewards[-1]
    countdown = itertools.count()
    part = run(config, tmp_path / "part", stop=lambda: next(countdown) >= 200)
    assert part.status == "interrupted"
    assert resume(tmp_path / "part").status == "completed"
    assert first_difference(tmp_path / "whole/trace.jsonl", tmp_path / "part/trace.jsonl") is None
    files = {path.name for path in (tmp_path / "whole/checkpoints/final").iterdir()}
    assert {"weights.safetensors", "weights.json", "optimiser.safetensors"} <= files
    assert {Path(file).suffix for file in files} == {".safetensors", ".json"}


@pytest.mark.parametrize("name", PAIRS)
def test_it_trains_where_episodes_are_reset(
    configure: Callable[..., RunConfig], tmp_path: Path, name: str
) -> None:
    config = configure(
        env={"id": "CartPole-v1"},
        regime=None,
        policy={"id": name, "kwargs": {"hidden": 8}},
        algorithm={"id": name},
        run={"steps": 130, "window_steps": 64, "num_envs": 2},
    )
    assert run(config, tmp_path / "run").status == "completed"


def test_another_policy_is_refused_and_the_fitting_one_named() -> None:
    policy = MlpPolicy()
    policy.seed(np.random.default_rng(0), np.random.default_rng(1))
    policy.bind(spaces.Box(0, 1, (2,)), spaces.Discrete(2))
    with pytest.raises(ConfigError, match="needs the policy 'sb3-ppo', found MlpPolicy"):
        Sb3PPO(policy)


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    networks = []
    for hidden in (4, 8):
        policy = Sb3Policy(hidden=hidden)
        policy.seed(np.random.default_rng(0), np.random.default_rng(1))
        policy.bind(spaces.Box(0, 1, (2,)), spaces.Discrete(2))
        networks.append(policy)
    networks[0].save_weights(tmp_path)
    with pytest.raises(CheckpointError, match=r"weights\.json: expected"):
        networks[1].load_weights(tmp_path)
