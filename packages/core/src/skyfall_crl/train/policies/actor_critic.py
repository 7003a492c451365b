"""Actor-critic policies: what the linear policy and the network share, from acting to weights on disk."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.train.policies.arguments import check_flag
from skyfall_crl.train.policies.arrays import Matrix, Vector
from skyfall_crl.train.policies.categorical import choose, stack_masks
from skyfall_crl.train.policies.features import FeatureEncoder
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

WEIGHTS_FILE = "weights.npy"


class Evaluation(NamedTuple):
    """What follows from features (N, D): `logits` (N, A), `values` (N,), `hidden`, the last layer's input."""

    logits: Matrix
    values: Vector
    hidden: Matrix


class ActorCritic(ABC):
    """A softmax policy over discrete actions with a value estimate beside it, all weights in one flat vector.

    A subclass says what arrays it needs, fills them, and computes forward and backward; the arrays it is
    given are views into `weights`, so whoever changes `weights` in place changes the policy. `greedy` takes
    the likeliest action instead of drawing one.
    """

    encoder: FeatureEncoder
    first_action: int
    action_count: int

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
        if not isinstance(action_space, spaces.Discrete):
            raise PolicyError(
                f"action space: {type(self).__name__} chooses among Discrete actions, found {action_space}; "
                "choose a task view with a Discrete action space"
            )
        self.encoder = FeatureEncoder(observation_space)
        self.first_action, self.action_count = int(action_space.start), int(action_space.n)
        shapes = self._shapes()
        self._weights = np.zeros(sum(math.prod(shape) for shape in shapes))
        self._gradient = np.zeros_like(self._weights)
        self._take(_views(self._weights, shapes), _views(self._gradient, shapes))
        initial, self._sampling = self._generators
        self._initialise(initial)

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return an action, its log-probability and the value estimate for each of N observations."""
        if len(batch) == 0:
            return []
        logits, values, _ = self.evaluate(self.encoder.encode(batch))
        mask = stack_masks(infos, self.action_count)
        chosen, chosen_log_probs = choose(logits, mask, None if self._greedy else self._sampling)
        actions = (chosen + self.first_action).tolist()
        log_probs, estimates = chosen_log_probs.tolist(), values.tolist()
        if not math.isfinite(sum(log_probs) + sum(estimates)):
            raise PolicyError(
                f"{type(self).__name__}: an observation or a weight is not finite, no action follows"
            )
        return [
            Decision(action, None, log_prob, value)
            for action, log_prob, value in zip(actions, log_probs, estimates, strict=True)
        ]

    @abstractmethod
    def evaluate(self, features: Matrix) -> Evaluation:
        """Return logits and values of features (N, D)."""

    @abstractmethod
    def gradient(self, features: Matrix, hidden: Matrix, outputs: Matrix) -> Vector:
        """Return the loss gradient in the shape of `weights`; the vector is overwritten by the next call.

        `outputs` (N, A + 1) is the gradient with respect to the logits and, in its last column, the values;
        `hidden` is the one of `evaluate(features)`.
        """

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


def _views(vector: Vector, shapes: Sequence[tuple[int, ...]]) -> list[Matrix]:
    views, start = [], 0
    for shape in shapes:
        stop = start + math.prod(shape)
        views.append(vector[start:stop].reshape(shape))
        start = stop
    return views
