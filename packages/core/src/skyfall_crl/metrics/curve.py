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
    `late_entry` is that of the first window behind the burn-in; each is None where a reward is missing.
    """

    steps: int
    nulls: int
    total: float
    windows: Rewards
    entry: float | None
    terminal: float | None
    late_entry: float | None


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
        self._early: list[Rewards] = []

    def add(self, rewards: Rewards) -> None:
        """Take the next rewards."""
        if not len(rewards):
            return
        self._keep_early(rewards)
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
        entry = _level(means[:1] if whole else self._rest)
        return CurveSummary(
            steps=self._steps,
            nulls=self._steps - int(counts.sum()),
            total=float(sums.sum()),
            windows=means,
            entry=entry,
            terminal=_level(tail[-self._parameters.terminal_steps(self._steps) :]),
            late_entry=self._late_entry(entry),
        )

    def _late_entry(self, entry: float | None) -> float | None:
        if not self._parameters.burn_in:
            return entry
        return _level(np.concatenate(self._early)) if self._early else None

    def _keep_early(self, rewards: Rewards) -> None:
        """Keep what lies in the window behind the burn-in."""
        begin = self._parameters.burn_in - self._steps
        if self._parameters.burn_in and begin + self._parameters.window > 0:
            self._early.append(rewards[max(0, begin) : begin + self._parameters.window])

    def _take(self, windows: Rewards) -> None:
        present = ~np.isnan(windows)
        self._sums.append(np.where(present, windows, 0.0).sum(axis=1))
        self._counts.append(present.sum(axis=1))


def _level(rewards: Rewards) -> float | None:
    if not len(rewards) or np.isnan(rewards).any():
        return None
    return float(rewards.mean())
