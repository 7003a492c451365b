"""Putting identities and segments together into the numbers of a whole run."""

from collections.abc import Mapping, Sequence

from skyfall_crl.metrics.gap import step_coverage
from skyfall_crl.metrics.identity import OF_WHAT_WAS_LEARNED, IdentityScores, SegmentScores, aggregate, flag
from skyfall_crl.metrics.reward import drift_reward, lifetime_reward, macro_reward, worst_window
from skyfall_crl.metrics.score import Score, mean_score


def score_run(
    segments: Sequence[SegmentScores], identities: Mapping[str, IdentityScores], bounded: set[str]
) -> dict[str, Score]:
    """Return the scores of a run by formula name; `bounded` are the identities that have an upper bound.

    Steps and stability are means over segments, forgetting and gaps means over the identities that have a
    value, regret is their sum.
    """
    plain = [found.segment for found in segments]

    def mean(name: str, empty: str) -> Score:
        return mean_score([found.scores[name] for found in identities.values()], empty)

    scores = {
        "reward_macro": macro_reward([found.scores["reward_mean"] for found in identities.values()]),
        "reward_lifetime": lifetime_reward(plain),
        "reward_worst_window": worst_window(plain),
        "reward_drift": drift_reward(plain),
        **aggregate(segments),
        "relative_performance": mean("relative_performance", "no_scratch"),
        "performance_recovery": mean("performance_recovery", "not_revisited"),
        "forgetting_entry": mean("forgetting_entry", "not_revisited"),
        "forgetting_final": mean("forgetting_final", "not_revisited"),
        "gap_remaining": mean("gap_remaining", "no_upper_bound"),
        "gap_normalised": mean("gap_normalised", "no_upper_bound"),
        "gap_asymptotic": mean("gap_asymptotic", "no_upper_bound"),
        "regret": _total([found.scores["regret"] for found in identities.values()]),
        "gap_step_coverage": step_coverage(plain, bounded),
    }
    for name in OF_WHAT_WAS_LEARNED:
        if any("not_learned" in found.scores[name].flags for found in identities.values()):
            flag(scores, [name], "not_learned")
    return scores


def _total(regrets: Sequence[Score]) -> Score:
    known = [score.value for score in regrets if score.value is not None]
    return Score.of(sum(known), n=len(known)) if known else mean_score(regrets, "no_upper_bound")
