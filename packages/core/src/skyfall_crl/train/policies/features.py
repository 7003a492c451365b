"""Feature encoding: batches of observations to a matrix of numbers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.policies.arrays import Matrix


@dataclass(frozen=True, slots=True)
class _Member:
    path: tuple[str, ...]
    columns: slice
    encode: Callable[[Sequence[Any]], Matrix]


class FeatureEncoder:
    """Turns observations of one space into float64 vectors of length `size`.

    Box is flattened as it is, except that uint8 is scaled by its bounds to [0, 1]; Discrete is one-hot;
    MultiBinary is flattened; the members of a Dict, nested ones included, follow each other in the order of
    the space. Raises `PolicyError` for any other space.
    """

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.size = 0
        self._members: list[_Member] = []
        for path, leaf in _leaves(space, ()):
            width, encode = _leaf_encoder(leaf, path)
            self._members.append(_Member(path, slice(self.size, self.size + width), encode))
            self.size += width

    def encode(self, batch: Sequence[Any]) -> Matrix:
        """Return features (N, `size`) of N observations; raises `PolicyError` if one doesn't fit."""
        if len(batch) == 0:
            return np.empty((0, self.size))
        if len(self._members) == 1 and not self._members[0].path:
            return self._members[0].encode(batch)
        features = np.empty((len(batch), self.size))
        for member in self._members:
            features[:, member.columns] = member.encode(_pick(batch, member.path))
        return features


def _leaves(
    space: spaces.Space[Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], spaces.Space[Any]]]:
    if isinstance(space, spaces.Dict):
        for key, member in space.spaces.items():
            yield from _leaves(member, (*path, key))
    else:
        yield path, space


def _pick(batch: Sequence[Any], path: tuple[str, ...]) -> Sequence[Any]:
    try:
        for key in path:
            batch = [observation[key] for observation in batch]
    except (KeyError, TypeError, IndexError) as error:
        raise PolicyError(f"observation: expected a member {'.'.join(path)!r}, found none") from error
    return batch


def _leaf_encoder(
    space: spaces.Space[Any], path: tuple[str, ...]
) -> tuple[int, Callable[[Sequence[Any]], Matrix]]:
    if isinstance(space, spaces.Discrete):
        return int(space.n), _one_hot(space, path)
    if isinstance(space, (spaces.Box, spaces.MultiBinary)):
        return prod(space.shape), _flat(space, path)
    raise PolicyError(
        f"observation space: {_name(path)} is {space}, and a numpy policy reads only Box, Discrete, "
        "MultiBinary and Dict of these; choose a task view whose encode() gives numbers"
    )


def _flat(space: spaces.Box | spaces.MultiBinary, path: tuple[str, ...]) -> Callable[[Sequence[Any]], Matrix]:
    shape = space.shape
    width = prod(shape)
    scale: tuple[Matrix, Matrix] | None = None
    if isinstance(space, spaces.Box) and space.dtype == np.uint8:
        low = space.low.astype(np.float64).ravel()
        scale = low, np.maximum(space.high.astype(np.float64).ravel() - low, 1.0)

    def encode(values: Sequence[Any]) -> Matrix:
        try:
            matrix = np.array(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise PolicyError(
                f"observation: {_name(path)} should be numbers of shape {shape}: {error}"
            ) from error
        if matrix.shape[1:] != shape:
            raise PolicyError(
                f"observation: {_name(path)} should have shape {shape}, found {matrix.shape[1:]}"
            )
        flat = matrix if len(shape) == 1 else matrix.reshape(len(values), width)
        return flat if scale is None else (flat - scale[0]) / scale[1]

    return encode


def _one_hot(space: spaces.Discrete, path: tuple[str, ...]) -> Callable[[Sequence[Any]], Matrix]:
    first, count = int(space.start), int(space.n)

    def encode(values: Sequence[Any]) -> Matrix:
        index = np.array([int(value) - first for value in values])
        if index.min() < 0 or index.max() >= count:
            found = sorted({int(value) for value in values})
            raise PolicyError(f"observation: {_name(path)} should be in {space}, found {found}")
        matrix = np.zeros((len(values), count))
        matrix[np.arange(len(values)), index] = 1.0
        return matrix

    return encode


def _name(path: tuple[str, ...]) -> str:
    return repr(".".join(path)) if path else "the observation"
