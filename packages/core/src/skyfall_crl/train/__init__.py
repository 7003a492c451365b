"""Running: build what a config names, step worlds, learn, checkpoint, resume."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.train.build import Parts, build
    from skyfall_crl.train.collector import Collector
    from skyfall_crl.train.describe import describe_run
    from skyfall_crl.train.run import RunResult, resume, run
    from skyfall_crl.train.session import Session, Start, Step

_HOMES = {
    "Collector": "collector",
    "Parts": "build",
    "RunResult": "run",
    "Session": "session",
    "Start": "session",
    "Step": "session",
    "build": "build",
    "describe_run": "describe",
    "resume": "run",
    "run": "run",
}

__all__ = [
    "Collector",
    "Parts",
    "RunResult",
    "Session",
    "Start",
    "Step",
    "build",
    "describe_run",
    "resume",
    "run",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
