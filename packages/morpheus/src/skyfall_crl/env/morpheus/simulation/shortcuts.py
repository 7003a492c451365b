"""Shortcuts: the remedies of a layout applied for those who do not read the answer; what they leave is the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from skyfall_crl.env.morpheus.simulation import catalogue, services
from skyfall_crl.env.morpheus.simulation.catalogue.operation import Match
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities import RECORDS
from skyfall_crl.env.morpheus.simulation.entities.collections import Collection
from skyfall_crl.env.morpheus.simulation.entities.facts import HELD, Document
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.remedies import Attempt, judge
from skyfall_crl.env.morpheus.simulation.services import changes, resources
from skyfall_crl.env.morpheus.simulation.services.requests import Change, Request
from skyfall_crl.env.morpheus.simulation.store import Written
from skyfall_crl.ports.plain import EMPTY


@dataclass(slots=True)
class _Shortcut:
    """How a remedy is applied without reading its entity; `specimen` is any entity of the kind."""

    match: Match
    collection: Collection
    kind: str
    changed: Change
    specimen: Document | None = None


class Shortcuts:
    """The remedies of one layout whose writes do not depend on what was written before."""

    def __init__(self, layout: Layout):
        self._known: dict[tuple[int, int], _Shortcut] = {}
        for symptom, described in enumerate(layout.symptoms):
            for index, remedy in enumerate(described.remedies):
                inner = remedy.path.removeprefix("/{worldId}/").replace("{number}", "0")
                match = catalogue.find(remedy.method, inner)
                handler = None if match is None else services.handler(match.operation)
                if match is None or not isinstance(handler, partial) or handler.func is not resources.change:
                    continue
                path, _, changed = handler.args
                if changed in changes.INDEPENDENT:
                    self._known[symptom, index] = self._made(layout, match, path, changed)

    @staticmethod
    def _made(layout: Layout, match: Match, path: str, changed: Change) -> _Shortcut:
        from skyfall_crl.env.morpheus.simulation.entities.directory import directory

        known = directory(layout)
        collection = known.collections[path]
        identifier = next(iter(match.parameters.values()))
        return _Shortcut(match, collection, known.place(collection, identifier).kind, changed)

    def apply(
        self, enterprise: Enterprise, attempt: Attempt, inner: str, body: Mapping[str, Any] | None
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
        if shortcut.specimen is None:
            facts = enterprise.facts(attempt.number)
            assert facts is not None
            shortcut.specimen = RECORDS[shortcut.kind](facts)
        sent = EMPTY if body is None else body
        operation, parameters = shortcut.match
        request = Request(enterprise, operation, parameters, {}, dict(sent), True)
        written = {
            name: value
            for name, value in shortcut.changed(request, shortcut.specimen).items()
            if resources.belongs(shortcut.collection, name)
        }
        store.note(step, "update", path, written)
        store.write(path, entry, written)
        enterprise.prune()
        judge(enterprise.world, attempt, sent)
        return operation.status
