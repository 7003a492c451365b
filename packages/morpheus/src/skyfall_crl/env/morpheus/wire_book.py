"""Obligations as a deployment shows them: what changed between two reads, without what the agent wrote itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any

from skyfall_crl.env.morpheus.wire_records import Figures, Record
from skyfall_crl.ports.tools import ToolCall

_FIELDS = tuple(field.name for field in fields(Figures))
_MOST_REMEMBERED = 65_536
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Flow:
    """What happened between the last two reads: cents lost for good, and units processed."""

    leak_cents: int = 0
    units: int = 0


@dataclass(slots=True)
class _Entry:
    """One entity: what it counts for, what the agent wrote over it, and what of it was booked already."""

    record: Record
    counted: Figures
    written: dict[str, Any] = field(default_factory=dict)
    foreign: bool = True
    leaked: int = 0
    processed: bool = False
    gone: bool = False

    @property
    def tainted(self) -> int:
        """How many of its fields are counted at another value than they read."""
        return len(self.written) if self.foreign and not self.gone else 1


class WireBook:
    """The obligations of one source, opened in the last `window`; `day` is how long a simulated day takes.

    A field that an agent's write changed counts at its value before, until the world moves it on; what an agent
    created counts for nothing, and what it deleted as it stood. Each cent is lost once and each unit processed once.
    Nothing counts that was there before the first read.
    """

    def __init__(self, window: timedelta, day: timedelta) -> None:
        self._window = window
        self._day = day
        self._entries: dict[str, _Entry] | None = None
        self._now: datetime | None = None
        self._named: set[str] = set()
        self._made: dict[str, None] = {}
        self.held = 0
        """How many fields counted at a value before the agent's write in the last read."""

    def wrote(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Take note of a write before the read that may show what it did."""
        segments = call.path.partition("?")[0].strip("/").split("/")
        self._named.update(segments, _texts(call.body))
        if call.method == "POST" and len(segments) > 2 and (len(segments) == 3 or segments[3] == "bulk"):
            keys = frozenset({"_id", "id", f"{segments[2].removesuffix('s')}Id"})
            self._made.update(dict.fromkeys((*_under(keys, answer), *_under(keys, call.body))))
            while len(self._made) > _MOST_REMEMBERED:
                del self._made[next(iter(self._made))]

    def read(self, records: Sequence[Record], now: datetime | None) -> Flow:
        """Return what happened since the last read; nothing on the first. `now` is None where nobody can say."""
        self._now = now
        first, known = self._entries is None, self._entries or {}
        current: dict[str, _Entry] = {}
        for record in records:
            key = record.names[0]
            entry = known.get(key)
            if entry is not None:
                current[key] = entry if record is entry.record else self._moved(entry, record)
                entry.gone = False
            elif self._is_recent(record):
                current[key] = _Entry(record, record.figures, foreign=first or not self._is_made(record))
        for key, entry in known.items():
            if key not in current and (entry.gone or self._names(entry.record)):
                entry.gone = True
                current[key] = entry
        self._named.clear()
        flow = self._booked(current)
        return Flow() if first else flow

    def _booked(self, current: dict[str, _Entry]) -> Flow:
        """Book what happened to each entity, and keep those inside the window."""
        lost = units = self.held = 0
        self._entries = kept = {}
        for key, entry in current.items():
            figures = entry.counted
            if entry.foreign and figures.overrun + figures.planned - figures.settled > entry.leaked:
                lost += self._lost(entry)
            if entry.foreign and figures.done and not entry.processed:
                entry.processed = True
                units += 1
            if self._is_recent(entry.record):
                kept[key] = entry
                self.held += entry.tainted
        return Flow(lost, units)

    def _moved(self, entry: _Entry, record: Record) -> _Entry:
        """Take an entity's new figures, holding back those that the agent moved."""
        named = self._names(record)
        if not named and not entry.written:
            entry.counted, entry.record = record.figures, record
            return entry
        counted: dict[str, Any] = {}
        for name in _FIELDS:
            value, before = getattr(record.figures, name), getattr(entry.record.figures, name)
            if named and value != before:
                entry.written[name] = value
            elif name in entry.written and value != entry.written[name]:
                del entry.written[name]
            if name not in entry.written:
                counted[name] = value
        entry.counted, entry.record = replace(entry.counted, **counted), record
        return entry

    def _names(self, record: Record) -> bool:
        return any(name in self._named for name in record.names)

    def _is_made(self, record: Record) -> bool:
        return self._names(record) or any(name in self._made for name in (*record.names, *record.orders))

    def _lost(self, entry: _Entry) -> int:
        """Return the cents lost since they were last booked: surcharges, and what is unpaid though it was due."""
        figures = entry.counted
        owed = figures.overrun + (max(0, figures.planned - figures.settled) if self._is_due(entry) else 0)
        lost = max(0, owed - entry.leaked)
        entry.leaked += lost
        return lost

    def _is_due(self, entry: _Entry) -> bool:
        """Tell whether an invoice should have been paid; one that names no term is due when the window closes."""
        age, term = self._age(entry.record), entry.counted.term_days
        return age is not None and age >= (self._window if term is None else term * self._day)

    def _is_recent(self, record: Record) -> bool:
        age = self._age(record)
        return age is None or age < self._window

    def _age(self, record: Record) -> timedelta | None:
        return None if self._now is None or record.opened is None else self._now - record.opened


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Return every text in plain data."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST:
        for item in _inside(value):
            yield from _texts(item, depth + 1)


def _under(keys: frozenset[str], value: Any, depth: int = 0) -> Iterator[str]:
    """Return the texts that plain data holds under one of `keys`, however deep."""
    if isinstance(value, Mapping):
        yield from (item for key, item in value.items() if key in keys and isinstance(item, str))
    if depth < _DEEPEST:
        for item in _inside(value):
            yield from _under(keys, item, depth + 1)


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
