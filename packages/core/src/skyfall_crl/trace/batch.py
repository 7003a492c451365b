"""Step rows as columns of equal length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Labels(Sequence[str]):
    """A column of names, stored as `codes` (integers, one per row) into the table `names`.

    The table only grows while a trace is read, so a code means the same name in every batch.
    """

    codes: NDArray[np.int64]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "Labels": ...
    def __getitem__(self, index: int | slice) -> "str | Labels":
        if isinstance(index, slice):
            return Labels(self.codes[index], self.names)
        return self.names[int(self.codes[index])]


@dataclass(frozen=True, slots=True)
class Batch:
    """Step rows in file order, as columns of equal length.

    `reward` and `drift_progress` are NaN where the row has null; a row without a regime id is `unlabelled`,
    one without an identity has its regime id. `resumed` says that a `resume` record lies directly before
    the rows, `uncertain` how many of them nobody knows the outcome of. `versions` are the policy versions of
    the rows between which the version may have changed: constant throughout only if all of these are equal.
    """

    step: NDArray[np.int64]
    world: Labels
    phase: Labels
    regime_id: Labels
    regime_identity: Labels
    drift_progress: NDArray[np.float64]
    reward: NDArray[np.float64]
    resumed: bool = False
    uncertain: int = 0
    versions: tuple[object, ...] = ()

    def __len__(self) -> int:
        return len(self.step)

    def columns(self) -> Mapping[str, NDArray[np.generic] | Sequence[str]]:
        """Return the columns by field name, as the metrics port takes them."""
        return {name: getattr(self, name) for name in _COLUMNS}


_COLUMNS = ("step", "world", "phase", "regime_id", "regime_identity", "drift_progress", "reward")
