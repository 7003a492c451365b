"""The network policy: one tanh layer under the action preferences and the value."""

import numpy as np

from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arguments import check_count
from skyfall_crl.train.policies.arrays import Index, Matrix

ACTOR_SCALE = 0.01
"""Standard deviation of the actor's first weights: small, so that all actions start nearly alike."""

CRITIC_SCALE = 0.1
"""Standard deviation of the critic's first weights."""


class MlpPolicy(ActorCritic):
    """Preferences for actions and a value estimate on one layer of `hidden` tanh units (at least 1).

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

    @property
    def unit_weights(self) -> tuple[Index, Index]:
        """Where the weights into and out of each hidden unit are in `weights`."""
        features, units, outputs = self.encoder.size, self._units, self.outputs
        into = np.arange((features + 1) * units).reshape(features + 1, units).T
        out_of = into.size + np.arange(units * outputs).reshape(units, outputs)
        return into, out_of

    def _forward(self, features: Matrix) -> tuple[Matrix, Matrix]:
        hidden = features @ self._layer
        hidden += self._layer_bias
        np.tanh(hidden, out=hidden)
        outputs = hidden @ self._head
        outputs += self._bias
        return outputs, hidden

    def _backward(self, features: Matrix, hidden: Matrix, outputs: Matrix, *, squared: bool) -> None:
        layer, layer_bias, head, bias = self._gradients
        below = outputs @ self._head.T
        below *= 1.0 - hidden * hidden
        if squared:
            features, hidden = features * features, hidden * hidden
            outputs, below = outputs * outputs, below * below
        np.matmul(features.T, below, out=layer)
        below.sum(0, out=layer_bias)
        np.matmul(hidden.T, outputs, out=head)
        outputs.sum(0, out=bias)

    def _shapes(self) -> list[tuple[int, ...]]:
        return [
            (self.encoder.size, self._units),
            (self._units,),
            (self._units, self.outputs),
            (self.outputs,),
        ]

    def _take(self, weights: list[Matrix], gradient: list[Matrix]) -> None:
        self._layer, self._layer_bias, self._head, self._bias = weights
        self._gradients = gradient

    def _initialise(self, generator: np.random.Generator) -> None:
        features, actions = max(self.encoder.size, 1), self.outputs - 1
        self._layer[:] = generator.normal(0.0, features**-0.5, self._layer.shape)
        self._head[:, :-1] = generator.normal(0.0, ACTOR_SCALE, (self._units, actions))
        self._head[:, -1] = generator.normal(0.0, CRITIC_SCALE, self._units)
