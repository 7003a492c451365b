"""REINFORCE: one gradient step a window, on returns measured against the policy's own value estimate."""

from collections.abc import Mapping

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.learner import Learner
from skyfall_crl.train.policies.categorical import categorical


class Reinforce(Learner):
    """REINFORCE with a learned baseline, for the `linear` and `mlp` policies.

    `discount` in [0, 1]; returns reach to the end of the window and stand on the value estimate from there;
    gradients are limited to the norm `max_gradient_norm`. Values out of range raise `ConfigError`.
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
    ) -> None:
        super().__init__(
            policy,
            learning_rate=learning_rate,
            discount=discount,
            trace_decay=1.0,
            entropy=entropy,
            value_coefficient=value_coefficient,
            max_gradient_norm=max_gradient_norm,
        )

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from the valid rows of a window; returns what the step saw, or nothing without rows."""
        if not window.valid.any():
            return {}
        rows = self._gather(window)
        logits, values, hidden = self._policy.evaluate(rows.features)
        distribution = categorical(logits, rows.mask)
        chosen = distribution.log_probabilities[np.arange(len(values)), rows.choices]
        step = self._descend(rows, hidden, values, distribution, rows.advantages)
        return {"policy_loss": -float((chosen * rows.advantages).mean()), **step._asdict()}
