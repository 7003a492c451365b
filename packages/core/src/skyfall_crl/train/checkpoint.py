"""Checkpoints: everything a run goes on from, complete or absent; worlds are in it where they can be put back."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.algorithm import ResumableAlgorithm, WeightsFormat
from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.ports.policy import StatefulPolicy, WeightedPolicy
from skyfall_crl.trace.rewind import sync_directory
from skyfall_crl.train.build import Parts
from skyfall_crl.train.session import Session, Start

VERSION = 1
STATE = "state.json"
KEPT = 2
SHARE = 0.05
FINAL = "final"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a checkpoint lies, the step every world had reached, and the trace's length in bytes then."""

    path: Path
    step: int
    offset: int
    state: Mapping[str, Any]


class CheckpointStore:
    """Writes checkpoints of one run under a folder, keeps the newest two, and finds the newest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, parts: Parts, session: Session, *, step: int, offset: int) -> None:
        """Write worlds, learner, generators and the trace's offset; the folder appears only when complete."""
        partial = self.folder / ".partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        policy = parts.policy
        state = {
            "version": VERSION,
            "step": step,
            "offset": offset,
            "session": session.snapshot() if parts.capabilities.snapshots else session.counters(),
            "generators": parts.generators.state(),
            "policy": policy.state() if isinstance(policy, StatefulPolicy) else None,
            "weights": save_learner(parts, partial),
        }
        (partial / STATE).write_bytes(msgspec.json.encode(state))
        sync_files(partial)
        target = self.folder / f"step-{step:010d}"
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
        sync_directory(self.folder)
        for old in self._complete()[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)

    def save_final(self, parts: Parts) -> None:
        """Write the learner as it ended, for whoever wants the policy."""
        target = self.folder / FINAL
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        if save_learner(parts, target) is None:
            target.rmdir()

    def newest(self) -> Checkpoint | None:
        """Return the newest checkpoint, or None; raises `CheckpointError` when it can't be read."""
        complete = self._complete()
        if not complete:
            return None
        path = complete[-1]
        try:
            state = msgspec.json.decode((path / STATE).read_bytes(), type=dict[str, Any])
            if state["version"] != VERSION:
                raise CheckpointError(f"{path}: expected version {VERSION}, found {state['version']!r}")
            return Checkpoint(path, state["step"], state["offset"], state)
        except (OSError, KeyError, msgspec.DecodeError) as error:
            raise CheckpointError(f"{path}: can't be read: {type(error).__name__}: {error}") from error

    def _complete(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("step-*") if (path / STATE).is_file())


class CheckpointPace:
    """When a checkpoint is due: every `every` steps, or by default so that they take 5 % of a run's time."""

    def __init__(self, every: int | None, step: int = 0) -> None:
        self._step = step
        self._every = every
        self._cost = 0.0
        self._saved = time.perf_counter()

    def due(self, step: int) -> bool:
        """Tell whether the window that ended after `step` steps should be followed by a checkpoint."""
        if self._every is not None:
            return step - self._step >= self._every
        return time.perf_counter() - self._saved >= self._cost / SHARE

    @contextmanager
    def saving(self, step: int) -> Iterator[None]:
        """Time the saving of the checkpoint of `step`."""
        began = time.perf_counter()
        yield
        self._step, self._saved = step, time.perf_counter()
        self._cost = self._saved - began


def load(checkpoint: Checkpoint, parts: Parts, session: Session) -> list[Start]:
    """Put worlds, learner and generators back as the checkpoint found them; returns where each world stands."""
    try:
        starts = session.restore(checkpoint.state["session"])
    except (KeyError, TypeError, ValueError) as error:
        raise _unfit(checkpoint, error) from error
    load_learner(checkpoint, parts)
    return starts


def load_learner(checkpoint: Checkpoint, parts: Parts) -> None:
    """Put learner and generators back as the checkpoint found them."""
    state = checkpoint.state
    try:
        parts.generators.restore(state["generators"])
    except (KeyError, TypeError, ValueError) as error:
        raise _unfit(checkpoint, error) from error
    if state["weights"] is not None:
        if not isinstance(parts.policy, WeightedPolicy):
            raise CheckpointError(
                f"{checkpoint.path}: the policy has no load_weights, yet weights were recorded"
            )
        parts.policy.load_weights(checkpoint.path)
        if isinstance(parts.algorithm, ResumableAlgorithm):
            parts.algorithm.load_state(checkpoint.path)
    if isinstance(parts.policy, StatefulPolicy) and state["policy"] is not None:
        parts.policy.restore(state["policy"])


def _unfit(checkpoint: Checkpoint, error: Exception) -> CheckpointError:
    return CheckpointError(f"{checkpoint.path}: does not fit this run: {type(error).__name__}: {error}")


def save_learner(parts: Parts, folder: Path) -> str | None:
    """Write weights and optimiser into `folder`; returns the weights' format, None when there are none."""
    if parts.algorithm is None:
        return None
    written: WeightsFormat | None = parts.algorithm.checkpoint(folder)
    if isinstance(parts.algorithm, ResumableAlgorithm):
        parts.algorithm.save_state(folder)
    return None if written is None else written.value


def sync_files(folder: Path) -> None:
    """Flush every file of a folder and the folder's own entries to disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    sync_directory(folder)
