"""What tests of studies share: a small world, an executor without reports, and observers that remember."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.config import load_config
from skyfall_crl.metrics import evaluate
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.study.sweep import Outcome, Sweep, SweepResult
from skyfall_crl.study.sweep_document import read_sweep
from skyfall_crl.study.sweep_plan import PlannedRun, SweepPlan
from skyfall_crl.study.sweep_record import open_directory
from skyfall_crl.train.directory import RunDirectory, write_atomically
from skyfall_crl.train.run import run

BANDIT = {
    "env": {"id": "skyfall_crl.testing.doubles:SwitchingBandit"},
    "regime": {
        "provider": "scheduled",
        "params": {
            "schedule": {
                "shift_mode": "cyclic",
                "regimes": [
                    {"regime_id": "A", "duration_steps": 40, "axes": {"offset": 0}},
                    {"regime_id": "B", "duration_steps": 40, "axes": {"offset": 1}},
                ],
            }
        },
    },
    "policy": {"id": "linear"},
    "algorithm": {"id": "reinforce"},
    "run": {"steps": 160, "num_envs": 2, "window_steps": 16},
}


class QuickExecutor:
    """Runs in this process and scores, without a report; a run whose seed is in `failing` raises."""

    def __init__(self, failing: Sequence[int] = ()) -> None:
        self.failing = list(failing)
        self.executed: list[Path] = []

    def execute(self, config: Path, overrides: Sequence[str] = (), *, out: Path | None = None) -> Path:
        assert out is not None
        self.executed.append(out)
        document = load_config(config, overrides)
        if document.run.seed in self.failing:
            raise RuntimeError(f"seed {document.run.seed} fails as asked")
        run(document, out)
        directory = RunDirectory(out)
        scored = evaluate(directory.trace).to_mapping()
        write_atomically(directory.metrics, msgspec.json.encode(scored))
        write_atomically(directory.report, b"report")
        return out


class Remembering:
    """An observer that keeps what it hears."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.states: dict[str, str] = {}
        self.ticks = 0

    def planned(self, phase: str, runs: Sequence[PlannedRun]) -> None:
        self.phases.append(phase)

    def ticked(self, run: PlannedRun, tick: Any) -> None:
        self.ticks += 1

    def settled(self, outcome: Outcome) -> None:
        self.states[outcome.run.directory] = outcome.state


@pytest.fixture
def quick() -> type[QuickExecutor]:
    """The executor class."""
    return QuickExecutor


@pytest.fixture
def observer() -> Remembering:
    """An observer that keeps what it hears."""
    return Remembering()


@pytest.fixture
def write_sweep(tmp_path: Path) -> Callable[..., Path]:
    """Write a sweep over the bandit; keyword arguments are its keys."""

    def write(**keys: Any) -> Path:
        path = tmp_path / "sweep.yaml"
        path.write_text(dump_yaml({"config": BANDIT, "seeds": [0, 1], **keys}), encoding="utf-8")
        return path

    return write


@pytest.fixture
def run_sweep(observer: Remembering) -> Callable[..., SweepResult]:
    """Run a sweep document into a directory in this process, or go on with the one there."""

    def sweep(path: Path, out: Path, executor: Any, *, resume: bool = False, **options: Any) -> SweepResult:
        open_directory(out, resume=resume)
        return Sweep(SweepPlan(read_sweep(path), path), out, executor, observer, **options).run()

    return sweep
