"""Window means, sums and end levels of a reward sequence that arrives in pieces."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.parameters import Parameters

Rewards = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CurveSummary:
    """What is kept of a sequence; how it was cut into pieces leaves no mark on it.

    `windows` are the means of consecutive whole windows, NaN where a reward is missing; `entry` and
    `terminal` are the means of the first window (of all steps, when there are fewer) and of the last steps,
    None where a reward is missing.
    """

    steps: int
    nulls: int
    total: float
    windows: Rewards
    entry: float | None
    terminal: float | None


class Curve:
    """Takes rewards in pieces, NaN for missing ones; keeps one sum for each window and the rows of the last tenth."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._steps = 0
        self._rest: Rewards = np.empty(0)
        self._sums: list[Rewards] = []
        self._counts: list[NDArray[np.int64]] = []
        self._tail: list[Rewards] = []
        self._tail_steps = 0

    def add(self, rewards: Rewards) -> None:
        """Take the next rewards."""
        if not len(rewards):
            return
        self._steps += len(rewards)
        self._tail.append(rewards)
        self._tail_steps += len(rewards)
        keep = self._parameters.terminal_steps(self._steps)
        while self._tail_steps - len(self._tail[0]) >= keep:
            self._tail_steps -= len(self._tail.pop(0))
        pending = np.concatenate((self._rest, rewards))
        whole = len(pending) - len(pending) % self._parameters.window
        self._rest = pending[whole:].copy()
        if whole:
            self._take(pending[:whole].reshape(-1, self._parameters.window))

    def finish(self) -> CurveSummary:
        """Return the summary of everything taken."""
        windows = len(self._sums)
        if len(self._rest):
            self._take(self._rest[None, :])
        sums = np.concatenate(self._sums) if self._sums else np.empty(0)
        counts = np.concatenate(self._counts) if self._counts else np.empty(0, np.int64)
        whole = sum(len(part) for part in self._sums[:windows])
        means = np.where(counts == self._parameters.window, sums / self._parameters.window, np.nan)[:whole]
        tail = np.concatenate(self._tail) if self._tail else np.empty(0)
        return CurveSummary(
            steps=self._steps,
            nulls=self._steps - int(counts.sum()),
            total=float(sums.sum()),
            windows=means,
            entry=_level(means[:1] if whole else self._rest),
            terminal=_level(tail[-self._parameters.terminal_steps(self._steps) :]),
        )

    def _take(self, windows: Rewards) -> None:
        present = ~np.isnan(windows)
        self._sums.append(np.where(present, windows, 0.0).sum(axis=1))
        self._counts.append(present.sum(axis=1))


def _level(rewards: Rewards) -> float | None:
    if not len(rewards) or np.isnan(rewards).any():
        return None
    return float(rewards.mean())
