"""A run beside two others on the same schedule: a learner from scratch, and a reference policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from skyfall_crl.metrics.gap import SMALLEST_SCALE
from skyfall_crl.metrics.levels import Levels
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment


@dataclass(frozen=True, slots=True)
class Companions:
    """Segments of the other runs, cut by the same window; empty where nobody named one.

    `scratch` belongs to a learner that starts over at every shift, `reference` to a policy whose levels just after a
    shift show what the world carried over from before it.
    """

    scratch: Sequence[Segment] = ()
    reference: Sequence[Segment] = ()


def jumpstart(segment: Segment, companions: Companions) -> Score:
    """Return the entry level minus that of a learner from scratch; Taylor and Stone 2009.

    The learner's level is the mean over its segments of the same identity and length.
    """
    entries, reason = _entries(_equals(segment, companions.scratch), "no_scratch")
    if reason is not None or segment.entry is None:
        return Score.missing(reason or "null_reward")
    return Score.of(segment.entry - fmean(entries), n=len(entries))


def forward_transfer_auc(segment: Segment, companions: Companions, levels: Levels) -> Score:
    """Return `(auc - auc_scratch) / (1 - auc_scratch)` of a first visit; Wolczyk et al. 2021.

    The area under a learning curve is its mean reward, on a scale from 0 at the lower to 1 at the upper bound;
    without both bounds a reward within [0, 1] is taken as it is, and any other has no such value.
    """
    if segment.visit:
        return Score.missing("revisit")
    equals = [other for other in _equals(segment, companions.scratch) if other.scored_steps]
    if not equals:
        return Score.missing("no_scratch")
    if not segment.scored_steps:
        return Score.missing("no_reward")
    areas = [_scaled(one.total / one.scored_steps, levels) for one in (segment, *equals)]
    known = [area for area in areas if area is not None]
    if len(known) < len(areas):
        return Score.missing("not_scaled")
    scratch = fmean(known[1:])
    if 1 - scratch <= SMALLEST_SCALE:
        return Score.missing("degenerate_scale")
    return Score.of((known[0] - scratch) / (1 - scratch), auc=known[0], auc_scratch=scratch)


def relative_performance(worlds: Sequence[Sequence[Segment]], companions: Companions) -> Score:
    """Return an identity's summed windows as a share of those of a learner from scratch, over equally many windows.

    `worlds` holds the visits of one identity in order, which count as one curve; each first visit of the learner
    from scratch is one expert, and the value a mean over worlds and experts. As in the lifelong-learning metrics of
    New et al. 2022, which it needs positive rewards for.
    """
    identity = worlds[0][0].identity
    experts = [
        other.windows for other in companions.scratch if (other.identity, other.visit) == (identity, 0)
    ]
    if not experts:
        return Score.missing("no_scratch")
    shares = []
    for curve in (np.concatenate([visit.windows for visit in visits]) for visits in worlds):
        for expert in experts:
            length = min(len(curve), len(expert))
            own, best = float(curve[:length].sum()), float(expert[:length].sum())
            if not length or np.isnan(own) or np.isnan(best):
                return Score.missing("null_reward" if length else "too_short")
            if best <= SMALLEST_SCALE:
                return Score.missing("degenerate_scale")
            shares.append(own / best)
    return Score.of(fmean(shares), n=len(shares))


def entry_gap(segment: Segment, companions: Companions) -> Score:
    """Return the reference policy's entry level at the same shift minus the run's own.

    Reward right after a shift also reflects the backlog that the world carries over; a policy that knows the regime
    meets it too, so that the difference is the learner's own.
    """
    if not segment.ordinal:
        return Score.missing("no_shift")
    same = [other for other in companions.reference if other.ordinal == segment.ordinal]
    entries, reason = _entries(
        [other for other in same if other.identity == segment.identity], "no_reference"
    )
    if reason is not None or segment.entry is None:
        return Score.missing(reason or "null_reward")
    return Score.of(fmean(entries) - segment.entry, n=len(entries))


def _equals(segment: Segment, others: Sequence[Segment]) -> list[Segment]:
    return [one for one in others if (one.identity, one.steps) == (segment.identity, segment.steps)]


def _entries(others: Sequence[Segment], empty: str) -> tuple[list[float], str | None]:
    """Return the entry levels that are known, or why there are none."""
    entries = [other.entry for other in others if other.entry is not None]
    return entries, None if entries else ("null_reward" if others else empty)


def _scaled(reward: float, levels: Levels) -> float | None:
    if levels.lower is not None and levels.scale is not None and levels.scale > SMALLEST_SCALE:
        return (reward - levels.lower) / levels.scale
    return reward if 0 <= reward <= 1 else None
