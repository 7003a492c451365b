"""What every reference policy checks before it works: that the spaces are those of the discrete view."""

from typing import Any

from gymnasium import spaces

from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.ports.errors import PolicyError


def require_actions(reader: QueueReader, action_space: spaces.Space[Any]) -> None:
    """Raise `PolicyError` unless actions are those of the view `scheduling-under-drift`."""
    if not isinstance(action_space, spaces.Discrete) or action_space.n != reader.actions:
        raise PolicyError(
            f"expected the actions Discrete({reader.actions}) of the task view scheduling-under-drift, "
            f"found {action_space}"
        )


def require_features(reader: QueueReader, observation_space: spaces.Space[Any]) -> None:
    """Raise `PolicyError` unless observations are the features of a discrete view."""
    if observation_space.shape != (reader.size,):
        raise PolicyError(
            f"expected the {reader.size} features of the task view scheduling-under-drift, "
            f"found {observation_space}"
        )
