"""Scale of returns: what lets one learning rate serve rewards of any size."""

import numpy as np

from skyfall_crl.train.policies.arrays import Vector

RATE = 0.01
"""Share of each new window in the running moments: old windows fade, so that the scale follows the world."""

SMALLEST_SPREAD = 1e-8


class ReturnScale:
    """Running mean and spread of returns; the critic learns returns in these units, which change nothing else."""

    SIZE = 3

    def __init__(self) -> None:
        self._weight = self._mean = self._square = 0.0

    @property
    def mean(self) -> float:
        """Mean return, 0 before the first window."""
        return self._mean / self._weight if self._weight else 0.0

    @property
    def spread(self) -> float:
        """Standard deviation of returns, 1 before the first window and never 0."""
        if not self._weight:
            return 1.0
        return max(float(np.sqrt(max(self._square / self._weight - self.mean**2, 0.0))), SMALLEST_SPREAD)

    def follow(self, returns: Vector) -> None:
        """Take the returns of a window into the moments."""
        self._weight += RATE * (1.0 - self._weight)
        self._mean += RATE * (float(returns.mean()) - self._mean)
        self._square += RATE * (float((returns * returns).mean()) - self._square)

    @property
    def state(self) -> Vector:
        """The moments as a vector of length `SIZE`."""
        return np.array([self._weight, self._mean, self._square])

    @state.setter
    def state(self, vector: Vector) -> None:
        self._weight, self._mean, self._square = vector.tolist()
