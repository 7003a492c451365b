"""Observations and infos of several worlds as batches, in the form Gymnasium's vector environments give them."""

from collections.abc import Collection, Mapping
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
        self._spare: Any = create_empty_array(single_space, num_envs)

    def copy(self) -> Any:
        """Return the batch, which shares nothing with this object or with any world."""
        return _copied(self._batch)

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
        batch = concatenate(self.single_space, rows, self._spare)
        self._batch, self._spare = batch, self._batch

    def _refused(self, observations: Mapping[int, Any]) -> dict[int, Exception]:
        refused = {}
        for world, observation in observations.items():
            empty: Any = create_empty_array(self.single_space, 1)
            try:
                concatenate(self.single_space, [observation], empty)
            except Exception as error:
                refused[world] = error
        return refused


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
            if key in gathered:
                gathered[key][world] = value
            else:
                gathered[key] = {world: value}
    batched: dict[str, Any] = {}
    for key, values in gathered.items():
        mask = np.zeros(num_envs, dtype=np.bool_)
        for world in values:
            mask[world] = True
        batched[key], batched[f"_{key}"] = _column(values, num_envs), mask
    return batched


def _column(values: Mapping[int, Any], num_envs: int) -> Any:
    first = next(iter(values.values()))
    kind = type(first)
    for value in values.values():
        if type(value) is not kind:
            return _objects(values, num_envs)
    if issubclass(kind, dict):
        return batch_infos(values, num_envs)
    if kind in _PYTHON_NUMBERS or issubclass(kind, np.number):
        column = np.zeros(num_envs, dtype=kind)
    elif issubclass(kind, np.ndarray) and _alike(values.values()):
        column = np.zeros((num_envs, *first.shape), dtype=first.dtype)
    else:
        return _objects(values, num_envs)
    try:
        for world, value in values.items():
            column[world] = value
    except OverflowError:
        return _objects(values, num_envs)
    return column


def _objects(values: Mapping[int, Any], num_envs: int) -> npt.NDArray[np.object_]:
    column = np.empty(num_envs, dtype=object)
    for world, value in values.items():
        column[world] = value
    return column


def _alike(arrays: Collection[npt.NDArray[Any]]) -> bool:
    return len({(array.shape, array.dtype) for array in arrays}) == 1


def _copied(batch: Any) -> Any:
    """Copy a batch; `deepcopy` takes several times as long for the arrays, texts and mappings it is made of."""
    if isinstance(batch, np.ndarray):
        return batch.copy()
    if type(batch) is dict:
        return {key: _copied(part) for key, part in batch.items()}
    if type(batch) is tuple:
        return tuple([part if isinstance(part, str) else _copied(part) for part in batch])
    return deepcopy(batch)
