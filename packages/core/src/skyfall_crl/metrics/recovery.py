"""Metric 4: steps until a revisited configuration is as good as it was left."""

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
    if too_short(segment, parameters):
        return Score.missing("too_short")
    entry, reference = segment.entry, previous.terminal
    if entry is None or reference is None:
        return Score.missing("null_reward")
    if entry >= reference:
        return Score.of(0, reference=reference)
    passage = first_passage(segment, parameters, entry + parameters.rho * (reference - entry))
    return passage.with_detail(reference=reference)
