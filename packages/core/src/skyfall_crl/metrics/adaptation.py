"""Metric 2: steps from a shift until the reward is most of the way up."""

from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.passage import first_passage
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment
from skyfall_crl.metrics.stability import settled_spread, too_short


def adaptation_to_bound(
    segment: Segment, parameters: Parameters, upper: float | None, lower: float | None
) -> Score:
    """Return the steps to `lower + rho * (upper - lower)`; a lower bound nobody gave counts as 0."""
    if too_short(segment, parameters):
        return Score.missing("too_short")
    if upper is None:
        return Score.missing("no_upper_bound")
    floor = 0.0 if lower is None else lower
    if upper <= floor:
        return Score.missing("degenerate_scale")
    score = first_passage(segment, parameters, floor + parameters.rho * (upper - floor))
    return score.flagged("no_lower_bound") if lower is None else score


def adaptation_to_own_asymptote(segment: Segment, parameters: Parameters) -> Score:
    """Return the steps to `entry + rho * (terminal - entry)`.

    Comparable between runs only as far as their terminal levels are; `no_gap` where the way up is within
    twice the spread of the settled windows, as for a policy that learns nothing.
    """
    if too_short(segment, parameters):
        return Score.missing("too_short")
    if segment.entry is None or segment.terminal is None:
        return Score.missing("null_reward")
    spread = settled_spread(segment)
    if spread is None:
        return Score.missing("null_reward")
    if segment.terminal - segment.entry <= 2 * spread:
        return Score.missing("no_gap")
    return first_passage(
        segment, parameters, segment.entry + parameters.rho * (segment.terminal - segment.entry)
    )
