"""Metric 1: reward for each configuration and over the whole run."""

from collections.abc import Sequence

import numpy as np

from skyfall_crl.metrics.score import Score, mean_score
from skyfall_crl.metrics.segments import Segment


def mean_reward(segments: Sequence[Segment]) -> Score:
    """Return the mean of all settled rewards of the segments, step by step alike."""
    steps = sum(segment.scored_steps for segment in segments)
    if not steps:
        return Score.missing("no_reward")
    score = Score.of(sum(segment.total for segment in segments) / steps, n=steps)
    return score.flagged("null_rewards") if any(segment.nulls for segment in segments) else score


def lifetime_reward(segments: Sequence[Segment]) -> Score:
    """Return the mean of all rewards of a run, those inside a drift included."""
    steps = sum(segment.scored_steps + segment.drift_steps - segment.drift_nulls for segment in segments)
    if not steps:
        return Score.missing("no_reward")
    score = Score.of(sum(segment.total + segment.drift_total for segment in segments) / steps, n=steps)
    return score.flagged("null_rewards") if any(s.nulls or s.drift_nulls for s in segments) else score


def drift_reward(segments: Sequence[Segment]) -> Score:
    """Return the mean reward of the steps inside a drift, which no identity counts as its own."""
    steps = sum(segment.drift_steps - segment.drift_nulls for segment in segments)
    if not steps:
        return Score.missing("no_reward" if any(segment.drift_steps for segment in segments) else "no_drift")
    score = Score.of(sum(segment.drift_total for segment in segments) / steps, n=steps)
    return score.flagged("null_rewards") if any(segment.drift_nulls for segment in segments) else score


def macro_reward(identities: Sequence[Score]) -> Score:
    """Return the unweighted mean over the identities' mean rewards."""
    return mean_score(identities, empty="no_reward")


def terminal_level(segment: Segment) -> Score:
    """Return the mean reward of a segment's last steps."""
    return Score.missing("null_reward") if segment.terminal is None else Score.of(segment.terminal)


def worst_window(segments: Sequence[Segment]) -> Score:
    """Return the lowest mean of a settled window in any world; comparable at equal window length only."""
    windows = [
        float(np.nanmin(found))
        for found in (segment.windows for segment in segments)
        if not np.isnan(found).all()
    ]
    return Score.of(min(windows), n=len(windows)) if windows else Score.missing("too_short")
