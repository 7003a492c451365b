"""Actor-critic policies: what the linear policy and the network share, from acting to weights on disk."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.train.policies.action_spaces import actions_of
from skyfall_crl.train.policies.arguments import check_flag
from skyfall_crl.train.policies.arrays import Index, Matrix, Vector
from skyfall_crl.train.policies.distribution import Actions
from skyfall_crl.train.policies.features import FeatureEncoder
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

WEIGHTS_FILE = "weights.npy"


class Evaluation(NamedTuple):
    """What follows from features (N, D): `logits` (N, A), `values` (N,), `hidden`, the last layer's input."""

    logits: Matrix
    values: Vector
    hidden: Matrix


class ActorCritic(ABC):
    """A policy with a value estimate beside it, all weights in one flat vector.

    It chooses by softmax among Discrete actions, by one softmax for each choice of MultiDiscrete, and by a diagonal
    Gaussian in Box. A subclass says what arrays it needs, fills them, and computes forward and backward; the arrays
    it is given are views into `weights`, so whoever changes `weights` in place changes the policy. `greedy` takes
    the likeliest action instead of drawing one.
    """

    encoder: FeatureEncoder
    actions: Actions

    def __init__(self, *, greedy: bool = False) -> None:
        self._greedy = check_flag("greedy", greedy)
        self._generators: tuple[np.random.Generator, np.random.Generator] | None = None
        self._weights: Vector | None = None

    @property
    def weights(self) -> Vector:
        """The live weights; write into it to change the policy."""
        if self._weights is None:
            raise PolicyError(
                f"{type(self).__name__}: bind(observation_space, action_space) has to come first"
            )
        return self._weights

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generators for first weights and for sampling actions."""
        self._generators = (initial, sampling)

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the spaces of one world and draw first weights; raises `PolicyError` for unfit spaces."""
        if self._generators is None:
            raise PolicyError(f"{type(self).__name__}: seed(initial, sampling) has to come before bind")
        self.actions = actions_of(action_space)
        self.encoder = FeatureEncoder(observation_space)
        shapes = [*self._shapes(), (self.actions.free,)]
        self._weights = np.zeros(sum(math.prod(shape) for shape in shapes))
        self._gradient = np.zeros_like(self._weights)
        *weights, self._free = _views(self._weights, shapes)
        *gradient, self._free_gradient = _views(self._gradient, shapes)
        self._take(weights, gradient)
        initial, self._sampling = self._generators
        self._weights[:] = self.draw_weights(initial)

    @property
    def outputs(self) -> int:
        """How many outputs depend on the features: those of the actions, and the value in the last column."""
        return self.actions.columns - self.actions.free + 1

    @property
    def unit_weights(self) -> tuple[Index, Index] | None:
        """Where the weights into and out of each hidden unit are in `weights`; None without a hidden layer.

        The first has shape (U, D + 1), the unit's bias last, the second (U, `outputs`).
        """
        return None

    def draw_weights(self, generator: np.random.Generator) -> Vector:
        """Return first weights, drawn anew, and leave the live ones alone."""
        weights = self.weights
        kept = weights.copy()
        weights[:] = 0.0
        self._initialise(generator)
        self._free[:] = self.actions.start
        drawn = weights.copy()
        weights[:] = kept
        return drawn

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return an action, its log-probability and the value estimate for each of N observations."""
        if len(batch) == 0:
            return []
        logits, values, _ = self.evaluate(self.encoder.encode(batch))
        mask = self.actions.mask(infos)
        actions, log_probs, extras = self.actions.draw(logits, mask, None if self._greedy else self._sampling)
        estimates = values.tolist()
        if not math.isfinite(sum(log_probs) + sum(estimates)):
            raise PolicyError(
                f"{type(self).__name__}: an observation or a weight is not finite, no action follows"
            )
        return [
            Decision(action, None, log_prob, value, extra)
            for action, log_prob, value, extra in zip(
                actions, log_probs, estimates, extras or [EMPTY] * len(actions), strict=True
            )
        ]

    def evaluate(self, features: Matrix) -> Evaluation:
        """Return logits and values of features (N, D)."""
        outputs, hidden = self._forward(features)
        logits = outputs[:, :-1]
        if self.actions.free:
            logits = np.concatenate([logits, np.broadcast_to(self._free, (len(logits), len(self._free)))], 1)
        return Evaluation(logits, outputs[:, -1], hidden)

    def gradient(self, features: Matrix, hidden: Matrix, outputs: Matrix, *, squared: bool = False) -> Vector:
        """Return the loss gradient in the shape of `weights`; the vector is overwritten by the next call.

        `outputs` (N, A + 1) is the gradient with respect to the logits and, in its last column, the values;
        `hidden` is the one of `evaluate(features)`. The rows are summed; with `squared`, the squares of each row's
        gradient are.
        """
        if free := self.actions.free:
            ends = outputs[:, -1 - free : -1]
            np.sum(ends * ends if squared else ends, axis=0, out=self._free_gradient)
            outputs = np.delete(outputs, np.s_[-1 - free : -1], axis=1)
        self._backward(features, hidden, outputs, squared=squared)
        return self._gradient

    def save_weights(self, directory: Path) -> None:
        """Write every weight to one flat `weights.npy` in `directory`."""
        write_vector(directory / WEIGHTS_FILE, self.weights)

    def load_weights(self, directory: Path) -> None:
        """Fill every weight from `directory`; raises `CheckpointError`, and changes nothing, if unfit."""
        self.weights[:] = read_vector(directory / WEIGHTS_FILE, self.weights.size)

    @abstractmethod
    def _shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the arrays that make up `weights`, in order; the spaces are known by then."""

    @abstractmethod
    def _take(self, weights: list[Matrix], gradient: list[Matrix]) -> None:
        """Keep the arrays of those shapes: views into `weights`, and into what `gradient` returns."""

    @abstractmethod
    def _initialise(self, generator: np.random.Generator) -> None:
        """Draw first weights into the arrays, which hold zeros."""

    @abstractmethod
    def _forward(self, features: Matrix) -> tuple[Matrix, Matrix]:
        """Return the outputs (N, `outputs`) of features (N, D), and the last layer's input."""

    @abstractmethod
    def _backward(self, features: Matrix, hidden: Matrix, outputs: Matrix, *, squared: bool) -> None:
        """Fill the arrays of the gradient, summed over rows, or over the squares of each row's gradient."""


def _views(vector: Vector, shapes: Sequence[tuple[int, ...]]) -> list[Matrix]:
    views, start = [], 0
    for shape in shapes:
        stop = start + math.prod(shape)
        views.append(vector[start:stop].reshape(shape))
        start = stop
    return views
