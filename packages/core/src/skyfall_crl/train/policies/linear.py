"""The linear policy: action preferences and value are weighted sums of the features."""

import numpy as np

from skyfall_crl.train.policies.actor_critic import ActorCritic, Evaluation
from skyfall_crl.train.policies.arrays import Matrix, Vector


class LinearPolicy(ActorCritic):
    """A linear softmax over Discrete actions with a linear value estimate, from zero: all actions alike.

    `greedy` takes the likeliest action instead of drawing one.
    """

    _head: Matrix
    _bias: Matrix
    _head_gradient: Matrix
    _bias_gradient: Matrix

    def evaluate(self, features: Matrix) -> Evaluation:
        """Return logits and values of features (N, D); the hidden layer is the features themselves."""
        outputs = features @ self._head
        outputs += self._bias
        return Evaluation(outputs[:, :-1], outputs[:, -1], features)

    def gradient(self, features: Matrix, hidden: Matrix, outputs: Matrix) -> Vector:
        """Return the loss gradient in the shape of `weights`, from `outputs` (N, A + 1)."""
        np.matmul(features.T, outputs, out=self._head_gradient)
        outputs.sum(0, out=self._bias_gradient)
        return self._gradient

    def _shapes(self) -> list[tuple[int, ...]]:
        outputs = self.action_count + 1
        return [(self.encoder.size, outputs), (outputs,)]

    def _take(self, weights: list[Matrix], gradient: list[Matrix]) -> None:
        self._head, self._bias = weights
        self._head_gradient, self._bias_gradient = gradient

    def _initialise(self, generator: np.random.Generator) -> None:
        """Leave all weights at zero."""
