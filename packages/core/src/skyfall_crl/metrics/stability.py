"""Metric 5: how steady the reward is, and how deep it falls."""

import math

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment

WORST_SHARE = 0.05


def too_short(segment: Segment, parameters: Parameters) -> bool:
    """Say whether a segment has too few windows for a curve."""
    return segment.settled_steps < parameters.min_windows * parameters.window


def settled_spread(segment: Segment) -> float | None:
    """Return the sample deviation of the windows of the second half, None with fewer than two of them."""
    half = _present(segment.windows[math.ceil(len(segment.windows) / 2) :])
    return float(half.std(ddof=1)) if len(half) > 1 else None


def window_deviation(segment: Segment, parameters: Parameters) -> Score:
    """Return the sample deviation of the windows of the second half; comparable at equal window length only."""
    if too_short(segment, parameters):
        return Score.missing("too_short")
    spread = settled_spread(segment)
    return Score.missing("null_reward") if spread is None else Score.of(spread)


def detrended_deviation(segment: Segment, parameters: Parameters) -> Score:
    """Return the sample deviation of the changes between the windows of the second half, divided by sqrt(2).

    Windows that differ by noise alone give what `window_deviation` gives; a steady trend counts for nothing. After
    the differencing of Chan et al. 2020, with a deviation in place of their interquartile range.
    """
    if too_short(segment, parameters):
        return Score.missing("too_short")
    half = segment.windows[math.ceil(len(segment.windows) / 2) :]
    changes = _present(np.diff(half))
    if len(changes) < 2:
        return Score.missing("null_reward" if np.isnan(half).any() else "too_short")
    return Score.of(float(changes.std(ddof=1)) / math.sqrt(2))


def worst_drop(segment: Segment) -> Score:
    """Return the mean of the worst twentieth of the changes from one window to the next."""
    changes = np.sort(_present(np.diff(segment.windows)))
    if not len(changes):
        return Score.missing("too_short" if len(segment.windows) < 2 else "null_reward")
    return Score.of(float(changes[: math.ceil(WORST_SHARE * len(changes))].mean()))


def deepest_drawdown(segment: Segment) -> Score:
    """Return the largest distance of a window below the best window before it."""
    windows = _present(segment.windows)
    if not len(windows):
        return Score.missing("null_reward" if len(segment.windows) else "too_short")
    return Score.of(float((np.maximum.accumulate(windows) - windows).max()))


def _present(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[~np.isnan(values)]
