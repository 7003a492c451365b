"""Whole runs: executed, scored and reported."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.study.executor import LocalExecutor
    from skyfall_crl.study.single import finish, run_once

_HOMES = {"LocalExecutor": "executor", "finish": "single", "run_once": "single"}

__all__ = ["LocalExecutor", "finish", "run_once"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
