"""Observations and infos of several worlds as batches, in the form Gymnasium's vector environments give them."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Space
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

_PYTHON_NUMBERS = (int, float, bool)


class ObservationBatch:
    """The last observation of each of `num_envs` worlds, an empty one before it gave any."""

    def __init__(self, single_space: Space[Any], num_envs: int) -> None:
        self.single_space, self.num_envs = single_space, num_envs
        self.space = batch_space(single_space, num_envs)
        self._batch: Any = create_empty_array(single_space, num_envs)

    def copy(self) -> Any:
        """Return the batch, which shares nothing with this object or with any world."""
        return deepcopy(self._batch)

    def renew(self, observations: Mapping[int, Any]) -> dict[int, Exception]:
        """Put in what worlds observed, by world; return why for those whose observation can't be batched."""
        try:
            self._put(observations)
        except Exception:
            refused = self._refused(observations)
            self._put({world: seen for world, seen in observations.items() if world not in refused})
            return refused
        return {}

    def _put(self, observations: Mapping[int, Any]) -> None:
        if len(observations) == self.num_envs:
            rows = [observations[world] for world in range(self.num_envs)]
        else:
            kept = [None] * self.num_envs if self._batch is None else iterate(self.space, self._batch)
            rows = [observations.get(world, last) for world, last in enumerate(kept)]
        self._batch = self._concatenated(rows)

    def _refused(self, observations: Mapping[int, Any]) -> dict[int, Exception]:
        refused = {}
        for world, observation in observations.items():
            try:
                self._concatenated([observation])
            except Exception as error:
                refused[world] = error
        return refused

    def _concatenated(self, rows: Sequence[Any]) -> Any:
        empty: Any = create_empty_array(self.single_space, len(rows))
        return concatenate(self.single_space, rows, empty)


def batch_infos(infos: Mapping[int, Mapping[str, Any]], num_envs: int) -> dict[str, Any]:
    """Return a column for each key, shape (num_envs, ...), and beside it `_key`, the mask of who gave it.

    `infos` maps a world's number to its info. Numbers of one type and arrays of one shape and dtype make a
    typed column, dictionaries are batched in the same way, anything else stands in a column of objects; so do
    values whose types differ between worlds, which keeps each as its world gave it. Worlds without a value
    hold 0 or None there.
    """
    gathered: dict[str, dict[int, Any]] = {}
    for world, info in infos.items():
        for key, value in info.items():
            gathered.setdefault(key, {})[world] = value
    batched: dict[str, Any] = {}
    for key, values in gathered.items():
        mask = np.zeros(num_envs, dtype=np.bool_)
        mask[list(values)] = True
        batched[key], batched[f"_{key}"] = _column(values, num_envs), mask
    return batched


def _column(values: Mapping[int, Any], num_envs: int) -> Any:
    first = next(iter(values.values()))
    kind = type(first)
    if all(isinstance(value, dict) for value in values.values()):
        return batch_infos(values, num_envs)
    if all(type(value) is kind for value in values.values()):
        typed = _typed_column(first, values, num_envs)
        if typed is not None:
            return typed
    column = np.full(num_envs, None, dtype=object)
    for world, value in values.items():
        column[world] = value
    return column


def _typed_column(first: Any, values: Mapping[int, Any], num_envs: int) -> npt.NDArray[Any] | None:
    """Return the values, all of one type, in an array of that type; None where they don't fit in one."""
    if isinstance(first, np.ndarray):
        if any(value.shape != first.shape or value.dtype != first.dtype for value in values.values()):
            return None
        column = np.zeros((num_envs, *first.shape), dtype=first.dtype)
    elif type(first) in _PYTHON_NUMBERS or isinstance(first, np.number):
        column = np.zeros(num_envs, dtype=type(first))
    else:
        return None
    try:
        column[list(values)] = list(values.values())
    except OverflowError:
        return None
    return column
