"""The run directory: what lies where, and how files that matter are written."""

import os
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.trace.rewind import sync_directory


class RunDirectory:
    """Paths of one run; everything a reader needs is inside."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.provenance = path / "provenance.json"
        self.trace = path / "trace.jsonl"
        self.metrics = path / "metrics.json"
        self.report = path / "report.html"
        self.checkpoints = path / "checkpoints"

    @classmethod
    def create(cls, path: Path) -> "RunDirectory":
        """Make a new run directory; raises `ConfigError` when a run is already there or it can't be made."""
        directory = cls(path)
        if directory.config.exists() or directory.trace.exists():
            raise ConfigError(
                f"--out {path}: expected a new directory, found a run; continue it with --resume {path}"
            )
        try:
            directory.checkpoints.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"--out {path}: can't be made: {error.strerror or error}") from None
        return directory

    @classmethod
    def existing(cls, path: Path) -> "RunDirectory":
        """Take a directory that holds a run; raises `CheckpointError` when it holds none."""
        directory = cls(path)
        if not directory.config.is_file():
            raise CheckpointError(
                f"{path}: expected a run directory with config.yaml, found none; nothing to resume"
            )
        directory.checkpoints.mkdir(exist_ok=True)
        return directory

    def read_provenance(self) -> dict[str, Any]:
        """Return the run's provenance; raises `CheckpointError` when it can't be read."""
        try:
            return msgspec.json.decode(self.provenance.read_bytes(), type=dict[str, Any])
        except (OSError, msgspec.DecodeError) as error:
            raise CheckpointError(f"{self.provenance}: can't be read: {error}") from error

    def finished(self) -> int | None:
        """Return the steps of a run that was completed, None for any other."""
        if not self.provenance.is_file():
            return None
        finished = self.read_provenance().get("finished") or {}
        return finished["step"] if finished.get("status") == "completed" else None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader finds the old content or the new one, also after a crash."""
    temporary = path.with_name(f".{path.name}.partial")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_directory(path.parent)
