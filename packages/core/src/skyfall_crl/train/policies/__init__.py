"""Policies that need nothing but numpy: random, a linear softmax, and a network with one hidden layer."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.train.policies.actor_critic import ActorCritic
    from skyfall_crl.train.policies.features import FeatureEncoder
    from skyfall_crl.train.policies.linear import LinearPolicy
    from skyfall_crl.train.policies.mlp import MlpPolicy
    from skyfall_crl.train.policies.random import RandomPolicy

_HOMES = {
    "ActorCritic": "actor_critic",
    "FeatureEncoder": "features",
    "LinearPolicy": "linear",
    "MlpPolicy": "mlp",
    "RandomPolicy": "random",
}

__all__ = ["ActorCritic", "FeatureEncoder", "LinearPolicy", "MlpPolicy", "RandomPolicy"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
