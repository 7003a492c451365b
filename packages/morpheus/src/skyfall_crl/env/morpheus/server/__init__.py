"""The served world: the simulator behind the deployment's REST surface, with a side channel and a page."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.server.application import Application
    from skyfall_crl.env.morpheus.server.settings import ServerSettings

_HOMES = {"Application": "application", "ServerSettings": "settings"}

__all__ = ["Application", "ServerSettings"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
