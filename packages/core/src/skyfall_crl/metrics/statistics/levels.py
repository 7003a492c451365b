"""Means and interquartile means over seeds, by bootstrap or by Student's t, and the range of runs."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skyfall_crl.metrics.statistics.interval import FEW_SEEDS, Interval, bounded
from skyfall_crl.metrics.statistics.seeds import CONFIDENCE, BySeed, Matrix, by_seed, draws, ends
from skyfall_crl.metrics.statistics.student import t_quantile

Statistic = Literal["mean", "iqm"]


def interquartile_mean(values: ArrayLike) -> float:
    """Return the mean of the middle half: a quarter of the values, rounded down, is left out at either end.

    Agarwal et al. 2021, "Deep RL at the edge of the statistical precipice", as `rliable` computes it. Raises
    ValueError without a value.
    """
    flat = np.asarray(values, np.float64).reshape(1, -1)
    if not flat.size:
        raise ValueError("interquartile_mean: expected at least one value, found none")
    return float(_interquartile_means(flat)[0])


def bootstrap(values_by_seed: BySeed, statistic: Statistic = "mean") -> Interval:
    """Return the percentile interval, at 95 %, of a mean or an interquartile mean from 10,000 draws of seeds.

    A seed has one value or a row of values, such as one for each identity; a draw takes or leaves the whole
    row, because the values of one run stand or fall together. The generator is fixed: the same values give
    the same interval. None leaves a seed out, flagged `missing_seeds`; without any seed the reason is `no_seed`.
    """
    seeds = by_seed(values_by_seed)
    method = f"bootstrap_{statistic}"
    count = len(seeds.names)
    if not count:
        return Interval.missing("no_seed", method, flags=seeds.flags)
    level: Callable[[Matrix], Matrix] = _interquartile_means if statistic == "iqm" else _means
    value = float(level(seeds.cells.reshape(1, -1))[0])
    if count == 1:
        return bounded(np.nan, value, np.nan, method, count, seeds.flags)
    width = seeds.cells.shape[1]
    replicates = [level(seeds.cells[places].reshape(len(places), -1)) for places in draws(count, width)]
    low, high = ends(np.concatenate(replicates))
    return bounded(low, value, high, method, count, seeds.flags)


def t_interval(values_by_seed: BySeed) -> Interval:
    """Return Student's interval, at 95 %, of the mean of the seeds' means."""
    seeds = by_seed(values_by_seed)
    count = len(seeds.names)
    if not count:
        return Interval.missing("no_seed", "student_t", flags=seeds.flags)
    means = seeds.cells.mean(axis=1)
    value = float(means.mean())
    if count == 1:
        return bounded(np.nan, value, np.nan, "student_t", count, seeds.flags)
    error = float(means.std(ddof=1)) / count**0.5
    half = t_quantile((1 + CONFIDENCE) / 2, count - 1) * error
    return bounded(value - half, value, value + half, "student_t", count, seeds.flags)


def mean_interval(values_by_seed: BySeed) -> Interval:
    """Return the interval of the mean that fits the number of seeds: Student's under 10, else the bootstrap."""
    few = len(by_seed(values_by_seed).names) < FEW_SEEDS
    return t_interval(values_by_seed) if few else bootstrap(values_by_seed)


def run_range(values_by_seed: BySeed) -> Interval:
    """Return the least and the greatest seed's mean around their median: what single runs did, no interval."""
    seeds = by_seed(values_by_seed)
    if not seeds.names:
        return Interval.missing("no_seed", "min_max", flags=seeds.flags)
    means = seeds.cells.mean(axis=1)
    low, high = float(means.min()), float(means.max())
    return bounded(low, float(np.median(means)), high, "min_max", len(seeds.names), seeds.flags)


def _means(rows: Matrix) -> NDArray[np.float64]:
    means: NDArray[np.float64] = rows.mean(axis=1)
    return means


def _interquartile_means(rows: Matrix) -> NDArray[np.float64]:
    width = rows.shape[1]
    cut = width // 4
    means: NDArray[np.float64] = np.sort(rows, axis=1)[:, cut : width - cut].mean(axis=1)
    return means
