"""MultiDiscrete actions: several choices made at once, each by a softmax of its own, independent of the others."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.policies.arrays import Choices, Mask, Matrix, Vector
from skyfall_crl.train.policies.categorical import Categorical, categorical, choose
from skyfall_crl.train.policies.distribution import Drawn, unreadable


class Factorised(NamedTuple):
    """The product of K categorical distributions; choices have shape (N, K)."""

    factors: list[Categorical]

    def log_probs(self, choices: Choices) -> Vector:
        """Return the sum over the factors, shape (N,)."""
        parts = [factor.log_probs(column) for factor, column in zip(self.factors, choices.T, strict=True)]
        total: Vector = np.sum(parts, axis=0)
        return total

    def entropies(self) -> Vector:
        """Return the sum over the factors, shape (N,)."""
        total: Vector = np.sum([factor.entropies() for factor in self.factors], axis=0)
        return total

    def gradient(self, choices: Choices, pull: Vector, entropy: float, out: Matrix) -> None:
        """Write each factor's gradient to its own columns of `out`."""
        first = 0
        for factor, column in zip(self.factors, choices.T, strict=True):
            last = first + factor.probabilities.shape[1]
            factor.gradient(column, pull, entropy, out[:, first:last])
            first = last

    def divergences(self, before: "Factorised") -> Vector:
        """Return the sum over the factors, shape (N,)."""
        pairs = zip(self.factors, before.factors, strict=True)
        total: Vector = np.sum([factor.divergences(old) for factor, old in pairs], axis=0)
        return total

    def divergence_gradient(self, before: "Factorised") -> Matrix:
        """Return each factor's gradient in its own columns."""
        pairs = zip(self.factors, before.factors, strict=True)
        return np.concatenate([factor.divergence_gradient(old) for factor, old in pairs], axis=1)


class MultiDiscreteActions:
    """The actions of a MultiDiscrete space with one axis."""

    free = 0
    start = 0.0
    discrete = True

    def __init__(self, space: spaces.MultiDiscrete) -> None:
        if np.ndim(space.nvec) != 1:
            raise PolicyError(f"action space: expected a MultiDiscrete with one axis, found {space}")
        self._first = np.asarray(space.start)
        self._sizes = np.asarray(space.nvec)
        self._dtype = space.dtype
        self._cuts = np.cumsum(self._sizes)[:-1].tolist()
        self.columns = int(self._sizes.sum())
        self.choice_shape: tuple[int, ...] = (len(self._sizes),)

    def mask(self, infos: Sequence[Mapping[str, Any]]) -> Mask | None:
        """Return None; a mask over several choices at once has no agreed form."""
        return None

    def draw(self, outputs: Matrix, mask: Mask | None, generator: np.random.Generator | None) -> Drawn:
        """Draw every factor of every row."""
        drawn = [choose(part, None, generator) for part in np.split(outputs, self._cuts, axis=1)]
        chosen = np.stack([choices for choices, _ in drawn], axis=1) + self._first
        log_probs: Vector = np.sum([log_probs for _, log_probs in drawn], axis=0)
        return Drawn(list(chosen.astype(self._dtype)), log_probs.tolist(), None)

    def distribution(self, outputs: Matrix, mask: Mask | None) -> Factorised:
        """Return the product of the factors' softmaxes."""
        return Factorised([categorical(part) for part in np.split(outputs, self._cuts, axis=1)])

    def read(self, decisions: Sequence[Decision]) -> Choices:
        """Return the number of every choice, shape (N, K)."""
        try:
            choices = np.array([decision.action for decision in decisions], dtype=np.intp) - self._first
        except (TypeError, ValueError) as error:
            raise unreadable(f"{len(self._sizes)} discrete choices") from error
        if choices.ndim != 2 or (choices < 0).any() or (choices >= self._sizes).any():
            raise unreadable("an action of the space")
        return choices
