"""Metrics: rows in, named values or reasons out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One number, or the reason why there is none.

    `identity` is None for the value over all identities; `better` is `higher` or `lower`; exactly one of `value`
    and `reason` is None. `flags` are codes that qualify a value, such as `bound_violated`.
    """

    name: str
    version: int
    identity: str | None
    value: float | None
    reason: str | None
    unit: str
    better: str
    flags: tuple[str, ...] = ()


@runtime_checkable
class Metric(Protocol):
    """Scores a trace in one pass, in memory that grows with segments and windows only."""

    def begin(self, header: Mapping[str, Any]) -> None:
        """Take the run's provenance record."""
        ...

    def rows(self, batch: Mapping[str, NDArray[np.generic] | Sequence[str]]) -> None:
        """Take the next rows as columns of equal length."""
        ...

    def end(self) -> Sequence[MetricValue]:
        """Return the values."""
        ...
