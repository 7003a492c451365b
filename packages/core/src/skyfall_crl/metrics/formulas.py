"""What every number is called, in what unit, and which way is better; what every reason means."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Formula:
    """A definition by name and version; `words` says it in a few words."""

    name: str
    words: str
    unit: str
    better: Literal["higher", "lower"]
    version: int = 1


_STEP_REWARD = "reward/step"

FORMULAS = {
    formula.name: formula
    for formula in (
        Formula("reward_mean", "mean reward", _STEP_REWARD, "higher"),
        Formula("reward_macro", "mean reward, every identity alike", _STEP_REWARD, "higher"),
        Formula("reward_lifetime", "mean reward, every step alike", _STEP_REWARD, "higher"),
        Formula("reward_terminal", "level at the end of visits", _STEP_REWARD, "higher"),
        Formula("reward_worst_window", "lowest mean of a window", _STEP_REWARD, "higher"),
        Formula("reward_drift", "mean reward inside drifts", _STEP_REWARD, "higher"),
        Formula("adaptation_steps", "steps from a shift to the bound's level", "steps", "lower"),
        Formula("adaptation_steps_self_asymptote", "steps to its own terminal level", "steps", "lower"),
        Formula("forgetting_entry", "loss at the start of a revisit", _STEP_REWARD, "lower"),
        Formula("forgetting_final", "loss left after the last revisit", _STEP_REWARD, "lower"),
        Formula("recovery_steps", "steps back to the last visit's level", "steps", "lower"),
        Formula(
            "recovery_steps_cross_identity",
            "steps back to the last segment's share of the range",
            "steps",
            "lower",
        ),
        Formula("performance_recovery", "steps faster from revisit to revisit", "steps/visit", "higher"),
        Formula("stability_std", "spread of windows once settled", _STEP_REWARD, "lower"),
        Formula("stability_detrended", "the same from window to window", _STEP_REWARD, "lower"),
        Formula("cvar05_drop", "mean of the worst 5% of changes", _STEP_REWARD, "higher"),
        Formula("max_drawdown", "deepest fall below the best so far", _STEP_REWARD, "lower"),
        Formula("gap_remaining", "distance to the upper bound", _STEP_REWARD, "lower"),
        Formula("gap_normalised", "the same, as a share of the bounds' distance", "ratio", "lower"),
        Formula("gap_asymptotic", "distance at the end of the last visit", _STEP_REWARD, "lower"),
        Formula("regret", "reward missed against the upper bound", "reward", "lower"),
        Formula("gap_step_coverage", "share of steps that have a bound", "ratio", "higher"),
        Formula("jumpstart", "entry above a learner from scratch", _STEP_REWARD, "higher"),
        Formula("forward_transfer_auc", "area gained on a learner from scratch", "ratio", "higher"),
        Formula("relative_performance", "share of what a learner from scratch earned", "ratio", "higher"),
        Formula("entry_gap", "entry below a reference at the same shift", _STEP_REWARD, "lower"),
        Formula("average_performance", "frozen policy at the end", _STEP_REWARD, "higher"),
        Formula("backward_transfer", "frozen: end against own block", _STEP_REWARD, "higher"),
        Formula("forward_transfer", "frozen: before own block against untrained", _STEP_REWARD, "higher"),
        Formula("forgetting_max_final", "frozen: best before the end against the end", _STEP_REWARD, "lower"),
        Formula("performance_maintenance", "frozen: later against own block", _STEP_REWARD, "higher"),
    )
}

REASONS = {
    "censored": "not reached",
    "degenerate_scale": "bounds too close",
    "few_revisits": "too few revisits",
    "first_visit": "first visit",
    "never_trained": "never trained",
    "no_drift": "no drift",
    "no_evaluation": "no frozen evaluation",
    "no_gap": "nothing to gain",
    "no_lower_bound": "no lower bound",
    "no_reference": "no reference run",
    "no_reward": "no reward recorded",
    "no_scratch": "no run from scratch",
    "no_shift": "no shift",
    "no_upper_bound": "no upper bound",
    "not_revisited": "never revisited",
    "not_scaled": "reward outside 0 to 1",
    "null_reward": "a reward is missing",
    "revisit": "not the first visit",
    "too_short": "too short",
    "trained_first": "trained first",
    "trained_last": "trained last",
}

FLAGS = {
    "bound_violated": "above the upper bound",
    "cross_identity": "against the configuration before, on the scale of the bounds",
    "early_evaluation": "evaluated before the end of a block",
    "evaluations_missing": "without configurations that were not evaluated",
    "no_lower_bound": "without a lower bound",
    "not_learned": "hardly better than the lower bound: nothing to forget",
    "not_learning": "the policy never learned",
    "null_rewards": "rows without a reward are left out",
    "truncated": "the segment was cut short",
}
