"""One hosted world as its domain services see it: what the engine knows, under what agents wrote over it."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

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
        collection = place.collection
        if place.kind:
            facts = self.facts(place.number, telling=telling)
            return None if facts is None else self._around(place.kind, place.path, facts)
        created = self.store.created.get(collection.path, {}).get(place.identifier)
        if created is not None:
            document = self._created(collection, place.identifier)
        elif place.identifier in master_data().get(collection.path, {}):
            document = self._master(collection, place.identifier)
        else:
            return None
        return self._written_over(place.path, document, None)

    def stands(self, place: Place) -> bool:
        """Tell whether there is an entity at a place, or one of an order that an agent deleted."""
        if not place.kind:
            return self.entity(place) is not None
        facts = self.facts(place.number)
        return facts is not None and self._is_there(place.kind, facts)

    def entities(self, collection: Collection) -> list[Document]:
        """Return every entity of a collection, without what any shows of a fault."""
        known, created = master_data().get(collection.path, {}), self.store.created.get(collection.path, {})
        found = [self.entity(Place(collection, identifier)) for identifier in known]
        if collection.around:
            found += [
                self._around(kind, self.directory.path(kind, facts.number), facts)
                for facts in self.everyone()
                for kind in collection.around
            ]
        found += [self.entity(Place(collection, identifier)) for identifier in created]
        return [document for document in found if document is not None]

    def write(self, place: Place, fields: Fields, *, deleted: bool = False) -> None:
        """Keep what an agent wrote into the entity at a place, until the world itself moves a field on."""
        facts = self.facts(place.number) if place.kind else None
        step = self.world.board.step
        before = self.store.written.get(place.path)
        entry = Written(step) if facts is None else Written(step, facts.number, facts.place, facts.phase)
        entry.deleted = deleted
        if before is not None:
            entry.fields = dict(before.fields)
            if facts is not None:
                entry.fields = self._standing(place.kind, before, facts, self._plain(place.kind, facts))
        self.store.write(place.path, entry, fields)
        self.prune()

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

    def _around(self, kind: str, path: str, facts: Facts) -> Document | None:
        if not self._is_there(kind, facts):
            return None
        return self._written_over(path, self._plain(kind, facts), facts, kind)

    def _is_there(self, kind: str, facts: Facts) -> bool:
        return self.world.layout.states.get(kind) is None or bool(facts.state(kind))

    def _plain(self, kind: str, facts: Facts) -> Document:
        return RECORDS[kind](facts)

    def _written_over(
        self, path: str, document: Document, facts: Facts | None, kind: str = ""
    ) -> Document | None:
        entry = self.store.written.get(path)
        if entry is None:
            return document
        if entry.deleted:
            return None
        fields = entry.fields if facts is None else self._standing(kind, entry, facts, document)
        document = merged(document, fields)
        document["updatedAt"] = max(document["updatedAt"], self.instant(entry.step))
        return document

    def _standing(self, kind: str, entry: Written, facts: Facts, document: Document) -> Fields:
        """Return what still stands of what was written: fields that the world has not moved on since."""
        if (entry.place, entry.phase) == (facts.place, facts.phase):
            return dict(entry.fields)
        order = copy(facts.order)
        order.stage, order.fault = entry.place + (entry.phase == UNDER_WAY), None
        earlier = Facts(self.world, self.world_id, order, telling=False)
        earlier.place, earlier.phase = entry.place, entry.phase
        before = self._plain(kind, earlier)
        return {
            name: value
            for name, value in entry.fields.items()
            if name in APPENDED or name == "customFields" or before.get(name) == document.get(name)
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
    if name == "customFields" and isinstance(before, Mapping):
        return {**value, **before}
    if name in APPENDED:
        return [*(before or ()), *value]
    if isinstance(before, Mapping) and isinstance(value, Mapping):
        return {**before, **value}
    if name == "lines" and isinstance(before, Sequence):
        return _lines(before, value)
    return value


def _lines(before: Sequence[Mapping[str, Any]], written: Sequence[Mapping[str, Any]]) -> list[Document]:
    lines = {line.get("lineNumber"): dict(line) for line in before}
    for line in written:
        lines.setdefault(line.get("lineNumber"), {}).update(line)
    return list(lines.values())
