"""Values by seed as arrays, and draws of whole seeds with a fixed generator."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REPETITIONS = 10_000
CONFIDENCE = 0.95
GENERATOR_SEED = 20_260_101
_CHUNK_CELLS = 1 << 20

Cells = float | None | Sequence[float | None]
BySeed = Mapping[int, Cells] | Sequence[Cells]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds that have all their values, in rising order; `cells` has one row for each."""

    names: tuple[int, ...]
    cells: Matrix
    flags: tuple[str, ...]

    def only(self, names: Sequence[int]) -> Matrix:
        """Return the rows of these seeds."""
        places = {name: place for place, name in enumerate(self.names)}
        return self.cells[[places[name] for name in names]]


def by_seed(values: BySeed) -> Seeds:
    """Take one value for each seed, or one row of values; a sequence counts its seeds from 0.

    Seeds with a value that is None or no finite number are left out as a whole. Raises `ValueError` for rows
    of unequal length.
    """
    entries = dict(values) if isinstance(values, Mapping) else dict(enumerate(values))
    rows = {seed: _row(entries[seed]) for seed in sorted(entries)}
    widths = {len(row) for row in rows.values()}
    if len(widths) > 1:
        raise ValueError(
            f"statistics: expected as many values for every seed, found {sorted(widths)}; fill gaps with None"
        )
    whole = {seed: row for seed, row in rows.items() if len(row) and np.isfinite(row).all()}
    cells = np.array(list(whole.values())) if whole else np.empty((0, 1))
    return Seeds(tuple(whole), cells, () if len(whole) == len(rows) else ("missing_seeds",))


def draws(seeds: int, cells: int = 1) -> Iterator[NDArray[np.int64]]:
    """Yield `REPETITIONS` draws of `seeds` places with replacement, in pieces that keep memory small.

    The same numbers come out whenever `seeds` is the same, however wide the rows of `cells` are.
    """
    places = _places(seeds, 0)
    step = max(1, _CHUNK_CELLS // max(1, seeds * cells))
    for begin in range(0, REPETITIONS, step):
        yield places[begin : begin + step]


def draw_counts(seeds: int, stream: int = 0) -> Matrix:
    """Return how often each seed is taken in each draw; another `stream` gives draws independent of these."""
    places = _places(seeds, stream) + seeds * np.arange(REPETITIONS)[:, None]
    return (
        np.bincount(places.ravel(), minlength=REPETITIONS * seeds).reshape(REPETITIONS, seeds).astype(float)
    )


def ends(replicates: NDArray[np.float64]) -> tuple[float, float]:
    """Return the percentiles that hold 95 % of the replicates between them."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return float(low), float(high)


def _places(seeds: int, stream: int) -> NDArray[np.int64]:
    source = np.random.SeedSequence(GENERATOR_SEED, spawn_key=(stream,))
    generator = np.random.Generator(np.random.PCG64(source))
    return generator.integers(0, seeds, (REPETITIONS, seeds))


def _row(cells: Cells) -> NDArray[np.float64]:
    """Return a seed's values, NaN for None."""
    return np.atleast_1d(np.array(cells, np.float64))
