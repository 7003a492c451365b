"""Algorithms that train the numpy policies: REINFORCE and PPO."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.train.algorithms.adam import Adam
    from skyfall_crl.train.algorithms.ppo import PPO
    from skyfall_crl.train.algorithms.reinforce import Reinforce

_HOMES = {
    "Adam": "adam",
    "PPO": "ppo",
    "Reinforce": "reinforce",
}

__all__ = ["PPO", "Adam", "Reinforce"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
