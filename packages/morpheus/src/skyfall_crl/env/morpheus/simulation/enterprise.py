"""One hosted world as its domain services see it: what the engine knows, under what agents wrote over it."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

from skyfall_crl.env.morpheus.simulation.accounts import Accounts
from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.entities import RECORDS
from skyfall_crl.env.morpheus.simulation.entities.collections import Collection
from skyfall_crl.env.morpheus.simulation.entities.directory import Place, directory
from skyfall_crl.env.morpheus.simulation.entities.facts import UNDER_WAY, Document, Facts
from skyfall_crl.env.morpheus.simulation.entities.master import master_data
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.orders import Order
from skyfall_crl.env.morpheus.simulation.store import APPENDED, Fields, Store, Written

_MASTER_TAG, _CREATED_TAG = 200, 225


class Sight(NamedTuple):
    """An entity as it is found: `plain` without what agents wrote, `document` with it, None where they deleted it."""

    place: Place
    path: str
    facts: Facts | None
    plain: Document
    document: Document | None


class Enterprise:
    """A world with its entities. Documents are made when asked for; only what agents wrote is kept."""

    __slots__ = ("accounts", "directory", "store", "world", "world_id")

    def __init__(self, world: World, world_id: str):
        self.world = world
        self.world_id = world_id
        self.directory = directory(world.layout)
        self.store = Store()
        self.accounts = Accounts()

    @property
    def moment(self) -> str:
        """The moment the step about to be taken begins."""
        return self.instant(self.world.board.step)

    def instant(self, step: int) -> str:
        """Return the moment a step begins."""
        return instant(step, self.world.layout.minutes_per_step)

    def order(self, number: int) -> tuple[Order, int | None] | None:
        """Return an order under way or remembered, and the stage it left the world in, None while it hasn't."""
        order = self.world.orders.get(number)
        if order is not None:
            return order, None
        finished = self.world.chronicle.finished.get(number)
        return None if finished is None else (finished.order, finished.stage)

    def facts(self, number: int, *, telling: bool = False) -> Facts | None:
        """Return what there is to know of an order, or None for one nobody remembers."""
        found = self.order(number)
        if found is None:
            return None
        return Facts(self.world, self.world_id, found[0], telling=telling, left=found[1])

    def everyone(self) -> Iterator[Facts]:
        """Return what there is to know of every order under way or remembered, oldest first."""
        finished, orders = self.world.chronicle.finished, self.world.orders
        for number in sorted([*finished, *orders]):
            facts = self.facts(number)
            assert facts is not None
            yield facts

    def entity(self, place: Place, *, telling: bool = False) -> Document | None:
        """Return the entity at a place, or None where there is none or an agent deleted it."""
        sight = self.sight(place, telling=telling)
        return None if sight is None else sight.document

    def sight(self, place: Place, *, telling: bool = False) -> Sight | None:
        """Return the entity at a place with what is known of its order, or None where there is no entity."""
        facts = None
        if place.kind:
            facts = self.facts(place.number, telling=telling)
            if facts is None or not self._is_there(place.kind, facts):
                return None
            plain = RECORDS[place.kind](facts)
        elif place.identifier in self.store.created.get(place.collection.path, ()):
            plain = self._created(place.collection, place.identifier)
        elif place.identifier in master_data().get(place.collection.path, ()):
            plain = self._master(place.collection, place.identifier)
        else:
            return None
        path = place.path
        entry = self.store.written.get(path)
        document: Document | None = plain
        if entry is not None:
            document = self._written_over(place.kind, plain, entry, facts)
        return Sight(place, path, facts, plain, document)

    def entities(self, collection: Collection) -> list[Document]:
        """Return every entity of a collection, without what any shows of a fault."""
        known, created = master_data().get(collection.path, {}), self.store.created.get(collection.path, {})
        found = [self.entity(Place(collection, identifier)) for identifier in known]
        if collection.around:
            found += [self._around(kind, facts) for facts in self.everyone() for kind in collection.around]
        found += [self.entity(Place(collection, identifier)) for identifier in created]
        return [document for document in found if document is not None]

    def write(self, sight: Sight, fields: Fields, *, deleted: bool = False) -> Document:
        """Keep what an agent wrote into an entity until the world itself moves a field on, and return how it reads."""
        facts, step = sight.facts, self.world.board.step
        entry = Written(step) if facts is None else Written(step, facts.number, facts.place, facts.phase)
        entry.deleted = deleted
        before = self.store.written.get(sight.path)
        if before is not None:
            entry.fields = self._standing(sight.place.kind, before, facts, sight.plain)
        self.store.write(sight.path, entry, fields)
        self.prune()
        document = merged(sight.document or sight.plain, fields)
        document["updatedAt"] = self.instant(step)
        return document

    def prune(self) -> None:
        """Drop what was written into entities of orders that nobody remembers, once there is too much."""
        if self.store.full:
            self.store.prune(self.world.orders, self.world.chronicle.finished)

    def settle(self) -> None:
        """Drop what was written into entities of orders that nobody remembers."""
        self.store.prune(self.world.orders, self.world.chronicle.finished)

    @property
    def buys(self) -> bool:
        """Whether the company of this layout pays for its orders instead of being paid."""
        around = self.directory.collections["erp/orders"].around
        return "purchase_order" in around and "order" not in around

    def forgotten(self, collection: Collection, states: Sequence[str] | None) -> int:
        """Return how many entities of forgotten orders there were, in one of some states or in any."""
        count, lifecycles = 0, self.world.layout.states
        for kind in collection.around:
            lifecycle = lifecycles.get(kind)
            for stage, orders in enumerate(self.world.chronicle.forgotten()):
                state = "" if lifecycle is None else lifecycle.left(stage)
                there = lifecycle is None or bool(state)
                if there and (states is None or state in states):
                    count += orders
        return count

    def _around(self, kind: str, facts: Facts) -> Document | None:
        if not self._is_there(kind, facts):
            return None
        plain = RECORDS[kind](facts)
        entry = self.store.written.get(self.directory.path(kind, facts.number))
        return plain if entry is None else self._written_over(kind, plain, entry, facts)

    def _is_there(self, kind: str, facts: Facts) -> bool:
        return kind not in self.world.layout.states or bool(facts.state(kind))

    def _written_over(
        self, kind: str, plain: Document, entry: Written, facts: Facts | None
    ) -> Document | None:
        if entry.deleted:
            return None
        document = merged(plain, self._standing(kind, entry, facts, plain))
        document["updatedAt"] = max(plain["updatedAt"], self.instant(entry.step))
        return document

    def _standing(self, kind: str, entry: Written, facts: Facts | None, plain: Document) -> Fields:
        """Return what still stands of what was written: fields that the world has not moved on since."""
        if facts is None or (entry.place, entry.phase) == (facts.place, facts.phase):
            return dict(entry.fields)
        order = copy(facts.order)
        order.stage, order.fault = entry.place + (entry.phase == UNDER_WAY), None
        earlier = Facts(self.world, self.world_id, order, telling=False)
        earlier.place, earlier.phase = entry.place, entry.phase
        before = RECORDS[kind](earlier)
        return {
            name: value
            for name, value in entry.fields.items()
            if name in APPENDED or name == "customFields" or before.get(name) == plain.get(name)
        }

    def _created(self, collection: Collection, identifier: str) -> Document:
        created = self.store.created[collection.path][identifier]
        tag = _CREATED_TAG + self.directory.position(collection.path)
        document = {"_id": object_id(self.world.prefix, created.ordinal, tag), collection.key: identifier}
        return {**document, **created.fields, **self._stamps(self.instant(created.step))}

    def _master(self, collection: Collection, identifier: str) -> Document:
        entries = master_data()[collection.path]
        tag = _MASTER_TAG + self.directory.position(collection.path)
        document = {"_id": object_id(self.world.prefix, list(entries).index(identifier), tag)}
        return {**document, **entries[identifier], **self._stamps(self.instant(0))}

    def _stamps(self, moment: str) -> Document:
        stamps: Document = {"createdAt": moment, "updatedAt": moment}
        return {**stamps, "worldId": self.world_id, "worldRef": {"worldId": self.world_id}}


def merged(document: Document, fields: Mapping[str, Any]) -> Document:
    """Return a document with fields written over it: objects and numbered lines field by field."""
    return {**document, **{name: _over(name, document.get(name), value) for name, value in fields.items()}}


def _over(name: str, before: Any, value: Any) -> Any:
    if before.__class__ is dict and value.__class__ is dict:
        return {**value, **before} if name == "customFields" else {**before, **value}
    if name in APPENDED:
        return [*(before or ()), *value]
    if name == "lines" and before.__class__ is list:
        return _lines(before, value)
    return value


def _lines(before: Sequence[Mapping[str, Any]], written: Sequence[Mapping[str, Any]]) -> list[Document]:
    lines = {line.get("lineNumber"): dict(line) for line in before}
    for line in written:
        lines.setdefault(line.get("lineNumber"), {}).update(line)
    return list(lines.values())
