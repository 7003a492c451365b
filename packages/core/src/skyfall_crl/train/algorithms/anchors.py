"""Penalties on the distance from earlier weights: L2-init and online EWC."""

from collections.abc import Mapping

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.experience import Experience
from skyfall_crl.train.algorithms.hook import Bench, Hook
from skyfall_crl.train.policies.arguments import check_count, check_real
from skyfall_crl.train.policies.arrays import Matrix, Vector


class L2Init(Hook):
    """Pulls every weight back to where it started: the loss grows by `strength * |w - w0| ** 2`.

    Source: Kumar, Marklund and Van Roy, "Maintaining Plasticity in Continual Learning via Regenerative
    Regularization", 2023.
    """

    def __init__(self, *, strength: float = 1e-3) -> None:
        self._strength = check_real("strength", strength)

    def bind(self, bench: Bench) -> None:
        super().bind(bench)
        self._first = bench.policy.weights.copy()

    def add_gradient(self, gradient: Vector, rows: int) -> float:
        distance = self.bench.policy.weights - self._first
        gradient += 2 * self._strength * distance
        return self._strength * float(distance @ distance)

    @property
    def state(self) -> Vector:
        return self._first

    @state.setter
    def state(self, vector: Vector) -> None:
        self._first[:] = vector


class OnlineEwc(Hook):
    """Holds weights the more, the more earlier decisions depended on them, without knowing of any boundary.

    After every `every` windows the weights become the anchor `w*`, and the running importance `F` becomes
    `decay * F` plus the diagonal Fisher information of the decisions and values since, estimated from the actions
    that were taken and normalised to a mean of 1. The loss grows by `strength / 2 * sum(F * (w - w*) ** 2)`. With
    `decay` below 1 the past fades. All three are numbers of at least 0, `decay` at most 1.

    Sources: Kirkpatrick et al., "Overcoming catastrophic forgetting in neural networks", 2017; Schwarz et al.,
    "Progress & Compress", 2018, for the running sum and the normalisation.
    """

    def __init__(self, *, strength: float = 0.1, decay: float = 0.99, every: int = 32) -> None:
        self._strength = check_real("strength", strength)
        self._decay = check_real("decay", decay, at_most=1.0)
        self._every = check_count("every", every)

    def bind(self, bench: Bench) -> None:
        super().bind(bench)
        size = bench.policy.weights.size
        self._windows = 0
        self._anchor, self._importance, self._recent = np.zeros((3, size))

    def add_gradient(self, gradient: Vector, rows: int) -> float:
        distance = self.bench.policy.weights - self._anchor
        pull = self._strength * self._importance * distance
        gradient += pull
        return 0.5 * float(pull @ distance)

    def learned(self, window: Window, rows: Experience) -> Mapping[str, float]:
        self._recent += self._fisher(rows)
        self._windows += 1
        if self._windows % self._every == 0:
            self._importance *= self._decay
            self._importance += self._recent / max(float(self._recent.mean()), 1e-12)
            self._anchor[:] = self.bench.policy.weights
            self._recent[:] = 0.0
        return {}

    def _fisher(self, rows: Experience) -> Vector:
        """Return the sum over rows of the squared gradients of log-probability and value by each weight."""
        policy = self.bench.policy
        logits, values, hidden = policy.evaluate(rows.features)
        outputs: Matrix = np.zeros((len(values), logits.shape[1] + 1))
        distribution = policy.actions.distribution(logits, rows.mask)
        distribution.gradient(rows.choices, np.ones(len(values)), 0.0, outputs[:, :-1])
        squares = policy.gradient(rows.features, hidden, outputs, squared=True).copy()
        outputs[:, :-1], outputs[:, -1] = 0.0, 1.0
        squares += policy.gradient(rows.features, hidden, outputs, squared=True)
        return squares

    @property
    def state(self) -> Vector:
        return np.concatenate([[float(self._windows)], self._anchor, self._importance, self._recent])

    @state.setter
    def state(self, vector: Vector) -> None:
        self._windows = int(vector[0])
        self._anchor, self._importance, self._recent = vector[1:].reshape(3, -1).copy()
