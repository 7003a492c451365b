"""Box actions: a diagonal Gaussian whose spread is learned and the same everywhere, clipped at the space's border."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.policies.arrays import Choices, Mask, Matrix, Vector
from skyfall_crl.train.policies.distribution import Drawn, unreadable

UNCLIPPED = "unclipped"
"""Where a decision keeps what was drawn, when the action at the border differs from it."""

NORMALISER = 0.5 * math.log(2 * math.pi)


class Gaussian(NamedTuple):
    """N Gaussians over K numbers in units of the space's half width: `means` and `log_stds` of shape (N, K)."""

    means: Matrix
    log_stds: Matrix

    def log_probs(self, choices: Choices) -> Vector:
        """Return the log-density of `choices` (N, K), shape (N,)."""
        surprises = (choices - self.means) * np.exp(-self.log_stds)
        densities: Vector = -(0.5 * surprises * surprises + self.log_stds + NORMALISER).sum(1)
        return densities

    def entropies(self) -> Vector:
        """Return the differential entropy of each row in nats, shape (N,)."""
        entropies: Vector = (self.log_stds + NORMALISER + 0.5).sum(1)
        return entropies

    def gradient(self, choices: Choices, pull: Vector, entropy: float, out: Matrix) -> None:
        """Write the gradient by means and by log-deviations, side by side, to `out` (N, 2 K)."""
        width = self.means.shape[1]
        precision = np.exp(-self.log_stds)
        surprises = (choices - self.means) * precision
        out[:, :width] = -pull[:, None] * surprises * precision
        out[:, width:] = -pull[:, None] * (surprises * surprises - 1.0) - entropy

    def divergences(self, before: "Gaussian") -> Vector:
        """Return the divergence of each row from `before`, shape (N,)."""
        shares = np.exp(2 * (before.log_stds - self.log_stds))
        gaps = (before.means - self.means) * np.exp(-self.log_stds)
        parts = self.log_stds - before.log_stds + 0.5 * (shares + gaps * gaps - 1.0)
        divergences: Vector = parts.sum(1)
        return divergences

    def divergence_gradient(self, before: "Gaussian") -> Matrix:
        """Return the gradient by means and by log-deviations, shape (N, 2 K)."""
        precision = np.exp(-self.log_stds)
        gaps = (before.means - self.means) * precision
        shares = np.exp(2 * (before.log_stds - self.log_stds))
        return np.concatenate([-gaps * precision, 1.0 - shares - gaps * gaps], axis=1)


class BoxActions:
    """The actions of a Box of floats.

    Outputs are in units of half the space's width around its centre where it is bounded, and plain elsewhere; the
    first deviation is `exp(start)` of these. What was drawn is clipped to the space, and the log-density is that of
    what was drawn.
    """

    start = math.log(0.5)
    discrete = False

    def __init__(self, space: spaces.Box) -> None:
        if not np.issubdtype(space.dtype, np.floating):
            raise PolicyError(f"action space: expected a Box of floats, found {space}")
        low, high = space.low.astype(np.float64).ravel(), space.high.astype(np.float64).ravel()
        bounded = np.isfinite(low) & np.isfinite(high)
        self._low, self._high, self._shape, self._dtype = space.low, space.high, space.shape, space.dtype
        self._centre, self._scale = np.zeros(low.size), np.ones(low.size)
        self._centre[bounded] = (low[bounded] + high[bounded]) / 2
        self._scale[bounded] = np.maximum((high[bounded] - low[bounded]) / 2, 1e-8)
        self.free, self.columns = low.size, 2 * low.size
        self.choice_shape: tuple[int, ...] = (low.size,)

    def mask(self, infos: Sequence[Mapping[str, Any]]) -> Mask | None:
        """Return None; all of the space is allowed."""
        return None

    def draw(self, outputs: Matrix, mask: Mask | None, generator: np.random.Generator | None) -> Drawn:
        """Draw every number of every row; the extras hold what was drawn outside the space."""
        means, log_stds = outputs[:, : self.free], outputs[:, self.free :]
        noise = 0.0 if generator is None else np.exp(log_stds) * generator.standard_normal(means.shape)
        drawn = self._centre + self._scale * (means + noise)
        actions = drawn.reshape(-1, *self._shape).astype(self._dtype)
        clipped = np.clip(actions, self._low, self._high)
        outside = (clipped != actions).reshape(len(actions), -1).any(1)
        choices = (actions.reshape(len(actions), -1).astype(np.float64) - self._centre) / self._scale
        log_probs = Gaussian(means, log_stds).log_probs(choices).tolist()
        extras: list[Mapping[str, Any]] = [
            {UNCLIPPED: action.tolist()} if out else {} for action, out in zip(actions, outside, strict=True)
        ]
        return Drawn(list(clipped), log_probs, extras if outside.any() else None)

    def distribution(self, outputs: Matrix, mask: Mask | None) -> Gaussian:
        """Return the Gaussians that rows of outputs stand for."""
        return Gaussian(outputs[:, : self.free], outputs[:, self.free :])

    def read(self, decisions: Sequence[Decision]) -> Choices:
        """Return what was drawn in the units of the outputs, shape (N, K)."""
        drawn = [decision.extras.get(UNCLIPPED, decision.action) for decision in decisions]
        try:
            actions = np.array(drawn, dtype=np.float64).reshape(len(decisions), self.free)
        except (TypeError, ValueError) as error:
            raise unreadable("an action of the space") from error
        if not np.isfinite(actions).all():
            raise unreadable("finite numbers")
        return (actions - self._centre) / self._scale
