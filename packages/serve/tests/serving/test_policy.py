"""A policy comes back from its bundle the way it was trained, by one of two protocols."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.config import parse_config
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.serve.bundle import Bundle, PolicyRef, export_bundle
from skyfall_crl.serve.runner import load_policy, serve
from skyfall_crl.train.build import build

BACKENDS = {"linear": "reinforce", "mlp": "ppo"}
LEARNERS = [
    *BACKENDS.items(),
    ("heads", "latent-context"),
    ("mlp", "replay"),
    ("sb3-ppo", "sb3-ppo"),
    ("sb3-recurrent-ppo", "sb3-recurrent-ppo"),
]


@pytest.mark.parametrize(("policy", "algorithm"), LEARNERS, ids=[name for _, name in LEARNERS])
def test_a_served_policy_acts_as_the_trained_one(
    train: Callable[..., Path],
    configure: Callable[..., dict[str, Any]],
    tmp_path: Path,
    policy: str,
    algorithm: str,
) -> None:
    """On the same observations and seed, from a bundle that was moved."""
    if policy.startswith("sb3"):
        pytest.importorskip("sb3_contrib", reason="the core's extra sb3 isn't installed")
    sections = {"policy": {"id": policy}, "algorithm": {"id": algorithm}}
    run = train(**sections)
    parts = build(parse_config(configure(**sections), source="test"))
    trained = parts.policy
    trained.load_weights(run / "checkpoints" / "final")  # type: ignore[attr-defined]
    moved = shutil.move(str(run / "bundle"), str(tmp_path / "moved"))
    served = load_policy(Bundle.load(moved), moved)
    observations = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    before = [trained.act([one], [{}])[0] for one in observations]
    after = [served.act([one], [{}])[0] for one in observations]
    assert [one.action for one in after] == [one.action for one in before]
    assert [one.log_prob for one in after] == [one.log_prob for one in before]
    parts.close()


def test_weights_of_both_example_backends_differ_in_shape_and_load(train: Callable[..., Path]) -> None:
    """The shape is the rebuilt policy's business; both write `weights.npy`."""
    sizes = set()
    for policy, algorithm in BACKENDS.items():
        folder = train(policy, policy={"id": policy}, algorithm={"id": algorithm}) / "bundle"
        loaded = load_policy(Bundle.load(folder), folder)
        stored = np.load(folder / "checkpoint" / "weights.npy", allow_pickle=False)
        assert loaded.weights.tolist() == stored.tolist()
        sizes.add(stored.size)
    assert len(sizes) == 2


@pytest.mark.parametrize("form", ["checkpoint", "weights"])
def test_the_format_decides_how_weights_go_in(acme: Any, tmp_path: Path, form: str) -> None:
    """Rebuilt from its checkpoint as first argument, or built without it and filled by its own method."""
    identifier = {"checkpoint": "acme/whole", "weights": "acme/filled"}[form]
    made = export_bundle(
        tmp_path / "b", env=acme.Bare(), algorithm=acme.Trainer(form, 6), policy_id=identifier
    )
    policy = load_policy(made, tmp_path / "b")
    assert policy.act([0], [{}])[0].action == 6


def test_arguments_of_the_policy_come_from_the_bundle(acme: Any, tmp_path: Path) -> None:
    """Beside the checkpoint, which comes first."""
    made = export_bundle(
        tmp_path / "b",
        env=acme.Bare(),
        algorithm=acme.Trainer("checkpoint", 6),
        policy_id="acme/whole",
        policy_kwargs={"scale": 2},
    )
    assert load_policy(made, tmp_path / "b").act([0], [{}])[0].action == 12


def test_a_policy_with_nothing_to_learn_needs_no_weights(acme: Any, tmp_path: Path) -> None:
    """Nothing trained it, so nothing is missing."""
    policy = load_policy(Bundle(policy=PolicyRef(id="acme/plain")), tmp_path)
    assert policy.act([0, 1], [{}, {}])[1].action == 1


def test_a_policy_that_looks_inside_the_world_is_refused(acme: Any, tmp_path: Path) -> None:
    """It is a reference for training runs; it may be exported, not served."""
    export_bundle(tmp_path / "b", env=acme.Bare(), policy_id="acme/spy", env_id="acme/bare")
    with pytest.raises(PolicyError, match="acme/spy: looks inside the world"):
        serve(tmp_path / "b")


def test_drawing_starts_from_the_seed_of_the_run(bundle: Path) -> None:
    """Another seed draws other actions; the same one the same."""
    found = Bundle.load(bundle)
    observations = list(np.random.default_rng(1).normal(size=(64, 3)).astype(np.float32))
    actions = [
        [one.action for one in load_policy(found, bundle, seed=seed).act(observations, [{}] * 64)]
        for seed in (None, 5, 6)
    ]
    assert actions[0] == actions[1] != actions[2]
    assert found.run["seed"] == 5
