"""Categorical distributions: masks, probabilities, draws and gradients for batches of discrete choices."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.policies.arrays import Choices, Index, Mask, Matrix, Vector

FORBIDDEN = -1e30
"""Logit of a masked choice: its probability is exactly 0 and probability x log-probability stays 0."""


class Categorical(NamedTuple):
    """Distributions of N choices among A: `probabilities` and `log_probabilities` of shape (N, A)."""

    probabilities: Matrix
    log_probabilities: Matrix

    def log_probs(self, choices: Choices) -> Vector:
        """Return the log-probability of one choice in each row, shape (N,)."""
        picked: Vector = self.log_probabilities[np.arange(len(choices)), choices]
        return picked

    def entropies(self) -> Vector:
        """Return the entropy of each distribution in nats, shape (N,)."""
        entropies: Vector = -np.einsum("ij,ij->i", self.probabilities, self.log_probabilities)
        return entropies

    def gradient(self, choices: Choices, pull: Vector, entropy: float, out: Matrix) -> None:
        """Write the gradient of `-pull * log p(choice) - entropy * H` of each row by its logits to `out` (N, A)."""
        np.add(self.log_probabilities, self.entropies()[:, None], out=out)
        out *= entropy
        out += pull[:, None]
        out *= self.probabilities
        out[np.arange(len(pull)), choices] -= pull

    def divergences(self, before: "Categorical") -> Vector:
        """Return the Kullback-Leibler divergence of each row from `before`, in nats."""
        gaps = before.log_probabilities - self.log_probabilities
        divergences: Vector = np.einsum("ij,ij->i", before.probabilities, gaps)
        return divergences

    def divergence_gradient(self, before: "Categorical") -> Matrix:
        """Return the gradient of `divergences(before)` by the logits, shape (N, A)."""
        return self.probabilities - before.probabilities


def categorical(logits: Matrix, mask: Mask | None = None) -> Categorical:
    """Return the softmax of `logits` (N, A) over the choices that `mask` (N, A) allows."""
    shifted = _shift(logits, mask)
    exponentials = np.exp(shifted)
    totals = exponentials.sum(1, keepdims=True)
    exponentials /= totals
    shifted -= np.log(totals)
    return Categorical(exponentials, shifted)


def choose(logits: Matrix, mask: Mask | None, generator: np.random.Generator | None) -> tuple[Index, Vector]:
    """Return a choice for each row of `logits` (N, A) and its log-probability, both (N,).

    One uniform number of `generator` decides each row; without a generator the likeliest choice wins. A masked
    choice never does.
    """
    shifted = _shift(logits, mask)
    cumulative = np.exp(shifted).cumsum(1)
    totals = cumulative[:, -1]
    chosen: Index
    if generator is None:
        chosen = shifted.argmax(1)
    else:
        thresholds = generator.random(len(totals)) * totals
        chosen = (cumulative > thresholds[:, None]).argmax(1)
    return chosen, shifted[np.arange(len(chosen)), chosen] - np.log(totals)


def forbid(logits: Matrix, mask: Mask | None) -> Matrix:
    """Return `logits` (N, A) with `FORBIDDEN` wherever `mask` (N, A) doesn't allow."""
    return logits if mask is None else np.where(mask, logits, FORBIDDEN)


def _shift(logits: Matrix, mask: Mask | None) -> Matrix:
    logits = forbid(logits, mask)
    shifted: Matrix = logits - logits.max(1, keepdims=True)
    return shifted


def stack_masks(infos: Sequence[Mapping[str, Any]], choices: int) -> Mask | None:
    """Return `info["action_mask"]` of each world as booleans (N, `choices`), or None when no world has one.

    A world without a mask allows all. Raises `PolicyError` for a mask of another length or of nothing.
    """
    masks = [info.get("action_mask") for info in infos]
    if all(mask is None for mask in masks):
        return None
    everything = np.ones(choices, dtype=np.bool_)
    try:
        stacked = np.array([everything if mask is None else mask for mask in masks], dtype=np.bool_)
    except ValueError:
        stacked = np.empty((len(masks), 0), dtype=np.bool_)
    if stacked.shape != (len(masks), choices):
        found = sorted({np.shape(mask) for mask in masks if mask is not None})
        raise PolicyError(f"action mask: expected shape ({choices},) for each world, found {found}")
    if not stacked.any(1).all():
        world = int(stacked.any(1).argmin())
        raise PolicyError(f"action mask: world {world} of the batch allows no action; allow at least one")
    return stacked
