"""Run executors: where a whole run takes place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class RunExecutor(Protocol):
    """Runs a config to its end; a world never moves between executors."""

    def execute(self, config: Path, overrides: Sequence[str] = (), *, out: Path | None = None) -> Path:
        """Run `config` with `key=value` overrides and return the finished run directory.

        An `out` that holds a part of the same run is gone on with; one that holds another run is an error.
        """
        ...
