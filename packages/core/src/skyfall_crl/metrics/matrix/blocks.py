"""Gathering the matrix R from a stream of rows: blocks of training, and evaluations between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.matrix.performance import Level, PerformanceMatrix
from skyfall_crl.trace.batch import Labels

EVALUATION = "eval"

Columns = Mapping[str, NDArray[np.generic] | Sequence[str]]


@dataclass(slots=True)
class _Evaluation:
    """One identity's evaluation so far: `world` is the world it takes place in, `trained` the rows before it."""

    world: str
    trained: int
    total: float = 0.0
    rewards: int = 0
    nulls: int = 0


class MatrixBuilder:
    """Takes columns in file order; memory grows with blocks and identities.

    A block is a stay of the first training world in one identity, as the schedule is that of all worlds. Rows of
    phase `eval` belong to the block whose rows lie before them; of several evaluations in a block the last
    counts.
    """

    def __init__(self) -> None:
        self._first_world: str | None = None
        self._trained: list[str] = []
        self._steps = 0
        self._ends: list[int] = []
        self._rows: list[dict[str, _Evaluation]] = [{}]

    def add(self, columns: Columns) -> None:
        """Take the next rows."""
        phases = labels(columns["phase"])
        names = set(phases.names)
        if EVALUATION not in names or not (evaluated := phases.codes == phases.names.index(EVALUATION)).any():
            self._train(columns, slice(None))
            return
        edges = [0, *(np.flatnonzero(np.diff(evaluated)) + 1).tolist(), len(evaluated)]
        for begin, end in pairwise(edges):
            rows = slice(begin, end)
            if evaluated[begin]:
                self._evaluate(columns, rows)
            else:
                self._train(columns, rows)

    def finish(self) -> PerformanceMatrix:
        """Return the matrix of everything taken."""
        ends = [0, *self._ends, self._steps] if self._trained else [0]
        rows = [
            {
                identity: Level(found.total / found.rewards, found.trained < end, found.nulls > 0)
                for identity, found in row.items()
                if found.rewards
            }
            for row, end in zip(self._rows, ends, strict=True)
        ]
        return PerformanceMatrix(tuple(self._trained), rows)

    def _train(self, columns: Columns, rows: slice) -> None:
        worlds = labels(columns["world"])[rows]
        if not len(worlds.codes):
            return
        if self._first_world is None:
            self._first_world = worlds.names[int(worlds.codes[0])]
        if self._first_world not in worlds.names:
            return
        training = worlds.codes == worlds.names.index(self._first_world)
        identities = labels(columns["regime_identity"])[rows]
        codes = identities.codes[training]
        if not len(codes):
            return
        for begin, end in pairwise([0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]):
            self._stay(identities.names[int(codes[begin])], end - begin)

    def _stay(self, identity: str, steps: int) -> None:
        if not self._trained or self._trained[-1] != identity:
            if self._trained:
                self._ends.append(self._steps)
            self._trained.append(identity)
            self._rows.append({})
        self._steps += steps

    def _evaluate(self, columns: Columns, rows: slice) -> None:
        worlds, identities = labels(columns["world"])[rows], labels(columns["regime_identity"])[rows]
        rewards = np.asarray(columns["reward"][rows], np.float64)
        changes = (np.diff(worlds.codes) != 0) | (np.diff(identities.codes) != 0)
        for begin, end in pairwise([0, *(np.flatnonzero(changes) + 1).tolist(), len(rewards)]):
            block = self._block(worlds[begin], identities[begin])
            present = rewards[begin:end][~np.isnan(rewards[begin:end])]
            block.total += float(present.sum())
            block.rewards += len(present)
            block.nulls += end - begin - len(present)

    def _block(self, world: str, identity: str) -> _Evaluation:
        """Return the evaluation that goes on, or a new one, which takes the place of the block's earlier one."""
        found = self._rows[-1].get(identity)
        if found is None or (found.world, found.trained) != (world, self._steps):
            found = self._rows[-1][identity] = _Evaluation(world, self._steps)
        return found


def labels(column: NDArray[np.generic] | Sequence[str]) -> Labels:
    """Take a column of names as codes and names."""
    if isinstance(column, Labels):
        return column
    names, codes = np.unique(np.asarray(column, str), return_inverse=True)
    return Labels(codes.astype(np.int64), tuple(names.tolist()))
