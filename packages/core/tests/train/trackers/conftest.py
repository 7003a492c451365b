"""Tests beside the trackers' own libraries; where one isn't installed they are not collected."""

from importlib.util import find_spec

import pytest

PEERS = ("mlflow", "minari", "tensorboard", "tensorboardX", "wandb")

collect_ignore_glob = [] if all(map(find_spec, PEERS)) else ["test_*.py"]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the peers from reporting anything to anybody."""
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("DO_NOT_TRACK", "true")
