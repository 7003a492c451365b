"""Which actions a numpy policy can choose: the way from an action space to what the policy has to put out."""

from typing import Any

from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.policies.discrete import DiscreteActions
from skyfall_crl.train.policies.distribution import Actions
from skyfall_crl.train.policies.factorised import MultiDiscreteActions
from skyfall_crl.train.policies.gaussian import BoxActions


def actions_of(space: spaces.Space[Any]) -> Actions:
    """Return the actions of a Discrete, MultiDiscrete or Box space; raises `PolicyError` for any other."""
    if isinstance(space, spaces.Discrete):
        return DiscreteActions(space)
    if isinstance(space, spaces.MultiDiscrete):
        return MultiDiscreteActions(space)
    if isinstance(space, spaces.Box):
        return BoxActions(space)
    raise PolicyError(
        f"action space: a numpy policy chooses among Discrete, MultiDiscrete or Box actions, found {space}; "
        "choose a task view with one of these"
    )
