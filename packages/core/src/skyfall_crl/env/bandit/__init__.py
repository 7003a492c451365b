"""A contextual bandit whose right answers change: the smallest world in which learners forget."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.bandit.contextual import ContextualBandit

__all__ = ["ContextualBandit"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module(f"{__name__}.contextual"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
