"""Metric 4: steps until a revisited configuration is as good as it was left."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, median

from skyfall_crl.metrics.gap import SMALLEST_SCALE
from skyfall_crl.metrics.levels import Levels
from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.passage import first_passage
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment
from skyfall_crl.metrics.stability import too_short


def recovery(segment: Segment, previous: Segment | None, parameters: Parameters) -> Score:
    """Return the steps to `entry + rho * (reference - entry)`, the reference being the last visit's terminal level.

    0 where the segment begins at or above the reference. `previous` is the last visit of the same identity in
    the same world, None for a first visit.
    """
    if previous is None:
        return Score.missing("first_visit")
    return _back_to(segment, previous.terminal, parameters)


def recovery_across(
    segment: Segment, before: Segment | None, levels: Levels, levels_before: Levels, parameters: Parameters
) -> Score:
    """Return the steps until a segment is as good, on the scale of its bounds, as the segment before was at its end.

    Unlike `recovery` it needs no earlier visit, but both bounds of both identities; it is flagged `cross_identity`.
    `before` is the segment before in the same world, None for the first.
    """
    if before is None:
        return Score.missing("no_shift")
    scale, scale_before = levels.scale, levels_before.scale
    if levels.upper is None or levels_before.upper is None:
        return Score.missing("no_upper_bound")
    if levels.lower is None or levels_before.lower is None or scale is None or scale_before is None:
        return Score.missing("no_lower_bound")
    if scale <= SMALLEST_SCALE or scale_before <= SMALLEST_SCALE:
        return Score.missing("degenerate_scale")
    if before.terminal is None:
        return Score.missing("null_reward")
    share = (before.terminal - levels_before.lower) / scale_before
    found = _back_to(segment, levels.lower + share * scale, parameters)
    return found.flagged("cross_identity") if found.value is not None else found


def performance_recovery(worlds: Sequence[Sequence[Score]]) -> Score:
    """Return how much faster each revisit recovers: the median slope between its recovery times, with the sign turned.

    The slope is that of Theil and Sen over visits, a mean over worlds, as in the lifelong-learning metrics of New et
    al. 2022. `worlds` holds one identity's recovery scores by visit. Missing when a time is censored, or when no
    world has two times.
    """
    if any(score.reason == "censored" for scores in worlds for score in scores):
        return Score.missing("censored")
    slopes = [slope for scores in worlds if (slope := _median_slope(scores)) is not None]
    return Score.of(0.0 - fmean(slopes), n=len(slopes)) if slopes else Score.missing("few_revisits")


def _median_slope(scores: Sequence[Score]) -> float | None:
    times = [(visit, score.value) for visit, score in enumerate(scores) if score.value is not None]
    slopes = [(second[1] - first[1]) / (second[0] - first[0]) for first, second in combinations(times, 2)]
    return median(slopes) if slopes else None


def _back_to(segment: Segment, reference: float | None, parameters: Parameters) -> Score:
    if too_short(segment, parameters):
        return Score.missing("too_short")
    entry = segment.entry
    if entry is None or reference is None:
        return Score.missing("null_reward")
    if entry >= reference:
        return Score.of(0, reference=reference)
    passage = first_passage(segment, parameters, entry + parameters.rho * (reference - entry))
    return passage.with_detail(reference=reference)
