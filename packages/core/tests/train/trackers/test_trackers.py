"""The sinks for trackers: real files by the trackers' own libraries, read back as their users would."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mlflow.tracking import MlflowClient
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from skyfall_crl.train.run import run


def followed(configure: Callable[..., Any], out: Path, tracker: str, **kwargs: Any) -> None:
    """Run a short config into `out`, followed by one tracker."""
    result = run(configure(sinks=[{"id": f"builtin/{tracker}", "kwargs": kwargs}]), out)
    assert (result.status, result.problems) == ("completed", ())


def test_tensorboard_reads_the_points(configure: Callable[..., Any], tmp_path: Path) -> None:
    followed(configure, tmp_path / "run", "tensorboard")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    points = events.Scalars("train/reward")
    assert len(points) > 1
    assert [point.step for point in points] == sorted({point.step for point in points})
    assert any(name.startswith("update/") for name in events.Tags()["scalars"])


def test_mlflow_finds_the_run_in_its_files(configure: Callable[..., Any], tmp_path: Path) -> None:
    followed(configure, tmp_path / "run", "mlflow", experiment="mine")
    client = MlflowClient(tracking_uri=(tmp_path / "run" / "mlflow").as_uri())
    experiment = client.get_experiment_by_name("mine")
    (found,) = client.search_runs([experiment.experiment_id])
    assert (found.info.status, found.info.run_name) == ("FINISHED", "run")
    assert found.data.params["run.seed"]
    history = client.get_metric_history(found.info.run_id, "train/reward")
    assert len({point.step for point in history}) == len(history) > 1


def test_wandb_keeps_an_offline_run(
    configure: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    followed(configure, tmp_path / "run", "wandb", project="mine")
    (kept,) = (tmp_path / "run" / "wandb").glob("offline-run-*/*.wandb")
    assert b"train/reward" in kept.read_bytes()
