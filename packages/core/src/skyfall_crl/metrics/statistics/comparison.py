"""One learner against another, on the same seeds or on seeds of their own."""

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.statistics.interval import Interval, bounded
from skyfall_crl.metrics.statistics.levels import mean_interval
from skyfall_crl.metrics.statistics.seeds import BySeed, Matrix, Seeds, by_seed, draw_counts, ends

METHOD = "bootstrap_probability"


def paired_difference(a: BySeed, b: BySeed) -> Interval:
    """Return the mean over the seeds both have of `a - b`, with its interval: Student's under 10 seeds.

    Seeds that only one side has are left out, flagged `unpaired_seeds`; a sequence counts its seeds from 0.
    """
    left, right = by_seed(a), by_seed(b)
    shared = sorted(set(left.names) & set(right.names))
    differences = left.only(shared).mean(axis=1) - right.only(shared).mean(axis=1)
    found = mean_interval(dict(zip(shared, differences.tolist(), strict=True)))
    return found.flagged(*_flags(left, right))


def probability_of_improvement(a: BySeed, b: BySeed) -> Interval:
    """Return the probability that a run of `a` has more than a run of `b`, ties counting half.

    All runs of one side meet all of the other; with rows of values, the mean over their columns (Agarwal et al.
    2021). Seeds are drawn as wholes: for both sides together where they have the same seeds, else for each
    alone. Raises `ValueError` for rows of unequal length.
    """
    left, right = by_seed(a), by_seed(b)
    flags = _flags(left, right)
    count = min(len(left.names), len(right.names))
    if not count:
        return Interval.missing("no_seed", METHOD, flags=flags)
    if left.cells.shape[1] != right.cells.shape[1]:
        raise ValueError(
            f"statistics: expected as many values on both sides, found {left.cells.shape[1]} and "
            f"{right.cells.shape[1]}"
        )
    wins = _wins(left.cells, right.cells)
    value = float(wins.mean())
    if count == 1:
        return bounded(np.nan, value, np.nan, METHOD, count, flags)
    low, high = ends(_replicates(wins, paired=left.names == right.names))
    return bounded(low, value, high, METHOD, count, flags)


def _wins(left: Matrix, right: Matrix) -> NDArray[np.float64]:
    """Return, for each pair of runs, the share of columns in which the left one has more."""
    above = left[:, None, :] > right[None, :, :]
    equal = left[:, None, :] == right[None, :, :]
    wins: NDArray[np.float64] = (above + 0.5 * equal).mean(axis=2)
    return wins


def _replicates(wins: NDArray[np.float64], *, paired: bool) -> NDArray[np.float64]:
    rows, columns = wins.shape
    left = draw_counts(rows)
    right = left if paired else draw_counts(columns, stream=1)
    replicates: NDArray[np.float64] = ((left @ wins) * right).sum(axis=1) / (rows * columns)
    return replicates


def _flags(left: Seeds, right: Seeds) -> tuple[str, ...]:
    unpaired = () if left.names == right.names else ("unpaired_seeds",)
    return tuple(dict.fromkeys((*left.flags, *right.flags, *unpaired)))
