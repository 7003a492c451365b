"""What a head usually earns: a running level of window rewards, and how far one lies from it by chance."""

import numpy as np

from skyfall_crl.train.policies.arrays import Vector

RATE = 0.1
"""Share of each new window in level and deviation."""

SETTLED = 5
"""Windows after which a level is known well enough to notice a drop from it."""

SMALLEST_DEVIATION = 0.02
"""Least deviation as a share of the level's size: below it every level would have drops."""


class RewardLevel:
    """Running mean and mean absolute deviation of the mean rewards of `windows` windows."""

    SIZE = 3

    def __init__(self) -> None:
        self.windows = 0
        self._level = self._deviation = 0.0

    def is_above(self, reward: float, deviations: float) -> bool:
        """Tell whether the level lies more than `deviations` standard deviations above a window's mean reward."""
        if self.windows < SETTLED:
            return False
        deviation = max(1.25 * self._deviation, SMALLEST_DEVIATION * abs(self._level))
        return reward < self._level - deviations * deviation

    def follow(self, reward: float) -> None:
        """Take a window's mean reward into the level."""
        self.windows += 1
        rate = max(RATE, 1 / self.windows)
        gap = reward - self._level
        self._level += rate * gap
        if self.windows > 1:
            self._deviation += max(RATE, 1 / (self.windows - 1)) * (abs(gap) - self._deviation)

    @property
    def state(self) -> Vector:
        """The windows and both means as a vector of length `SIZE`."""
        return np.array([float(self.windows), self._level, self._deviation])

    @state.setter
    def state(self, vector: Vector) -> None:
        self.windows = int(vector[0])
        self._level, self._deviation = float(vector[1]), float(vector[2])
