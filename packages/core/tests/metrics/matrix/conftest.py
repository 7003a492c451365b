from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from skyfall_crl.metrics.matrix import Level, PerformanceMatrix


@pytest.fixture
def matrix() -> Callable[..., PerformanceMatrix]:
    """A matrix from blocks and, for each row, levels by identity."""

    def make(trained: Sequence[str], rows: Sequence[Mapping[str, float]]) -> PerformanceMatrix:
        return PerformanceMatrix(
            tuple(trained), [{name: Level(value) for name, value in row.items()} for row in rows]
        )

    return make


@pytest.fixture(scope="session")
def evaluated() -> Callable[..., list[dict[str, Any]]]:
    """Rows of a run with blocks of training and, before and after each, evaluations by identity."""

    def rows(
        blocks: Sequence[tuple[str, int]], evaluations: Sequence[Mapping[str, Sequence[float | None]]]
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        step = 0
        for place, levels in enumerate(evaluations):
            if place:
                identity, steps = blocks[place - 1]
                found += [
                    {"step": step + n, "regime_id": identity, "regime_identity": identity, "reward": 0.5}
                    for n in range(steps)
                ]
                step += steps
            for identity, rewards in levels.items():
                found += [
                    {
                        "step": n,
                        "world": f"eval/{step}/{identity}",
                        "phase": "eval",
                        "regime_id": identity,
                        "regime_identity": identity,
                        "reward": reward,
                    }
                    for n, reward in enumerate(rewards)
                ]
        return found

    return rows
