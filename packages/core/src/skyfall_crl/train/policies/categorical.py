"""Categorical distributions: masks, probabilities and draws for batches of discrete choices."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.ports.errors import PolicyError

Matrix: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Index: TypeAlias = NDArray[np.intp]

FORBIDDEN = -1e30
"""Logit of a masked choice: its probability is exactly 0 and probability x log-probability stays 0."""


class Categorical(NamedTuple):
    """Distributions of N choices among A: `probabilities` and `log_probabilities` of shape (N, A)."""

    probabilities: Matrix
    log_probabilities: Matrix


def categorical(logits: Matrix, mask: Mask | None = None) -> Categorical:
    """Return the softmax of `logits` (N, A) over the choices that `mask` (N, A) allows."""
    if mask is not None:
        logits = np.where(mask, logits, FORBIDDEN)
    shifted = logits - logits.max(1, keepdims=True)
    exponentials = np.exp(shifted)
    totals = exponentials.sum(1, keepdims=True)
    exponentials /= totals
    shifted -= np.log(totals)
    return Categorical(exponentials, shifted)


def draw(probabilities: Matrix, generator: np.random.Generator) -> Index:
    """Draw one choice a row, from one uniform number each; a choice of probability 0 is never drawn."""
    cumulative = probabilities.cumsum(1)
    thresholds = generator.random(len(probabilities)) * cumulative[:, -1]
    chosen: Index = (cumulative > thresholds[:, None]).argmax(1)
    return chosen


def stack_masks(infos: Sequence[Mapping[str, Any]], choices: int) -> Mask | None:
    """Return `info["action_mask"]` of each world as booleans (N, `choices`), or None when no world has one.

    A world without a mask allows all. Raises `PolicyError` for a mask of another length, or one of nothing.
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
