"""Shortcuts: the remedies of a layout applied for those who do not read the answer; what they leave is the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from skyfall_crl.env.morpheus.simulation import catalogue, services
from skyfall_crl.env.morpheus.simulation.catalogue.operation import Match
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities import RECORDS, RENDERERS
from skyfall_crl.env.morpheus.simulation.entities.collections import Collection
from skyfall_crl.env.morpheus.simulation.entities.directory import directory
from skyfall_crl.env.morpheus.simulation.entities.facts import HELD, Document, Facts
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.remedies import NUMBER, Attempt, around, judge
from skyfall_crl.env.morpheus.simulation.services import changes, resources
from skyfall_crl.env.morpheus.simulation.services.requests import Change, Request
from skyfall_crl.env.morpheus.simulation.store import Fields, Written


@dataclass(slots=True)
class _Shortcut:
    """How a remedy is applied without reading its entity.

    `specimen` is any entity of the kind, `fixed` what is written where that is always the same.
    """

    match: Match
    collection: Collection
    kind: str
    changed: Change
    varies: bool
    specimen: Document | None = None
    fixed: Fields | None = None


class Shortcuts:
    """The linked entities of one layout, and its remedies whose writes do not depend on what was written before."""

    def __init__(self, layout: Layout):
        self._known: dict[tuple[int, int], _Shortcut] = {}
        self._reads: dict[tuple[str, str], str] = {}
        for symptom, described in enumerate(layout.symptoms):
            self._reads.update((around(each.path), each.entity) for each in described.evidence)
            for index, remedy in enumerate(described.remedies):
                inner = remedy.path.removeprefix("/{worldId}/").replace("{number}", "0")
                match = catalogue.find(remedy.method, inner)
                handler = None if match is None else services.handler(match.operation)
                if match is None or not isinstance(handler, partial) or handler.func is not resources.change:
                    continue
                path, _, changed = handler.args
                if changed in changes.INDEPENDENT:
                    varies = remedy.varies or changed in changes.DATED
                    self._known[symptom, index] = self._made(layout, match, path, changed, varies)

    @staticmethod
    def _made(layout: Layout, match: Match, path: str, changed: Change, varies: bool) -> _Shortcut:
        known = directory(layout)
        collection = known.collections[path]
        identifier = next(iter(match.parameters.values()))
        return _Shortcut(match, collection, known.place(collection, identifier).kind, changed, varies)

    def read(self, enterprise: Enterprise, inner: str) -> Document | None:
        """Return what a linked entity of an order under way shows; None where that takes more care."""
        found = NUMBER.search(inner)
        if found is None:
            return None
        kind = self._reads.get((inner[: found.start()], inner[found.end() :]))
        order = enterprise.world.orders.get(int(found[1]))
        if kind is None or order is None or order.fault is None:
            return None
        facts = Facts(enterprise.world, enterprise.world_id, order)
        states = enterprise.world.layout.states
        if enterprise.store.written.get(enterprise.directory.path(kind, order.number)) is not None:
            return None
        return RENDERERS[kind](facts) if kind not in states or facts.state(kind) else None

    def apply(
        self, enterprise: Enterprise, attempt: Attempt, inner: str, sent: Mapping[str, Any]
    ) -> int | None:
        """Apply a remedy to the fault that blocks its order and return the status; None where that takes more care."""
        shortcut = self._known.get((attempt.symptom, attempt.index))
        order = enterprise.world.orders.get(attempt.number)
        fault = None if order is None else order.fault
        if shortcut is None or fault is None or fault.symptom != attempt.symptom:
            return None
        path = "/".join(inner.split("/", 3)[:3])
        store, step = enterprise.store, enterprise.world.board.step
        entry, before = Written(step, attempt.number, fault.symptom, HELD), store.written.get(path)
        if before is not None:
            if before.deleted or before.place != fault.symptom or before.phase != HELD:
                return None
            entry.fields = dict(before.fields)
        written = shortcut.fixed
        if written is None:
            written = self._written(enterprise, shortcut, attempt, sent)
        store.note(step, "update", path, written)
        store.write(path, entry, written)
        enterprise.prune()
        judge(enterprise.world, attempt, sent)
        return shortcut.match.operation.status

    @staticmethod
    def _written(
        enterprise: Enterprise, shortcut: _Shortcut, attempt: Attempt, sent: Mapping[str, Any]
    ) -> Fields:
        if shortcut.specimen is None:
            facts = enterprise.facts(attempt.number)
            assert facts is not None
            shortcut.specimen = RECORDS[shortcut.kind](facts)
        operation, parameters = shortcut.match
        request = Request(enterprise, operation, parameters, {}, dict(sent), True)
        changed = shortcut.changed(request, shortcut.specimen)
        collection = shortcut.collection
        written = {name: value for name, value in changed.items() if resources.belongs(collection, name)}
        if not shortcut.varies:
            shortcut.fixed = written
        return written
