"""Metric 3: what is lost between the visits of a configuration."""

from collections.abc import Sequence
from statistics import fmean

from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment


def entry_forgetting(worlds: Sequence[Sequence[Segment]]) -> Score:
    """Return the mean, over revisits, of the best terminal level so far minus the level at entry; may be negative.

    The level at entry is that behind the burn-in, if there is one. `worlds` holds one identity's visits in order,
    world by world.
    """
    losses = []
    for visits in worlds:
        for place, visit in enumerate(visits[1:], 1):
            best = _best_terminal(visits[:place])
            losses.append(None if best is None or visit.late_entry is None else best - visit.late_entry)
    return _mean_loss(losses)


def final_forgetting(worlds: Sequence[Sequence[Segment]]) -> Score:
    """Return the mean, over worlds, of the best terminal level before the last visit minus the last one's."""
    losses = []
    for visits in worlds:
        if len(visits) > 1:
            best, last = _best_terminal(visits[:-1]), visits[-1].terminal
            losses.append(None if best is None or last is None else best - last)
    return _mean_loss(losses)


def _best_terminal(visits: Sequence[Segment]) -> float | None:
    levels = [visit.terminal for visit in visits if visit.terminal is not None]
    return max(levels, default=None)


def _mean_loss(losses: Sequence[float | None]) -> Score:
    if not losses:
        return Score.missing("not_revisited")
    known = [loss for loss in losses if loss is not None]
    if not known:
        return Score.missing("null_reward")
    score = Score.of(fmean(known), n=len(known), per_revisit=list(known))
    return score if len(known) == len(losses) else score.flagged("null_rewards")
