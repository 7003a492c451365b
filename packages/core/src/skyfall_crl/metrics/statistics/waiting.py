"""The median of waiting times of which some are only known to be longer, with its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.statistics.interval import Interval, bounded
from skyfall_crl.metrics.statistics.seeds import CONFIDENCE, draw_counts
from skyfall_crl.metrics.survival import censored_median

NORMAL_QUANTILE = 1.959963984540054
METHOD = "kaplan_meier"
METHOD_BY_SEED = "kaplan_meier_bootstrap"
_CHUNK = 1000


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Waiting times in rising order, events before what was cut short at the same time."""

    times: NDArray[np.float64]
    event: NDArray[np.bool_]
    owner: NDArray[np.int64]


def kaplan_meier_median(times: Sequence[float], censored_at: Sequence[float]) -> Interval:
    """Return the first time by which half have reached the event, with the interval of Brookmeyer and Crowley 1982.

    `times` are those of events, `censored_at` those at which waiting ended without one; each is a unit of its own. The
    interval holds the times at which 95 % limits of survival (Greenwood, log-log) hold a half. Without any unit the
    reason is `no_event`, where fewer than half got there `censored`.
    """
    count = len(times) + len(censored_at)
    median = censored_median(times, censored_at)
    if median is None:
        return Interval.missing("censored" if count else "no_event", METHOD, count)
    waiting = _in_order([times], [censored_at])
    lower, upper = _survival_limits(waiting)
    low, high = _first(waiting, lower), _first(waiting, upper)
    return bounded(min(low, median), float(median), max(high, median), METHOD, count)


def kaplan_meier_median_by_seed(
    times: Mapping[int, Sequence[float]], censored_at: Mapping[int, Sequence[float]]
) -> Interval:
    """Return the same median over the waiting times of all seeds, with an interval from 10,000 draws of seeds.

    A seed's times share a learner, so that a draw takes all of them or none. `n` counts seeds. A draw without a median
    counts as one that is later than all; a bound among these is None, flagged `unbounded`.
    """
    seeds = sorted({*times, *censored_at})
    every_time = list(chain.from_iterable(times.values()))
    median = censored_median(every_time, list(chain.from_iterable(censored_at.values())))
    if median is None:
        reason = "censored" if any(censored_at.values()) else "no_event"
        return Interval.missing(reason, METHOD_BY_SEED, len(seeds))
    if len(seeds) == 1:
        return bounded(np.nan, float(median), np.nan, METHOD_BY_SEED, 1)
    waiting = _in_order(
        [times.get(seed, ()) for seed in seeds], [censored_at.get(seed, ()) for seed in seeds]
    )
    counts = draw_counts(len(seeds))
    medians = [
        _weighted_medians(waiting, counts[begin : begin + _CHUNK]) for begin in range(0, len(counts), _CHUNK)
    ]
    low, high = _middle(np.concatenate(medians))
    return bounded(low, float(median), high, METHOD_BY_SEED, len(seeds))


def _in_order(times: Sequence[Sequence[float]], censored_at: Sequence[Sequence[float]]) -> _Waiting:
    entries = [
        (float(time), is_censored, owner)
        for is_censored, groups in ((False, times), (True, censored_at))
        for owner, group in enumerate(groups)
        for time in group
    ]
    entries.sort()
    return _Waiting(
        np.array([entry[0] for entry in entries]),
        np.array([not entry[1] for entry in entries]),
        np.array([entry[2] for entry in entries], np.int64),
    )


def _survival_limits(waiting: _Waiting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, behind each time, the lower and the upper limit of survival."""
    at_risk = np.arange(len(waiting.times), 0, -1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        survival = np.cumprod(np.where(waiting.event, 1 - 1 / at_risk, 1.0))
        variance = np.cumsum(np.where(waiting.event, 1 / (at_risk * (at_risk - 1)), 0.0))
        width = NORMAL_QUANTILE * np.sqrt(variance) / -np.log(survival)
        lower, upper = survival ** np.exp(width), survival ** np.exp(-width)
    certain = survival >= 1
    ended = survival <= 0
    lower, upper = (np.where(certain, 1.0, np.where(ended, 0.0, limit)) for limit in (lower, upper))
    return lower, upper


def _first(waiting: _Waiting, survival: NDArray[np.float64]) -> float:
    """Return the first time by which survival is at most a half, infinity where it never is."""
    # of several events at one time only the last one's survival counts
    last = np.append(np.diff(waiting.times) > 0, True)
    reached = np.flatnonzero(last & (survival <= 0.5 + 1e-12))
    return float(waiting.times[reached[0]]) if len(reached) else float("inf")


def _weighted_medians(waiting: _Waiting, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each draw, infinity where it has none."""
    weights = counts[:, waiting.owner]
    at_risk = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
    gone = np.where(waiting.event, weights, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(gone > 0, 1 - gone / at_risk, 1.0)
    reached = np.cumprod(factors, axis=1) <= 0.5 + 1e-12
    return np.where(reached.any(axis=1), waiting.times[reached.argmax(axis=1)], np.inf)


def _middle(medians: NDArray[np.float64]) -> tuple[float, float]:
    """Return the medians that hold 95 % of them between them; between infinities nothing can be interpolated."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(medians, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)
