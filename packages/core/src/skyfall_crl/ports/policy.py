"""Policies: observations of all worlds in, one decision a world out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.task_view import TaskView

POLICY_INFO_KEYS = ("action_mask", "outcome")
"""What a policy may see of `info`; the regime is never among it."""


@dataclass(slots=True)
class Decision:
    """What a policy chose for one world.

    `text` is a language policy's output, from which the task view parses the action when `action` is None.
    `log_prob` and `value` are what a learner needs again; `extras` must be plain data and lands in the trace row.
    """

    action: Any
    text: str | None = None
    log_prob: float | None = None
    value: float | None = None
    extras: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@runtime_checkable
class Policy(Protocol):
    """Chooses actions for a batch of worlds.

    Built by `factory(**kwargs)`, or by `factory(checkpoint_dir, **kwargs)` for weights of format `checkpoint`; then
    `seed` (where it exists), `attach` (privileged ones), `bind`, and `load_weights` for weights of format `weights`.
    """

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the spaces of one world; raises `PolicyError` for spaces the policy can't work in."""
        ...

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision for each observation, in order; `infos` holds only `POLICY_INFO_KEYS`."""
        ...


@runtime_checkable
class SeededPolicy(Protocol):
    """A policy that draws random numbers."""

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generators for first weights and for sampling actions; called before `bind`."""
        ...


@runtime_checkable
class WeightedPolicy(Protocol):
    """A policy that is built first and filled afterwards."""

    def load_weights(self, directory: Path) -> None:
        """Fill every weight from `directory`; raises `CheckpointError` rather than filling a part."""
        ...


@runtime_checkable
class PrivilegedPolicy(Protocol):
    """A policy that looks inside the world (a reference); registered with `privileged=True`."""

    def attach(self, environment: Any) -> None:
        """Take the environment of one world; called once a world, in world order, before `bind`."""
        ...


@runtime_checkable
class StatefulPolicy(Protocol):
    """A policy that carries something from step to step that a resumed run needs again."""

    def state(self) -> Mapping[str, Any]:
        """Return that something as plain data."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        ...
