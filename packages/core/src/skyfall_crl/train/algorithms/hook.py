"""Hooks: what can be added to any array learner, from a penalty on weights to rows of the past."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.algorithms.adam import Adam
from skyfall_crl.train.algorithms.experience import Experience
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arrays import Matrix, Vector


@dataclass(slots=True)
class Bench:
    """What a learner shares with its hooks: the policy it trains, how, and the generator it was seeded with."""

    policy: ActorCritic
    optimiser: Adam
    scale: ReturnScale
    discount: float
    entropy: float
    value_coefficient: float
    seeded: np.random.Generator | None = None

    @property
    def generator(self) -> np.random.Generator:
        """The learner's generator; raises `PolicyError` before `seed`."""
        if self.seeded is None:
            raise PolicyError("algorithm: seed(generator) has to come before update")
        return self.seeded


class Hook:
    """Base of all hooks, which adds nothing; a subclass overrides the moments it has something to say at.

    A learner calls `bind` once, `add_gradient` before and `stepped` after each of its steps, and `learned` after each
    window. Whatever a hook carries from one call to the next, its `state` has to hold.
    """

    bench: Bench

    def bind(self, bench: Bench) -> None:
        """Take the learner's bench; raises `ConfigError` for a policy the hook can't work with."""
        self.bench = bench

    def add_gradient(self, gradient: Vector, rows: int) -> float:
        """Add to the mean gradient over `rows` rows, in place, and return the loss it belongs to."""
        return 0.0

    def stepped(self, rows: Experience, hidden: Matrix) -> None:
        """Hear that the weights have moved; `hidden` is the last layer's input of `rows` before that."""

    def learned(self, window: Window, rows: Experience) -> Mapping[str, float]:
        """Hear that a window, whose valid rows are `rows`, has been learned from; return numbers worth logging."""
        return {}

    @property
    def state(self) -> Vector:
        """What the hook carries, as one vector whose length is fixed once it is bound."""
        return np.empty(0)

    @state.setter
    def state(self, vector: Vector) -> None:
        """Take the state back, from a vector of that length."""
