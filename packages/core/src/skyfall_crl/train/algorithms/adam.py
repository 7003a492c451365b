"""Adam: the optimiser, on one flat vector of weights."""

import numpy as np

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.policies.arrays import Index, Vector

DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """Moves weights against a gradient whose norm is first limited to `max_gradient_norm`."""

    def __init__(self, size: int, *, learning_rate: float, max_gradient_norm: float) -> None:
        self._learning_rate = learning_rate
        self._max_norm = max_gradient_norm
        self._steps = 0
        self._mean = np.zeros(size)
        self._square = np.zeros(size)
        self._scratch = np.empty(size)

    def step(self, weights: Vector, gradient: Vector) -> float:
        """Change `weights` in place and return the norm of `gradient`, which is used up.

        Raises `PolicyError`, and leaves the weights alone, for a gradient that isn't finite.
        """
        norm = float(np.sqrt(gradient @ gradient))
        if not np.isfinite(norm):
            raise PolicyError(
                "gradient: not finite, so the weights were left alone; look for rewards or observations "
                "without bounds, or lower the learning rate"
            )
        if norm > self._max_norm:
            gradient *= self._max_norm / norm
        self._steps += 1
        scratch = self._scratch
        self._mean *= DECAY
        self._mean += np.multiply(gradient, 1 - DECAY, out=scratch)
        self._square *= SQUARE_DECAY
        self._square += np.multiply(
            np.multiply(gradient, gradient, out=gradient), 1 - SQUARE_DECAY, out=scratch
        )
        np.sqrt(np.divide(self._square, 1 - SQUARE_DECAY**self._steps, out=scratch), out=scratch)
        scratch += EPSILON
        np.divide(self._mean, scratch, out=scratch)
        scratch *= self._learning_rate / (1 - DECAY**self._steps)
        weights -= scratch
        return norm

    def clear(self, places: Index) -> None:
        """Forget the moments of some weights, which were made new."""
        self._mean[places] = 0.0
        self._square[places] = 0.0

    @property
    def state(self) -> Vector:
        """Steps taken, then both moments, as one vector of length 1 + 2 x size."""
        return np.concatenate([[float(self._steps)], self._mean, self._square])

    @state.setter
    def state(self, vector: Vector) -> None:
        size = self._mean.size
        self._steps = int(vector[0])
        self._mean[:] = vector[1 : 1 + size]
        self._square[:] = vector[1 + size :]
