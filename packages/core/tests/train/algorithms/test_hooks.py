"""Hooks are built from a config's entries, compose on any learner, and are stored with it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.registry import registered_only
from skyfall_crl.testing import check_algorithm
from skyfall_crl.train.algorithms import PPO, Reinforce
from skyfall_crl.train.algorithms.experience import Experience
from skyfall_crl.train.algorithms.hook import Hook
from skyfall_crl.train.algorithms.hooks import HOMES, build_hooks
from skyfall_crl.train.policies import ActorCritic, LinearPolicy, MlpPolicy

MakePolicy = Callable[..., ActorCritic]
HERE = "skyfall_crl.train.algorithms.anchors:L2Init"


class Listener(Hook):
    """Keeps what it was told, in order."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def add_gradient(self, gradient: np.ndarray, rows: int) -> float:
        self.heard.append("gradient")
        return 2.0

    def stepped(self, rows: Experience, hidden: np.ndarray) -> None:
        self.heard.append("stepped")

    def learned(self, window: Window, rows: Experience) -> Mapping[str, float]:
        self.heard.append("learned")
        return {"heard": float(len(self.heard))}


@pytest.mark.parametrize("learner", [PPO, Reinforce])
def test_a_hook_hears_each_step_and_each_window(
    make_policy: MakePolicy, make_bandit: Callable[..., Any], learner: Any
) -> None:
    policy, hook = make_policy(), Listener()
    algorithm = learner(policy, hooks=[hook])
    algorithm.seed(np.random.default_rng(0))
    report = algorithm.update(make_bandit(policy).window())
    assert hook.heard == ["gradient", "stepped"] * (len(hook.heard) // 2) + ["learned"]
    assert (report["added_loss"], report["heard"]) == (2.0, len(hook.heard))


def test_a_hook_that_adds_nothing_changes_nothing(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    weights = []
    for hooks in ([], [Hook()]):
        policy = make_policy()
        algorithm = PPO(policy, hooks=hooks)
        algorithm.seed(np.random.default_rng(0))
        algorithm.update(make_bandit(policy).window())
        weights.append(policy.weights.copy())
    np.testing.assert_array_equal(*weights)


def test_names_and_import_paths_become_hooks() -> None:
    for name in HOMES:
        (hook,) = build_hooks([{"id": name}])
        assert isinstance(hook, Hook)
    (named, imported) = build_hooks([{"id": "l2-init", "kwargs": {"strength": 2.0}}, {"id": HERE}])
    assert type(named) is type(imported)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("ewc", "hooks: expected a list"),
        ([{"kwargs": {}}], r"hooks\[0\]: expected id"),
        ([{"id": "ewc", "strength": 1}], r"hooks\[0\]: expected id and, if wanted, kwargs"),
        ([{"id": "nothing"}], r"hooks\[0\]\.id: expected module:attribute or one of .*ewc"),
        ([{"id": "no.module:Thing"}], r"hooks\[0\]\.id: importing 'no\.module:Thing' failed"),
        ([{"id": "math:pi"}], r"hooks\[0\]\.id: expected something that can be called"),
        ([{"id": "builtins:dict"}], r"hooks\[0\]\.id: expected 'builtins:dict' to build a Hook, found dict"),
        ([{"id": "ewc", "kwargs": {"lambda": 1}}], r"hooks\[0\]\.kwargs: .*lambda"),
        ([{"id": "ewc", "kwargs": {"strength": -1}}], r"hooks\[0\]\.kwargs: strength: expected a number"),
    ],
)
def test_what_is_no_list_of_hooks_is_named(entries: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_hooks(entries)


def test_only_names_are_allowed_where_only_registered_ids_are() -> None:
    with registered_only(), pytest.raises(ConfigError, match="only registered ids are allowed"):
        build_hooks([{"id": HERE}])


def test_several_hooks_compose_and_are_stored_with_any_learner() -> None:
    names = ("ewc", "replay", "shrink-perturb", "continual-backprop")
    hooks = [{"id": name} for name in names]
    check_algorithm(lambda policy: Reinforce(policy, hooks=hooks), lambda: MlpPolicy(hidden=6))
    check_algorithm(lambda policy: PPO(policy, hooks=hooks[:3]), LinearPolicy)


def test_state_of_another_hook_is_refused(make_policy: MakePolicy, tmp_path: Path) -> None:
    PPO(make_policy(), hooks=[{"id": "l2-init"}]).save_state(tmp_path)
    with pytest.raises(CheckpointError, match=r"hook-0\.npy"):
        PPO(make_policy(), hooks=[{"id": "ewc"}]).load_state(tmp_path)
