"""Reference policies of the embedded world, and the levels that were measured with them."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.references.insiders import Informed, Sighted
    from skyfall_crl.env.morpheus.references.outsiders import (
        CountingRule,
        DoNothing,
        HandRule,
        LookThenFix,
        TraitCounting,
    )
    from skyfall_crl.env.morpheus.references.published import levels, published

_HOMES = {
    "CountingRule": "outsiders",
    "DoNothing": "outsiders",
    "HandRule": "outsiders",
    "Informed": "insiders",
    "LookThenFix": "outsiders",
    "Sighted": "insiders",
    "TraitCounting": "outsiders",
    "levels": "published",
    "published": "published",
}

__all__ = [
    "CountingRule",
    "DoNothing",
    "HandRule",
    "Informed",
    "LookThenFix",
    "Sighted",
    "TraitCounting",
    "levels",
    "published",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
