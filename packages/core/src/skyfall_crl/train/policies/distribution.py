"""What a policy's outputs mean: the protocols of action spaces and of the distributions over them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.policies.arrays import Choices, Mask, Matrix, Vector

D = TypeVar("D", bound="Distribution")


class Distribution(Protocol):
    """N distributions, one a row, over the actions of one space; A outputs of the policy give each."""

    def log_probs(self, choices: Choices) -> Vector:
        """Return the log-probability, or log-density, of one choice in each row, shape (N,)."""
        ...

    def entropies(self) -> Vector:
        """Return the entropy of each row in nats, shape (N,)."""
        ...

    def gradient(self, choices: Choices, pull: Vector, entropy: float, out: Matrix) -> None:
        """Write the gradient of `-pull * log p(choice) - entropy * H` of each row by its outputs to `out` (N, A)."""
        ...

    def divergences(self: D, before: D) -> Vector:
        """Return the Kullback-Leibler divergence of each row from `before`, shape (N,)."""
        ...

    def divergence_gradient(self: D, before: D) -> Matrix:
        """Return the gradient of `divergences(before)` by the outputs, shape (N, A)."""
        ...


class Drawn(NamedTuple):
    """Actions of N worlds as the environment takes them, their log-probabilities, and what the row should keep."""

    actions: list[Any]
    log_probs: list[float]
    extras: list[Mapping[str, Any]] | None


class Actions(Protocol):
    """The actions of one space.

    A policy puts out `columns` numbers for a decision, the last `free` of which depend on no feature and start at
    `start`. The choice behind one decision has shape `choice_shape`, and is whole numbers where `discrete`.
    """

    columns: int
    free: int
    start: float
    choice_shape: tuple[int, ...]
    discrete: bool

    def mask(self, infos: Sequence[Mapping[str, Any]]) -> Mask | None:
        """Return which choices each world allows, shape (N, `columns`), or None for all."""
        ...

    def draw(self, outputs: Matrix, mask: Mask | None, generator: np.random.Generator | None) -> Drawn:
        """Draw an action from each row of outputs; without a generator take the likeliest."""
        ...

    def distribution(self, outputs: Matrix, mask: Mask | None) -> Distribution:
        """Return the distributions that rows of outputs stand for."""
        ...

    def read(self, decisions: Sequence[Decision]) -> Choices:
        """Return the choices behind decisions, one a row; raises `PolicyError` for one that isn't of the space."""
        ...


def unreadable(expected: str) -> PolicyError:
    """Return the error for a window whose decisions lack what a gradient needs."""
    return PolicyError(f"window: expected {expected} in each valid decision")
