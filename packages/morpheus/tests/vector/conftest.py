"""Worlds that are easy to reason about, stepped together."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces


class Counter(gymnasium.Env[Any, Any]):
    """Counts its steps from the seed on and truncates every third; `before` is called with each action."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = spaces.Discrete(9)

    def __init__(self, before: Callable[[Any], Any] = lambda _: None, *, in_process: bool = False) -> None:
        self.metadata = {"render_modes": [], "in_process": in_process}
        self.before = before
        self.resets: list[tuple[int | None, Any]] = []
        self.steps = self.closed = 0
        self.buffer = np.zeros(2, np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.resets.append((seed, options))
        self.buffer[:] = (seed or 0, self.steps)
        return self.buffer, {"seed": seed or 0}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Any]:
        self.buffer[1] = -1
        changed = self.before(action)
        self.steps += 1
        self.buffer[1] = self.steps
        usual = (self.buffer, float(action), False, self.steps % 3 == 0, {"steps": self.steps})
        return usual if changed is None else changed

    def close(self) -> None:
        self.closed += 1


def raise_error(_action: Any = None) -> NoReturn:
    raise OSError("the network\nis down")


@pytest.fixture
def counter() -> type[Counter]:
    """The class of a world that counts its steps."""
    return Counter


@pytest.fixture
def fail() -> Callable[..., NoReturn]:
    """What a world does that loses its network."""
    return raise_error


@pytest.fixture
def world_threads() -> Callable[[], int]:
    """Count the threads that step worlds of this test."""
    before = set(threading.enumerate())
    return lambda: sum(
        thread.name.startswith("world-") and thread not in before for thread in threading.enumerate()
    )


@pytest.fixture(autouse=True)
def no_thread_left(world_threads: Callable[[], int]) -> Iterator[None]:
    """Fail a test that leaves a thread behind."""
    yield
    assert world_threads() == 0
