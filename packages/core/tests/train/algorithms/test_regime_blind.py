"""The regime-blind policy is trained where regimes switch too fast to adapt to, and measured as it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.config import RunConfig
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.train.algorithms.regime_blind import blind, blind_training
from skyfall_crl.train.run import run


def test_training_switches_each_configuration_every_few_steps_in_other_worlds(
    configure: Callable[..., RunConfig], read: Callable[[Path], list[dict[str, Any]]], tmp_path: Path
) -> None:
    config = configure()
    run(blind_training(config, seed=7, every=8), tmp_path / "training")
    rows = [row for row in read(tmp_path / "training") if row["kind"] == "step" and row["world"] == "w0"]
    assert [row["regime_identity"] for row in rows[:24]] == ["A"] * 8 + ["B"] * 8 + ["A"] * 8
    run(config, tmp_path / "run")
    others = [row for row in read(tmp_path / "run") if row["kind"] == "step" and row["world"] == "w0"]
    assert [row["reward"] for row in rows[:8]] != [row["reward"] for row in others[:8]]


def test_what_was_trained_is_measured_without_learning(
    configure: Callable[..., RunConfig], tmp_path: Path
) -> None:
    config = configure()
    run(blind_training(config, seed=7), tmp_path / "training")
    trained = tmp_path / "training/checkpoints/final"
    run(blind(config, str(trained)), tmp_path / "run")
    weights = [np.load(folder / "weights.npy") for folder in (trained, tmp_path / "run/checkpoints/final")]
    np.testing.assert_array_equal(*weights)


def test_a_run_without_a_schedule_has_no_blind_policy(configure: Callable[..., RunConfig]) -> None:
    with pytest.raises(ConfigError, match="expected scheduled, found constant"):
        blind_training(configure(regime=None), seed=1)
