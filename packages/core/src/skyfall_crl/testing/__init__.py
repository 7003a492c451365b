"""Conformance checks that a plugin author runs on what the plugin offers."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.testing.plugin import ConformanceError, check, check_plugin

_HOMES = {"ConformanceError": "plugin", "check": "plugin", "check_plugin": "plugin"}

__all__ = ["ConformanceError", "check", "check_plugin"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
