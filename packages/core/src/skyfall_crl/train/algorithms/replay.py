"""Replay of the past beside the present: a reservoir of short sequences, learned from off-policy."""

from collections.abc import Mapping

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.experience import Experience
from skyfall_crl.train.algorithms.hook import Bench, Hook
from skyfall_crl.train.algorithms.reservoir import Reservoir, Sequences
from skyfall_crl.train.algorithms.returns import v_trace
from skyfall_crl.train.policies.arguments import check_count, check_real
from skyfall_crl.train.policies.arrays import Vector


class Replay(Hook):
    """Adds to each step as many rows of the past as it has of the present, times `ratio`.

    A reservoir keeps `capacity` sequences of `unroll` steps, each ever seen with equal chance. Their policy gradient
    and value targets are corrected by V-trace with both importance weights cut at 1. `policy_cloning` times the
    divergence from what the policy then did, and `value_cloning` times half the squared distance from what it then
    expected, keep it there. All are at least 0.

    Sources: Rolnick et al., "Experience Replay for Continual Learning" (CLEAR), 2019; Espeholt et al., "IMPALA",
    2018, for V-trace; Vitter, "Random sampling with a reservoir", 1985.
    """

    def __init__(
        self,
        *,
        capacity: int = 1000,
        unroll: int = 8,
        ratio: float = 1.0,
        policy_cloning: float = 0.1,
        value_cloning: float = 0.005,
    ) -> None:
        self._capacity, self._unroll = check_count("capacity", capacity), check_count("unroll", unroll)
        self._ratio = check_real("ratio", ratio)
        self._policy_cloning = check_real("policy_cloning", policy_cloning)
        self._value_cloning = check_real("value_cloning", value_cloning)

    def bind(self, bench: Bench) -> None:
        super().bind(bench)
        self._reservoir = Reservoir(self._capacity, self._unroll, bench.policy)

    def add_gradient(self, gradient: Vector, rows: int) -> float:
        count = round(self._ratio * rows / self._unroll)
        if not self._reservoir.filled or not count:
            return 0.0
        drawn = self._reservoir.draw(count, self.bench.generator)
        loss, added = self._gradient_of(drawn)
        gradient += added
        return loss

    def learned(self, window: Window, rows: Experience) -> Mapping[str, float]:
        self._reservoir.take(window, self.bench.policy, self.bench.scale, self.bench.generator)
        return {"replayable": float(self._reservoir.filled * self._unroll)}

    def _gradient_of(self, drawn: Sequences) -> tuple[float, Vector]:
        bench, policy = self.bench, self.bench.policy
        features = drawn.features.reshape(-1, drawn.features.shape[-1])
        logits, values, hidden = policy.evaluate(features)
        now = policy.actions.distribution(logits, drawn.mask)
        before = policy.actions.distribution(drawn.logits, drawn.mask)
        levels = bench.scale.mean + bench.scale.spread * values.reshape(drawn.rewards.shape)
        following = bench.scale.mean + bench.scale.spread * policy.evaluate(
            drawn.following.reshape(features.shape)
        ).values.reshape(drawn.rewards.shape)
        ratios = np.exp(np.minimum(now.log_probs(drawn.choices) - drawn.log_probs.ravel(), 0.0))
        targets, gains = v_trace(drawn, levels, following, ratios.reshape(levels.shape), bench.discount)
        errors = (levels - targets).ravel() / bench.scale.spread
        pull = ratios * gains.ravel() / max(float(gains.std()), 1e-8)
        clones = values - (drawn.values.ravel() - bench.scale.mean) / bench.scale.spread
        outputs = np.empty((len(values), logits.shape[1] + 1))
        now.gradient(drawn.choices, pull, bench.entropy, outputs[:, :-1])
        outputs[:, :-1] += self._policy_cloning * now.divergence_gradient(before)
        outputs[:, -1] = bench.value_coefficient * errors + self._value_cloning * clones
        weights = drawn.valid.ravel()[:, None] / max(int(drawn.valid.sum()), 1)
        added = policy.gradient(features, hidden, outputs * weights)
        divergences = now.divergences(before) * weights[:, 0]
        return self._policy_cloning * float(divergences.sum()), added

    @property
    def state(self) -> Vector:
        return self._reservoir.state

    @state.setter
    def state(self, vector: Vector) -> None:
        self._reservoir.state = vector
