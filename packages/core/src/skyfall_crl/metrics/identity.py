"""Putting the six metrics together for one segment and for one identity."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from skyfall_crl.metrics.adaptation import adaptation_to_bound, adaptation_to_own_asymptote
from skyfall_crl.metrics.companion import (
    Companions,
    entry_gap,
    forward_transfer_auc,
    jumpstart,
    relative_performance,
)
from skyfall_crl.metrics.forgetting import entry_forgetting, final_forgetting
from skyfall_crl.metrics.gap import gap_asymptotic, gap_normalised, gap_remaining, regret
from skyfall_crl.metrics.levels import Levels
from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.recovery import performance_recovery, recovery, recovery_across
from skyfall_crl.metrics.reward import mean_reward, terminal_level
from skyfall_crl.metrics.score import Score, mean_score
from skyfall_crl.metrics.segments import Segment
from skyfall_crl.metrics.stability import (
    deepest_drawdown,
    detrended_deviation,
    settled_spread,
    window_deviation,
    worst_drop,
)

KEPT = ("backward_transfer", "forgetting_max_final", "performance_maintenance")
OF_A_LEARNER = (
    *KEPT,
    "forward_transfer",
    "adaptation_steps",
    "adaptation_steps_self_asymptote",
    "forgetting_entry",
    "forgetting_final",
    "recovery_steps",
    "recovery_steps_cross_identity",
    "performance_recovery",
)
OF_WHAT_WAS_LEARNED = (
    "forgetting_entry",
    "forgetting_final",
    "recovery_steps",
    "recovery_steps_cross_identity",
    "performance_recovery",
    "stability_std",
    "stability_detrended",
)


@dataclass(frozen=True, slots=True)
class Past:
    """What came before a segment in its world: the `visit` of the same identity, and the `segment` with its levels."""

    visit: Segment | None
    segment: Segment | None
    levels: Levels


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """A segment and its scores by formula name."""

    segment: Segment
    scores: dict[str, Score]


@dataclass(frozen=True, slots=True)
class IdentityScores:
    """An identity's scores by formula name, over `visits` segments of all worlds with `steps` rows."""

    identity: str
    visits: int
    steps: int
    levels: Levels
    scores: dict[str, Score]


def score_segment(
    segment: Segment, past: Past, levels: Levels, parameters: Parameters, companions: Companions
) -> SegmentScores:
    """Score one segment by itself, by what came before it, and beside other runs."""
    scores = {
        "reward_mean": mean_reward([segment]),
        "reward_terminal": terminal_level(segment),
        "adaptation_steps": adaptation_to_bound(segment, parameters, levels.upper, levels.lower),
        "adaptation_steps_self_asymptote": adaptation_to_own_asymptote(segment, parameters),
        "recovery_steps": recovery(segment, past.visit, parameters),
        "recovery_steps_cross_identity": recovery_across(
            segment, past.segment, levels, past.levels, parameters
        ),
        "stability_std": window_deviation(segment, parameters),
        "stability_detrended": detrended_deviation(segment, parameters),
        "cvar05_drop": worst_drop(segment),
        "max_drawdown": deepest_drawdown(segment),
        "jumpstart": jumpstart(segment, companions),
        "forward_transfer_auc": forward_transfer_auc(segment, companions, levels),
        "entry_gap": entry_gap(segment, companions),
    }
    if segment.truncated:
        scores = {name: score.flagged("truncated") for name, score in scores.items()}
    return SegmentScores(segment, scores)


def score_identity(visits: Sequence[SegmentScores], levels: Levels, companions: Companions) -> IdentityScores:
    """Score one identity from its segments, which come world by world and in order."""
    segments = [visit.segment for visit in visits]
    worlds = [list(stay) for _, stay in groupby(segments, key=lambda segment: segment.world)]
    reward = mean_reward(segments)
    gap = gap_remaining(reward, levels.upper)
    scores = {
        "reward_mean": reward,
        **aggregate(visits),
        "performance_recovery": performance_recovery(_recoveries(visits)),
        "relative_performance": relative_performance(worlds, companions),
        "forgetting_entry": entry_forgetting(worlds),
        "forgetting_final": final_forgetting(worlds),
        "gap_remaining": gap,
        "gap_normalised": gap_normalised(gap, levels.upper, levels.lower),
        "gap_asymptotic": gap_asymptotic(worlds, levels.upper),
        "regret": regret(segments, levels.upper),
    }
    if _nothing_learned(segments, levels.lower):
        flag(scores, OF_WHAT_WAS_LEARNED, "not_learned")
    return IdentityScores(
        segments[0].identity, len(segments), sum(segment.steps for segment in segments), levels, scores
    )


def aggregate(visits: Sequence[SegmentScores]) -> dict[str, Score]:
    """Return means over segments: of what follows a shift, of revisits, or of all, as each metric asks."""
    shifted = [visit for visit in visits if visit.segment.ordinal > 0]
    revisits = [visit for visit in visits if visit.segment.visit > 0]
    first = [visit for visit in visits if visit.segment.visit == 0]

    def mean(name: str, chosen: Sequence[SegmentScores], empty: str) -> Score:
        return mean_score([visit.scores[name] for visit in chosen], empty)

    return {
        "reward_terminal": mean("reward_terminal", visits, "no_reward"),
        "adaptation_steps": mean("adaptation_steps", shifted, "no_shift"),
        "adaptation_steps_self_asymptote": mean("adaptation_steps_self_asymptote", visits, "no_shift"),
        "recovery_steps": mean("recovery_steps", revisits, "not_revisited"),
        "recovery_steps_cross_identity": mean("recovery_steps_cross_identity", shifted, "no_shift"),
        "stability_std": mean("stability_std", visits, "too_short"),
        "stability_detrended": mean("stability_detrended", visits, "too_short"),
        "cvar05_drop": mean("cvar05_drop", visits, "too_short"),
        "max_drawdown": mean("max_drawdown", visits, "too_short"),
        "jumpstart": mean("jumpstart", shifted, "no_shift"),
        "forward_transfer_auc": mean("forward_transfer_auc", first, "no_scratch"),
        "entry_gap": mean("entry_gap", shifted, "no_shift"),
    }


def flag(scores: dict[str, Score], names: Sequence[str], code: str) -> None:
    """Add a flag to the scores of these names."""
    for name in names:
        scores[name] = scores[name].flagged(code)


def _recoveries(visits: Sequence[SegmentScores]) -> list[list[Score]]:
    """Return the recovery scores world by world."""
    worlds = groupby(visits, key=lambda visit: visit.segment.world)
    return [[visit.scores["recovery_steps"] for visit in stay] for _, stay in worlds]


def _nothing_learned(segments: Sequence[Segment], lower: float | None) -> bool:
    """Say whether no visit ended above the lower bound by more than twice its spread."""
    if lower is None:
        return False
    rises = [
        (segment.terminal - lower, spread)
        for segment in segments
        if segment.terminal is not None and (spread := settled_spread(segment)) is not None
    ]
    return bool(rises) and all(rise <= 2 * spread for rise, spread in rises)
