"""Sinks: where rows go beside the trace."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Sink(Protocol):
    """Receives a run's rows on a thread of its own; a failing sink never ends a run."""

    def open(self, run: Mapping[str, Any]) -> None:
        """Take the run's provenance record."""
        ...

    def rows(self, batch: Sequence[Mapping[str, Any]]) -> None:
        """Take the rows of one window."""
        ...

    def close(self, status: str) -> None:
        """Finish with `completed`, `interrupted` or `failed`."""
        ...
