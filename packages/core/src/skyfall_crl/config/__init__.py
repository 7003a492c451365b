"""The run document: what it may say, how it is read, how it is overridden."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.config.load import load_config, parse_config
    from skyfall_crl.config.schema import RunConfig

_HOMES = {"RunConfig": "schema", "load_config": "load", "parse_config": "load"}

__all__ = ["RunConfig", "load_config", "parse_config"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
