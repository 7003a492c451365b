"""Streams a trace once into what a report shows: segments, windows, outcomes and actions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace.columns import UNLABELLED
from skyfall_crl.trace.reader import ReadReport, read_rows

MAX_WINDOWS = 600
MAX_DISTINCT_ACTIONS = 4096


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

    def add(self, later: "Window") -> None:
        """Take in another window of the same segment."""
        self.first, self.last = min(self.first, later.first), max(self.last, later.last)
        for world, tally in later.rewards.items():
            self.rewards.setdefault(world, Tally()).add(tally)
        for name, tally in later.terms.items():
            self.terms.setdefault(name, Tally()).add(tally)
        self.outcomes.update(later.outcomes)


@dataclass(slots=True)
class _Place:
    """Where a world is in its sequence of segments."""

    code: int
    number: int
    segment: Segment


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


def collect(path: Path, *, width: int) -> RunSeries:
    """Read a trace and aggregate it into windows of `width` steps, or of a multiple where that gives too many.

    Raises TraceError when the file is no trace.
    """
    collector = _Collector(RunSeries(width=width))
    report = ReadReport()
    for row in read_rows(path, report):
        kind = row.get("kind", "step")
        if kind != "step":
            collector.note(kind, row)
        elif row.get("phase") == "eval":
            collector.series.evaluation_rows += 1
        elif type(row.get("step")) is not int:
            raise TraceError(f"{path}: expected step rows with an integer `step`, found {row.get('step')!r}")
        else:
            collector.step(row)
    collector.series.torn = report.torn is not None
    return collector.finish()


class _Collector:
    """Keeps every world's place in the schedule while rows stream by."""

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._places: dict[str, _Place] = {}
        self._segments: dict[tuple[int, str], Segment] = {}
        self._windows: dict[tuple[int, int], Window] = {}
        self._distinct_actions = 0

    def note(self, kind: str, row: Mapping[str, Any]) -> None:
        """Count a row that is no step."""
        self.series.kinds[kind] += 1
        if kind == "shift" and row.get("applied") is False:
            self.series.shifts_not_applied += 1

    def step(self, row: Mapping[str, Any]) -> None:
        """Add one step row to its window."""
        step: int = row["step"]
        place = self._place(row, step)
        segment = place.segment
        series = self.series
        series.rows += 1
        if step > segment.last:
            segment.last = step
        progress = row.get("drift_progress")
        if progress is not None and progress < 1:
            segment.drift_last = step if segment.drift_last is None else max(step, segment.drift_last)
        self._clock(row)
        key = (id(segment), (step - segment.first) // series.width)
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = Window(segment, step, step)
            if len(self._windows) > MAX_WINDOWS + 2 * len(self._segments):
                self._coarsen()
        elif step > window.last:
            window.last = step
        _add_reward(window, place.code, row)
        self._act(window, segment, row)

    def finish(self) -> RunSeries:
        """Return the series with windows and segments in the order of their steps."""
        series = self.series
        series.windows = sorted(self._windows.values(), key=lambda window: window.first)
        series.segments = sorted(self._segments.values(), key=lambda segment: segment.first)
        starts = {segment.number for segment in series.segments}
        series.same_shifts = len(starts) == len(series.segments)
        series.last_step = max((segment.last for segment in series.segments), default=None)
        return series

    def _place(self, row: Mapping[str, Any], step: int) -> _Place:
        world = row.get("world", "w0")
        label = row.get("regime_id") or UNLABELLED
        place = self._places.get(world)
        if place is None:
            place = _Place(len(self.series.worlds), 0, self._segment(0, label, row, step))
            self.series.worlds.append(world)
            self._places[world] = place
        elif place.segment.regime_id != label:
            place.number += 1
            place.segment = self._segment(place.number, label, row, step)
        return place

    def _segment(self, number: int, label: str, row: Mapping[str, Any], step: int) -> Segment:
        segment = self._segments.get((number, label))
        if segment is None:
            identity = row.get("regime_identity") or label
            segment = self._segments[number, label] = Segment(number, label, identity, step, step)
        return segment

    def _clock(self, row: Mapping[str, Any]) -> None:
        series = self.series
        wall, version = row.get("wall_ms"), row.get("policy_version")
        if wall is not None and (series.wall_ms is None or wall > series.wall_ms):
            series.wall_ms = wall
        if version is not None and (series.updates is None or version > series.updates):
            series.updates = version

    def _act(self, window: Window, segment: Segment, row: Mapping[str, Any]) -> None:
        series = self.series
        outcome = row.get("outcome")
        window.outcomes[_outcome(outcome)] += 1
        if isinstance(outcome, dict):
            series.confirmed += bool(outcome.get("verified"))
            series.sent += bool(outcome.get("sent"))
        action = row.get("action")
        if type(action) is int:
            counts = series.actions.get(segment.identity)
            if counts is None:
                counts = series.actions[segment.identity] = Counter()
            if action in counts:
                counts[action] += 1
            elif self._distinct_actions < MAX_DISTINCT_ACTIONS:
                self._distinct_actions += 1
                counts[action] = 1

    def _coarsen(self) -> None:
        """Double the window width, so that memory and the page stay small however long the run."""
        width = self.series.width = 2 * self.series.width
        merged: dict[tuple[int, int], Window] = {}
        for window in self._windows.values():
            key = (id(window.segment), (window.first - window.segment.first) // width)
            if key in merged:
                merged[key].add(window)
            else:
                merged[key] = window
        self._windows = merged


def _add_reward(window: Window, world: int, row: Mapping[str, Any]) -> None:
    tally = window.rewards.get(world)
    if tally is None:
        tally = window.rewards[world] = Tally()
    reward = row.get("reward")
    if reward is not None:
        tally.total += reward
        tally.count += 1
    elif row.get("reward_invalid") is not None:
        tally.broken = True
    for name, value in (row.get("reward_terms") or {}).items():
        if value is not None:
            term = window.terms.get(name)
            if term is None:
                term = window.terms[name] = Tally()
            term.total += value
            term.count += 1


def _outcome(outcome: object) -> Outcome:
    if isinstance(outcome, dict):
        accepted = outcome.get("accepted")
        return Outcome(accepted if isinstance(accepted, bool) else None, outcome.get("reason"))
    return Outcome(None, outcome) if isinstance(outcome, str) else NOT_REPORTED
