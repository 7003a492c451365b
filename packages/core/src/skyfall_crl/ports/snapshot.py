"""Worlds that can be put back: snapshot, restore, fork, commit, digest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import gymnasium


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A world at one instant, as plain data that a JSON document holds without loss.

    `kind` names what wrote it (`morpheus/simulated`, for instance) and `version` its layout.
    """

    kind: str
    version: int
    state: Mapping[str, Any]


@runtime_checkable
class Snapshottable(Protocol):
    """An environment whose world can be stored and put back; it has these methods only when its backend can."""

    def snapshot(self) -> Snapshot:
        """Return the world and the environment's own counters as they are now."""
        ...

    def restore(self, snapshot: Snapshot) -> tuple[Any, dict[str, Any]]:
        """Put the world back and return the observation and info that were current then."""
        ...

    def fork(self) -> gymnasium.Env[Any, Any]:
        """Return an independent environment in the same state; the caller closes it."""
        ...

    def commit(self, fork: gymnasium.Env[Any, Any]) -> None:
        """Take over the state a fork has reached."""
        ...

    def digest(self) -> str:
        """Return a digest that is equal exactly when the worlds are."""
        ...
