"""What the sinks for trackers share: where their files go, and the error for a library that isn't there."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from skyfall_crl.ports.errors import ConfigError


def library(name: str, extra: str) -> Any:
    """Import a tracker's library; raises `ConfigError` that names the extra where it isn't installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise ConfigError(
            f"sinks: builtin/{extra} needs {name}, found none; install it with: pip install 'skyfall-crl[{extra}]'"
        ) from None


def folder(given: str | None, run: Mapping[str, Any], name: str) -> Path:
    """Return where a tracker's files go: as given, else a folder of the run's directory."""
    return Path(given) if given is not None else Path(run.get("directory") or ".") / name


def run_name(given: str | None, run: Mapping[str, Any]) -> str:
    """Return what a run is called: as given, else as its directory is."""
    return given if given is not None else Path(run.get("directory") or "run").name
