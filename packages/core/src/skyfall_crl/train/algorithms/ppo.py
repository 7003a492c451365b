"""PPO: several passes over each window, with steps away from the policy that acted clipped."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.experience import Experience
from skyfall_crl.train.algorithms.hook import Hook
from skyfall_crl.train.algorithms.learner import Learner
from skyfall_crl.train.policies.arguments import check_count, check_real


class PPOArguments(TypedDict, total=False):
    """What `PPO` takes beside the policy, for factories that hand it on."""

    learning_rate: float
    discount: float
    gae_lambda: float
    clip: float
    epochs: int
    minibatches: int
    entropy: float
    value_coefficient: float
    max_gradient_norm: float
    hooks: Sequence[Hook | Mapping[str, Any]]


class PPO(Learner):
    """Proximal policy optimisation with generalised advantages, for the `linear` and `mlp` policies.

    `discount` and `gae_lambda` in [0, 1]; `clip` above 0 is how far the probability ratio may go; each window
    is passed `epochs` times in `minibatches` parts; gradients are limited to the norm `max_gradient_norm`. `hooks`
    are entries `{id, kwargs}`, or `Hook` objects, applied in turn. Values out of range raise `ConfigError`.

    Sources: Schulman et al., "Proximal Policy Optimization Algorithms", 2017; "High-Dimensional Continuous Control
    Using Generalized Advantage Estimation", 2016.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        learning_rate: float = 3e-3,
        discount: float = 0.9,
        gae_lambda: float = 0.95,
        clip: float = 0.2,
        epochs: int = 4,
        minibatches: int = 4,
        entropy: float = 0.01,
        value_coefficient: float = 0.5,
        max_gradient_norm: float = 0.5,
        hooks: Sequence[Hook | Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(
            policy,
            learning_rate=learning_rate,
            discount=discount,
            trace_decay=check_real("gae_lambda", gae_lambda, at_most=1.0),
            entropy=entropy,
            value_coefficient=value_coefficient,
            max_gradient_norm=max_gradient_norm,
            hooks=hooks,
        )
        self._clip = check_real("clip", clip, above_zero=True)
        self._epochs = check_count("epochs", epochs)
        self._minibatches = check_count("minibatches", minibatches)

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from the valid rows; returns means over all gradient steps, or nothing without rows."""
        generator = self._bench.generator
        if not window.valid.any():
            return {}
        experience = self._gather(window)
        count = len(experience.choices)
        parts = min(self._minibatches, count)
        steps = [
            self._minibatch(experience.take(rows))
            for _ in range(self._epochs)
            for rows in np.array_split(generator.permutation(count), parts)
        ]
        means = {name: sum(step[name] for step in steps) / len(steps) for name in steps[0]}
        return means | self._finish(window, experience)

    def _minibatch(self, rows: Experience) -> dict[str, float]:
        logits, values, hidden = self._policy.evaluate(rows.features)
        distribution = self._policy.actions.distribution(logits, rows.mask)
        log_ratio = distribution.log_probs(rows.choices) - rows.log_probs
        ratio = np.exp(log_ratio)
        gain = ratio * rows.advantages
        ceiling = np.clip(ratio, 1.0 - self._clip, 1.0 + self._clip) * rows.advantages
        clipped = ceiling < gain
        step = self._descend(rows, hidden, values, distribution, np.where(clipped, 0.0, gain))
        return {
            "policy_loss": -float(np.minimum(gain, ceiling).mean()),
            "value_loss": step.value_loss,
            "entropy": step.entropy,
            "kl": float((ratio - 1.0 - log_ratio).mean()),
            "clip_fraction": float(clipped.mean()),
            "gradient_norm": step.gradient_norm,
            **({"added_loss": step.added_loss} if self._hooks else {}),
        }
