"""The embedded MORPHEUS world: an enterprise of orders, faults and obligations, without Gymnasium and without HTTP."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.simulation.engine import World
    from skyfall_crl.env.morpheus.simulation.layout import Layout
    from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names

_HOMES = {"Layout": "layout", "World": "engine", "layout_named": "layouts", "layout_names": "layouts"}

__all__ = ["Layout", "World", "layout_named", "layout_names"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
