"""Hooks that keep a network able to learn: shrink-and-perturb, and continual backprop."""

import numpy as np

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.train.algorithms.experience import Experience
from skyfall_crl.train.algorithms.hook import Bench, Hook
from skyfall_crl.train.policies.arguments import check_count, check_real
from skyfall_crl.train.policies.arrays import Index, Matrix, Vector


class ShrinkPerturb(Hook):
    """After each step every weight loses the share `shrink` of its size and gets `noise` times a first weight.

    Both are in [0, 1]; first weights are drawn anew each time. Sources: Ash and Adams, "On Warm-Starting Neural
    Network Training", 2020; applied at every step by Dohare et al., "Loss of plasticity in deep continual
    learning", 2024.
    """

    def __init__(self, *, shrink: float = 3e-3, noise: float = 3e-3) -> None:
        self._shrink = check_real("shrink", shrink, at_most=1.0)
        self._noise = check_real("noise", noise, at_most=1.0)

    def stepped(self, rows: Experience, hidden: Matrix) -> None:
        weights = self.bench.policy.weights
        weights *= 1.0 - self._shrink
        if self._noise:
            weights += self._noise * self.bench.policy.draw_weights(self.bench.generator)


class ContinualBackprop(Hook):
    """Replaces, now and then, the hidden unit that contributes least, once it is old enough to be judged.

    Each step replaces the share `replacement_rate` of the units older than `maturity` steps. Units are ranked by
    utility: a running mean, with `decay`, of how far their output lies from its mean times the size of the weights
    out of them over that of the weights into them, both means corrected for their start at 0. A replaced unit has
    first weights drawn anew into it and none out of it, whose mean effect goes to the biases; its optimiser moments
    are cleared. Needs a policy with hidden units.

    Source: Dohare et al., "Loss of plasticity in deep continual learning", 2024.
    """

    def __init__(self, *, replacement_rate: float = 1e-4, maturity: int = 1000, decay: float = 0.99) -> None:
        self._rate = check_real("replacement_rate", replacement_rate, at_most=1.0)
        self._maturity = check_count("maturity", maturity)
        self._decay = check_real("decay", decay, at_most=1.0)
        if self._decay == 1.0:
            raise ConfigError("decay: expected a number below 1, found 1.0")

    def bind(self, bench: Bench) -> None:
        super().bind(bench)
        places = bench.policy.unit_weights
        if places is None:
            raise ConfigError(
                "continual backprop: expected a policy with hidden units such as 'mlp', "
                f"found {type(bench.policy).__name__}"
            )
        self._into, self._out_of = places
        units = len(self._into)
        self._due = 0.0
        self._ages, self._means, self._utilities = np.zeros((3, units))

    def stepped(self, rows: Experience, hidden: Matrix) -> None:
        self._judge(hidden)
        mature = self._ages > self._maturity
        self._due += self._rate * int(mature.sum())
        count = min(int(self._due), int(mature.sum()))
        self._due -= count
        if count:
            ranks = np.where(mature, self._corrected(self._utilities), np.inf)
            self._replace(np.argsort(ranks, kind="stable")[:count])

    def _judge(self, hidden: Matrix) -> None:
        """Take one step's outputs of the units into their means and utilities."""
        weights, decay = self.bench.policy.weights, self._decay
        self._ages += 1
        self._means *= decay
        self._means += (1 - decay) * hidden.mean(0)
        spread = np.abs(hidden - self._corrected(self._means)).mean(0)
        out_of, into = np.abs(weights[self._out_of]).sum(1), np.abs(weights[self._into]).mean(1)
        self._utilities *= decay
        self._utilities += (1 - decay) * spread * out_of / np.maximum(into, 1e-8)

    def _corrected(self, means: Vector) -> Vector:
        corrected: Vector = means / (1 - self._decay ** np.maximum(self._ages, 1))
        return corrected

    def _replace(self, units: Index) -> None:
        """Make units new: what they gave on average goes to the biases, which have the same place in each head."""
        policy, weights = self.bench.policy, self.bench.policy.weights
        out_of = self._out_of[units]
        biases = self._out_of[-1] + self._out_of.shape[1]
        weights[biases] += self._corrected(self._means)[units] @ weights[out_of]
        weights[self._into[units]] = policy.draw_weights(self.bench.generator)[self._into[units]]
        weights[out_of] = 0.0
        self.bench.optimiser.clear(self._into[units])
        self.bench.optimiser.clear(out_of)
        self._ages[units] = self._means[units] = self._utilities[units] = 0.0

    @property
    def state(self) -> Vector:
        return np.concatenate([[self._due], self._ages, self._means, self._utilities])

    @state.setter
    def state(self, vector: Vector) -> None:
        self._due = float(vector[0])
        self._ages, self._means, self._utilities = vector[1:].reshape(3, -1).copy()
