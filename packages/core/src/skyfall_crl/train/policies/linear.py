"""The linear policy: action preferences and value are weighted sums of the features."""

import numpy as np

from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arrays import Matrix


class LinearPolicy(ActorCritic):
    """Linear preferences for actions and a linear value estimate, from zero: all Discrete actions alike.

    `greedy` takes the likeliest action instead of drawing one.
    """

    _head: Matrix
    _bias: Matrix
    _head_gradient: Matrix
    _bias_gradient: Matrix

    def _forward(self, features: Matrix) -> tuple[Matrix, Matrix]:
        outputs = features @ self._head
        outputs += self._bias
        return outputs, features

    def _backward(self, features: Matrix, hidden: Matrix, outputs: Matrix, *, squared: bool) -> None:
        if squared:
            features, outputs = features * features, outputs * outputs
        np.matmul(features.T, outputs, out=self._head_gradient)
        outputs.sum(0, out=self._bias_gradient)

    def _shapes(self) -> list[tuple[int, ...]]:
        return [(self.encoder.size, self.outputs), (self.outputs,)]

    def _take(self, weights: list[Matrix], gradient: list[Matrix]) -> None:
        self._head, self._bias = weights
        self._head_gradient, self._bias_gradient = gradient

    def _initialise(self, generator: np.random.Generator) -> None:
        """Leave all weights at zero."""
