"""Metric 6: what is missing to the upper bound."""

from collections.abc import Sequence
from statistics import fmean

from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment

SMALLEST_SCALE = 1e-9


def gap_remaining(reward: Score, upper: float | None) -> Score:
    """Return `upper - reward`; below 0, and flagged, where the bound is beaten."""
    if upper is None:
        return Score.missing("no_upper_bound")
    if reward.value is None:
        return reward
    gap = Score(upper - reward.value, flags=reward.flags)
    return gap.flagged("bound_violated") if upper < reward.value else gap


def gap_normalised(gap: Score, upper: float | None, lower: float | None) -> Score:
    """Return the gap as a share of `upper - lower`, or of `abs(upper)` where nobody gave a lower bound."""
    if gap.value is None or upper is None:
        return gap
    scale = abs(upper) if lower is None else upper - lower
    if scale <= SMALLEST_SCALE:
        return Score.missing("degenerate_scale")
    score = Score(gap.value / scale, flags=gap.flags)
    return score.flagged("no_lower_bound") if lower is None else score


def gap_asymptotic(worlds: Sequence[Sequence[Segment]], upper: float | None) -> Score:
    """Return `upper` minus the terminal level of the last visit, a mean over worlds."""
    if upper is None:
        return Score.missing("no_upper_bound")
    levels = [visits[-1].terminal for visits in worlds if visits[-1].terminal is not None]
    return Score.of(upper - fmean(levels)) if levels else Score.missing("null_reward")


def regret(segments: Sequence[Segment], upper: float | None) -> Score:
    """Return the sum of `upper - reward` over all settled steps that have a reward."""
    if upper is None:
        return Score.missing("no_upper_bound")
    steps = sum(segment.scored_steps for segment in segments)
    if not steps:
        return Score.missing("no_reward")
    return Score.of(upper * steps - sum(segment.total for segment in segments), n=steps)


def step_coverage(segments: Sequence[Segment], bounded: set[str]) -> Score:
    """Return the share of settled steps whose identity has an upper bound."""
    steps = sum(segment.settled_steps for segment in segments)
    covered = sum(segment.settled_steps for segment in segments if segment.identity in bounded)
    return Score.of(covered / steps) if steps else Score.missing("no_reward")
