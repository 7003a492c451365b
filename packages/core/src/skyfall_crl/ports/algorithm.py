"""Algorithms: what learns from a window of steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.ports.policy import Decision, Policy


class WeightsFormat(str, Enum):  # noqa: UP042
    """How a policy is put together again from its checkpoint.

    `CHECKPOINT`: the factory takes the checkpoint directory. `WEIGHTS`: the factory takes none, and the policy is
    then filled by its `load_weights`.
    """

    CHECKPOINT = "checkpoint"
    WEIGHTS = "weights"


@dataclass(slots=True)
class Window:
    """T steps of N worlds, as an algorithm reads them.

    `observations[t][n]` is what decision `decisions[t][n]` answered, with `infos[t][n]` beside it;
    `last_observations[n]` follows the last step. `rewards`, `valid`, `terminated` and `truncated` have shape (T, N).
    Where `valid` is False the reward was missing or not finite (it reads 0 there), or the world had ended.
    `final_observations` maps (t, n) to the observation an episode ended with, where the world was reset after it.
    """

    observations: list[Sequence[Any]]
    infos: list[Sequence[Mapping[str, Any]]]
    decisions: list[list[Decision]]
    rewards: NDArray[np.float64]
    valid: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    last_observations: Sequence[Any]
    last_infos: Sequence[Mapping[str, Any]]
    final_observations: Mapping[tuple[int, int], Any]


@runtime_checkable
class Algorithm(Protocol):
    """Learns; built by `factory(policy, **kwargs)` after the policy was bound."""

    @property
    def policy(self) -> Policy:
        """The policy that acts and is trained."""
        ...

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from a window and return numbers worth logging."""
        ...

    def checkpoint(self, directory: Path) -> WeightsFormat | None:
        """Write what the policy can be rebuilt from into `directory`, or return None when there is nothing."""
        ...


@runtime_checkable
class SeededAlgorithm(Protocol):
    """An algorithm that draws random numbers."""

    def seed(self, generator: np.random.Generator) -> None:
        """Take the generator of this algorithm; called before the first update."""
        ...


@runtime_checkable
class ResumableAlgorithm(Protocol):
    """An algorithm with more state than its policy's weights, such as an optimiser's moments."""

    def save_state(self, directory: Path) -> None:
        """Write that state, without pickle."""
        ...

    def load_state(self, directory: Path) -> None:
        """Take it back; raises `CheckpointError` when it doesn't fit."""
        ...
