"""The random policy: every action alike, whatever is seen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.train.policies.categorical import choose, stack_masks


class RandomPolicy:
    """Draws uniformly from Discrete (where `info["action_mask"]` allows), MultiDiscrete or bounded Box."""

    _draw: Callable[[Sequence[Mapping[str, Any]]], list[Any]]

    def __init__(self) -> None:
        self._sampling: np.random.Generator | None = None

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generator for drawing actions; there are no first weights."""
        self._sampling = sampling

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the action space of one world; raises `PolicyError` for one it can't draw from."""
        if self._sampling is None:
            raise PolicyError("RandomPolicy: seed(initial, sampling) has to come before bind")
        self._draw = _drawer(action_space, self._sampling)

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision for each observation."""
        return [Decision(action) for action in self._draw(infos)] if len(batch) else []


def _drawer(
    space: spaces.Space[Any], generator: np.random.Generator
) -> Callable[[Sequence[Mapping[str, Any]]], list[Any]]:
    if isinstance(space, spaces.Discrete):
        return _discrete_drawer(space, generator)
    if isinstance(space, spaces.MultiDiscrete):
        low = np.asarray(space.start)
        return lambda infos: [
            generator.integers(low, low + space.nvec, dtype=space.dtype.type) for _ in infos
        ]
    if isinstance(space, spaces.Box) and space.is_bounded("both"):
        return _box_drawer(space, generator)
    raise PolicyError(
        f"action space: the random policy draws from Discrete, MultiDiscrete and bounded Box, found {space}"
    )


def _discrete_drawer(
    space: spaces.Discrete, generator: np.random.Generator
) -> Callable[[Sequence[Mapping[str, Any]]], list[Any]]:
    first, count = int(space.start), int(space.n)

    def draw_actions(infos: Sequence[Mapping[str, Any]]) -> list[Any]:
        chosen, _ = choose(np.zeros((len(infos), count)), stack_masks(infos, count), generator)
        actions: list[Any] = (chosen + first).tolist()
        return actions

    return draw_actions


def _box_drawer(
    space: spaces.Box, generator: np.random.Generator
) -> Callable[[Sequence[Mapping[str, Any]]], list[Any]]:
    if np.issubdtype(space.dtype, np.integer):
        low, high = space.low.astype(np.int64), space.high.astype(np.int64)
        return lambda infos: [generator.integers(low, high, endpoint=True).astype(space.dtype) for _ in infos]
    return lambda infos: [
        generator.uniform(space.low, space.high, space.shape).astype(space.dtype) for _ in infos
    ]
