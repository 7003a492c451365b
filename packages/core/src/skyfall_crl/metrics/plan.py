"""The segments a run's schedule foresees, read from its provenance record."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, groupby, islice
from typing import Annotated, Any

import msgspec

_Positive = Annotated[int, msgspec.Meta(ge=1)]


class _Regime(msgspec.Struct):
    regime_id: str
    identity: str | None = None
    duration_steps: _Positive | None = None


class _Schedule(msgspec.Struct):
    regimes: Annotated[list[_Regime], msgspec.Meta(min_length=1)]
    shift_mode: str = "abrupt"


@dataclass(frozen=True, slots=True)
class PlannedSegment:
    """A stay in one identity; `steps` is None for one that lasts until the run ends."""

    identity: str
    steps: int | None


def planned_segments(header: Mapping[str, Any]) -> Iterator[PlannedSegment]:
    """Yield the segments in order, for ever under a cyclic schedule; nothing where no schedule is recorded."""
    try:
        schedule = msgspec.convert(header.get("schedule"), _Schedule)
    except msgspec.ValidationError:
        return
    for identity, stay in groupby(_regimes(schedule), key=lambda entry: entry[0]):
        durations = [duration for _, duration in stay]
        known = [duration for duration in durations if duration is not None]
        yield PlannedSegment(identity, sum(known) if len(known) == len(durations) else None)


def shortest_planned(header: Mapping[str, Any]) -> int | None:
    """Return the length of the shortest segment within the run's steps, or None where none is recorded.

    A segment that the end of the run cuts counts only when it is the only one.
    """
    steps = header.get("steps")
    if not isinstance(steps, int) or steps < 1 or not any(planned_segments(header)):
        return None
    left, shortest = steps, None
    # two laps of a cyclic schedule hold every segment it ever has
    for segment in islice(planned_segments(header), 2 * len(header["schedule"]["regimes"])):
        if segment.steps is None or segment.steps > left:
            return left if shortest is None else shortest
        shortest = segment.steps if shortest is None else min(shortest, segment.steps)
        left -= segment.steps
        if not left:
            break
    return shortest


def _regimes(schedule: _Schedule) -> Iterator[tuple[str, int | None]]:
    """Yield (identity, steps), where the last regime of a schedule that doesn't start over stays."""
    regimes = [(regime.identity or regime.regime_id, regime.duration_steps) for regime in schedule.regimes]
    if schedule.shift_mode != "cyclic":
        yield from regimes[:-1]
        yield regimes[-1][0], None
    elif len({identity for identity, _ in regimes}) == 1:
        yield regimes[0][0], None
    else:
        for place in count():
            yield regimes[place % len(regimes)]
