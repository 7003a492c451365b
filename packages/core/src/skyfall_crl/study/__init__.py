"""Whole runs: executed, swept over, scored, compared and reported."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.study.executor import LocalExecutor, ProcessExecutor
    from skyfall_crl.study.single import finish, run_once, run_or_resume
    from skyfall_crl.study.sweep import Sweep, SweepResult
    from skyfall_crl.study.sweep_document import SweepDocument, read_sweep
    from skyfall_crl.study.sweep_plan import SweepPlan

_HOMES = {
    "LocalExecutor": "executor",
    "ProcessExecutor": "executor",
    "Sweep": "sweep",
    "SweepDocument": "sweep_document",
    "SweepPlan": "sweep_plan",
    "SweepResult": "sweep",
    "finish": "single",
    "read_sweep": "sweep_document",
    "run_once": "single",
    "run_or_resume": "single",
}

__all__ = [
    "LocalExecutor",
    "ProcessExecutor",
    "Sweep",
    "SweepDocument",
    "SweepPlan",
    "SweepResult",
    "finish",
    "read_sweep",
    "run_once",
    "run_or_resume",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
