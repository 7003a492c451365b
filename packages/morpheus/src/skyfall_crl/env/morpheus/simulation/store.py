"""The store: what agents wrote into one world, kept apart from what the world itself does and bounded in size."""

from collections import deque
from collections.abc import Mapping
from typing import Any

APPENDED = ("counts", "delays", "documents", "events", "externalEvents", "items", "scans", "workNotes")
"""Fields that grow by what is written to them instead of being replaced."""

_WHOLE = ("customFields", "errorDetails", "payload")
"""Objects of any shape, which are replaced as a whole."""

_WRITTEN_KEPT, _CREATED_KEPT, _AUDITED_KEPT, _APPENDED_KEPT = 1024, 64, 128, 16

Fields = dict[str, Any]


class Written:
    """What an agent wrote into one entity, and where its order was then.

    `place` and `phase` are those of `Facts`; `number` is the order's, -1 where the entity belongs to none.
    """

    __slots__ = ("deleted", "fields", "number", "phase", "place", "step")

    def __init__(self, step: int, number: int = -1, place: int = 0, phase: int = 0):
        self.step = step
        self.number = number
        self.place = place
        self.phase = phase
        self.deleted = False
        self.fields: Fields = {}


class Created:
    """An entity an agent created: `ordinal` is its number among all of the world, `fields` what it holds."""

    __slots__ = ("fields", "ordinal", "step")

    def __init__(self, step: int, ordinal: int, fields: Fields):
        self.step = step
        self.ordinal = ordinal
        self.fields = fields


class Store:
    """Everything an agent left in one world but money, by the path of the entity within the world.

    Where there is too much of it the oldest goes: of written entities of orders, of created ones by collection, and
    of the audit's entries, which are (ordinal, step, verb, path, fields).
    """

    __slots__ = ("audit", "audited", "created", "ordinal", "paused", "written")

    def __init__(self) -> None:
        self.written: dict[str, Written] = {}
        self.created: dict[str, dict[str, Created]] = {}
        self.audit: deque[tuple[int, int, str, str, Fields]] = deque(maxlen=_AUDITED_KEPT)
        self.audited = 0
        self.ordinal = 0
        self.paused = False

    def note(self, step: int, verb: str, path: str, fields: Fields) -> None:
        """Add an entry to the audit."""
        self.audit.append((self.audited, step, verb, path, fields))
        self.audited += 1

    def write(self, path: str, entry: Written, fields: Fields) -> None:
        """Keep fields written into an entity, in `entry`, over those it was written before."""
        for name, value in fields.items():
            before = entry.fields.get(name)
            if name in APPENDED:
                entry.fields[name] = [*(before or ()), *value][-_APPENDED_KEPT:]
            elif value.__class__ is dict and before.__class__ is dict and name not in _WHOLE:
                entry.fields[name] = {**before, **value}
            else:
                entry.fields[name] = value
        self.written.pop(path, None)
        self.written[path] = entry

    def create(self, collection: str, identifier: str, step: int, fields: Fields) -> Created:
        """Keep a new entity; the oldest of its collection goes where there are too many."""
        kept = self.created.setdefault(collection, {})
        kept[identifier] = Created(step, self.ordinal, fields)
        self.ordinal += 1
        if len(kept) > _CREATED_KEPT:
            oldest = next(iter(kept))
            del kept[oldest]
            self.written.pop(f"{collection}/{oldest}", None)
        return kept[identifier]

    def prune(self, known: Mapping[int, Any], remembered: Mapping[int, Any]) -> None:
        """Drop what was written into entities of orders that are in neither mapping, then the oldest too many."""
        gone = [
            path
            for path, entry in self.written.items()
            if entry.number >= 0 and entry.number not in known and entry.number not in remembered
        ]
        for path in gone:
            del self.written[path]
        while len(self.written) > _WRITTEN_KEPT:
            del self.written[next(iter(self.written))]

    @property
    def full(self) -> bool:
        """Whether more is kept than may be, so that `prune` is due."""
        return len(self.written) > _WRITTEN_KEPT

    def state(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "written": [
                [path, each.step, each.number, each.place, each.phase, each.deleted, each.fields]
                for path, each in self.written.items()
            ],
            "created": [
                [collection, identifier, each.step, each.ordinal, each.fields]
                for collection, kept in self.created.items()
                for identifier, each in kept.items()
            ],
            "audit": [list(entry) for entry in self.audit],
            "audited": self.audited,
            "ordinal": self.ordinal,
            "paused": self.paused,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Store":
        """Return the store that `state` described; raises `LookupError`, `TypeError` or `ValueError` for none."""
        store = cls()
        for path, step, number, place, phase, deleted, fields in state["written"]:
            entry = store.written[path] = Written(step, number, place, phase)
            entry.deleted, entry.fields = deleted, dict(fields)
        for collection, identifier, step, ordinal, fields in state["created"]:
            store.created.setdefault(collection, {})[identifier] = Created(step, ordinal, dict(fields))
        for ordinal, step, verb, path, fields in state["audit"]:
            store.audit.append((ordinal, step, verb, path, dict(fields)))
        store.audited, store.ordinal = int(state["audited"]), int(state["ordinal"])
        store.paused = bool(state["paused"])
        return store
