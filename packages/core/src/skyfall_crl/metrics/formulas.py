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
        Formula("adaptation_steps", "steps from a shift to the bound's level", "steps", "lower"),
        Formula("adaptation_steps_self_asymptote", "steps to its own terminal level", "steps", "lower"),
        Formula("forgetting_entry", "loss at the start of a revisit", _STEP_REWARD, "lower"),
        Formula("forgetting_final", "loss left after the last revisit", _STEP_REWARD, "lower"),
        Formula("recovery_steps", "steps back to the last visit's level", "steps", "lower"),
        Formula("stability_std", "spread of windows once settled", _STEP_REWARD, "lower"),
        Formula("cvar05_drop", "mean of the worst 5% of changes", _STEP_REWARD, "higher"),
        Formula("max_drawdown", "deepest fall below the best so far", _STEP_REWARD, "lower"),
        Formula("gap_remaining", "distance to the upper bound", _STEP_REWARD, "lower"),
        Formula("gap_normalised", "the same, as a share of the bounds' distance", "ratio", "lower"),
        Formula("gap_asymptotic", "distance at the end of the last visit", _STEP_REWARD, "lower"),
        Formula("regret", "reward missed against the upper bound", "reward", "lower"),
        Formula("gap_step_coverage", "share of steps that have a bound", "ratio", "higher"),
    )
}

REASONS = {
    "censored": "not reached",
    "degenerate_scale": "bounds too close",
    "first_visit": "first visit",
    "no_gap": "nothing to gain",
    "no_reward": "no reward recorded",
    "no_shift": "no shift",
    "no_upper_bound": "no upper bound",
    "not_revisited": "never revisited",
    "null_reward": "a reward is missing",
    "too_short": "too short",
}

FLAGS = {
    "bound_violated": "above the upper bound",
    "no_lower_bound": "without a lower bound",
    "not_learned": "hardly better than the lower bound: nothing to forget",
    "not_learning": "the policy never learned",
    "null_rewards": "rows without a reward are left out",
    "truncated": "the segment was cut short",
}
