"""Reward specs: how the signals of a step become one number."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.reward.spec import RewardSpec, RewardTerm, Score

_HOMES = {"RewardSpec": "spec", "RewardTerm": "spec", "Score": "spec"}

__all__ = ["RewardSpec", "RewardTerm", "Score"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
