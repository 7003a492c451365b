"""Streams a trace once into a report's series of segments and windows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.report.series import NOT_REPORTED, Outcome, RunSeries, Segment, Tally, Window
from skyfall_crl.trace.columns import UNLABELLED
from skyfall_crl.trace.reader import ReadReport, read_rows

MAX_WINDOWS = 600
MAX_DISTINCT_ACTIONS = 4096


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


@dataclass(slots=True)
class _Place:
    """Where a world is in its sequence of segments."""

    code: int
    number: int
    segment: Segment


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
        series.same_shifts &= len({segment.number for segment in series.segments}) == len(series.segments)
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
            self.series.same_shifts &= place.segment.first == step
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
