"""REINFORCE: one gradient step a window, on returns measured against the policy's own value estimate."""

from collections.abc import Mapping, Sequence
from typing import Any

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.hook import Hook
from skyfall_crl.train.algorithms.learner import Learner


class Reinforce(Learner):
    """REINFORCE with a learned baseline, for the `linear` and `mlp` policies.

    `discount` in [0, 1]; returns reach to the end of the window and stand on the value estimate from there;
    gradients are limited to the norm `max_gradient_norm`; `hooks` are as PPO's. Values out of range raise
    `ConfigError`.

    Source: Williams, "Simple statistical gradient-following algorithms for connectionist reinforcement learning",
    1992.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        learning_rate: float = 0.02,
        discount: float = 0.9,
        entropy: float = 0.05,
        value_coefficient: float = 0.5,
        max_gradient_norm: float = 0.5,
        hooks: Sequence[Hook | Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(
            policy,
            learning_rate=learning_rate,
            discount=discount,
            trace_decay=1.0,
            entropy=entropy,
            value_coefficient=value_coefficient,
            max_gradient_norm=max_gradient_norm,
            hooks=hooks,
        )

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from the valid rows of a window; returns what the step saw, or nothing without rows."""
        if not window.valid.any():
            return {}
        rows = self._gather(window)
        logits, values, hidden = self._policy.evaluate(rows.features)
        distribution = self._policy.actions.distribution(logits, rows.mask)
        chosen = distribution.log_probs(rows.choices)
        step = self._descend(rows, hidden, values, distribution, rows.advantages)
        loss = -float((chosen * rows.advantages).mean())
        return {"policy_loss": loss, **step._asdict(), **self._finish(window, rows)}
