"""A number over several seeds with its interval, or the reason why there is none."""

from dataclasses import dataclass, replace
from typing import Self

from skyfall_crl.ports.plain import PlainData

FEW_SEEDS = 10
"""Below this many seeds a percentile bootstrap is too narrow, and every interval is flagged `few_seeds`."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`value` between `low` and `high`, found by `method` from `n` seeds.

    A bound is None where the data don't reach it: with one seed, or where too many waiting times were cut short.
    `value` is None exactly where `reason` has a code. Flags: `few_seeds` under 10 seeds, `missing_seeds` where seeds
    had no value, `unpaired_seeds` where seeds were met on one side only, `unbounded` where a bound is missing.
    """

    low: float | None
    value: float | None
    high: float | None
    method: str
    n: int
    flags: tuple[str, ...] = ()
    reason: str | None = None

    @classmethod
    def missing(cls, reason: str, method: str, n: int = 0, flags: tuple[str, ...] = ()) -> Self:
        """Make an interval without a value."""
        return cls(None, None, None, method, n, flags, reason)

    def flagged(self, *flags: str) -> Self:
        """Return the interval with more flags."""
        return replace(self, flags=tuple(dict.fromkeys((*self.flags, *flags))))

    def to_mapping(self) -> dict[str, PlainData]:
        """Return the interval as plain data, ready for JSON."""
        return {
            "low": self.low,
            "value": self.value,
            "high": self.high,
            "method": self.method,
            "n": self.n,
            "flags": list(self.flags),
            "reason": self.reason,
        }


def bounded(
    low: float, value: float, high: float, method: str, n: int, flags: tuple[str, ...] = ()
) -> Interval:
    """Make an interval of finite numbers: a bound that isn't finite becomes None, flagged `unbounded`."""
    ends = [None if not -float("inf") < end < float("inf") else end for end in (low, high)]
    found = Interval(ends[0], value, ends[1], method, n, flags)
    found = found.flagged("few_seeds") if n < FEW_SEEDS else found
    return found.flagged("unbounded") if None in ends else found
