"""A trace in aggregate: segments, windows of steps, and what became of actions."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from skyfall_crl.trace.columns import UNLABELLED


class Outcome(NamedTuple):
    """What became of an action: `accepted` is None where nobody reported or knows it."""

    accepted: bool | None
    reason: str | None


NOT_REPORTED = Outcome(None, None)


@dataclass(slots=True)
class Segment:
    """One visit of a regime, over all worlds; `first` and `last` are steps, both included.

    `drift_last` is the last step of the drift that opens the segment, None without one.
    """

    number: int
    regime_id: str
    identity: str
    first: int
    last: int
    drift_last: int | None = None


@dataclass(slots=True)
class Tally:
    """A sum and the number of its terms; `broken` when a non-finite number was among them."""

    total: float = 0.0
    count: int = 0
    broken: bool = False

    def add(self, other: "Tally") -> None:
        """Take in the numbers of another tally."""
        self.total += other.total
        self.count += other.count
        self.broken |= other.broken

    @property
    def mean(self) -> float | None:
        """The mean, None when there is no number or one of them was not finite."""
        return self.total / self.count if self.count and not self.broken else None


@dataclass(slots=True)
class Window:
    """Consecutive steps of one segment, `first` to `last` included: rewards by world, terms and outcomes."""

    segment: Segment
    first: int
    last: int
    rewards: dict[int, Tally] = field(default_factory=dict)
    terms: dict[str, Tally] = field(default_factory=dict)
    outcomes: Counter[Outcome] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        """Number of step rows."""
        return self.outcomes.total()

    @property
    def drifting(self) -> bool:
        """Whether it begins inside the drift that opens its segment."""
        return self.segment.drift_last is not None and self.first <= self.segment.drift_last

    def add(self, later: "Window") -> None:
        """Take in another window of the same segment."""
        self.first, self.last = min(self.first, later.first), max(self.last, later.last)
        for world, tally in later.rewards.items():
            self.rewards.setdefault(world, Tally()).add(tally)
        for name, tally in later.terms.items():
            self.terms.setdefault(name, Tally()).add(tally)
        self.outcomes.update(later.outcomes)


@dataclass(slots=True)
class RunSeries:
    """A trace, aggregated; memory grows with segments and windows, not with rows.

    `width` is the number of steps in a full window. `evaluation_rows` are counted and left out of everything else.
    """

    width: int
    worlds: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    actions: dict[str, Counter[int]] = field(default_factory=dict)
    confirmed: int = 0
    sent: int = 0
    rows: int = 0
    last_step: int | None = None
    updates: int | None = None
    wall_ms: float | None = None
    evaluation_rows: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    shifts_not_applied: int = 0
    same_shifts: bool = True
    torn: bool = False

    @property
    def labelled(self) -> bool:
        """Whether any row names the regime in force."""
        return any(segment.regime_id != UNLABELLED for segment in self.segments)

    @property
    def identities(self) -> list[str]:
        """Identities in the order they were met."""
        return list(dict.fromkeys(segment.identity for segment in self.segments))

    @property
    def outcomes(self) -> Counter[Outcome]:
        """What became of the actions of the whole run."""
        total: Counter[Outcome] = Counter()
        for window in self.windows:
            total.update(window.outcomes)
        return total
