"""The word `morpheus` of the command line: what an operator does with a deployment."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.command_line.words import configure

__all__ = ["configure"]

_HOMES = {"configure": "words"}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
