"""The network policy: one tanh layer under the action preferences and the value."""

import numpy as np

from skyfall_crl.train.policies.actor_critic import ActorCritic, Evaluation
from skyfall_crl.train.policies.arguments import check_count
from skyfall_crl.train.policies.arrays import Matrix, Vector

ACTOR_SCALE = 0.01
"""Standard deviation of the actor's first weights: small, so that all actions start nearly alike."""

CRITIC_SCALE = 0.1
"""Standard deviation of the critic's first weights."""


class MlpPolicy(ActorCritic):
    """A softmax over Discrete actions and a value estimate on one layer of `hidden` tanh units (at least 1).

    `greedy` takes the likeliest action instead of drawing one.
    """

    _layer: Matrix
    _layer_bias: Matrix
    _head: Matrix
    _bias: Matrix
    _gradients: list[Matrix]

    def __init__(self, *, hidden: int = 64, greedy: bool = False) -> None:
        super().__init__(greedy=greedy)
        self._units = check_count("hidden", hidden)

    def evaluate(self, features: Matrix) -> Evaluation:
        """Return logits and values of features (N, D) with the hidden layer (N, `hidden`)."""
        hidden = features @ self._layer
        hidden += self._layer_bias
        np.tanh(hidden, out=hidden)
        outputs = hidden @ self._head
        outputs += self._bias
        return Evaluation(outputs[:, :-1], outputs[:, -1], hidden)

    def gradient(self, features: Matrix, hidden: Matrix, outputs: Matrix) -> Vector:
        """Return the loss gradient in the shape of `weights`, from `outputs` (N, A + 1)."""
        layer, layer_bias, head, bias = self._gradients
        below = outputs @ self._head.T
        below *= 1.0 - hidden * hidden
        np.matmul(features.T, below, out=layer)
        below.sum(0, out=layer_bias)
        np.matmul(hidden.T, outputs, out=head)
        outputs.sum(0, out=bias)
        return self._gradient

    def _shapes(self) -> list[tuple[int, ...]]:
        outputs = self.action_count + 1
        return [(self.encoder.size, self._units), (self._units,), (self._units, outputs), (outputs,)]

    def _take(self, weights: list[Matrix], gradient: list[Matrix]) -> None:
        self._layer, self._layer_bias, self._head, self._bias = weights
        self._gradients = gradient

    def _initialise(self, generator: np.random.Generator) -> None:
        features = max(self.encoder.size, 1)
        self._layer[:] = generator.normal(0.0, features**-0.5, self._layer.shape)
        self._head[:, :-1] = generator.normal(0.0, ACTOR_SCALE, (self._units, self.action_count))
        self._head[:, -1] = generator.normal(0.0, CRITIC_SCALE, self._units)
