"""Remedies as operations: which one a request is an attempt at, and what it then does to the fault it is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.templates import Remedy, mapped
from skyfall_crl.ports.plain import EMPTY

NUMBER = re.compile(r"_(0|[1-9][0-9]{0,8})(?=[-/]|\Z)")
_WORLD = "/{worldId}/"
_KINDS: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "number": (int, float),
    "list": list,
    "object": Mapping,
}
_EXACT: dict[Any, type] = {"text": str, "number": int, "list": list, "object": dict}
_MISSING = object()


@dataclass(slots=True)
class Attempt:
    """A request that is a remedy, `remedy` of `symptom`, for the order of some number."""

    symptom: int
    index: int
    remedy: Remedy
    number: int

    def plain(self, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the remedy's own body where the one that was sent equals it, else None."""
        own = EMPTY if self.remedy.body is None else self.remedy.body
        if body is own:
            return own
        if self.remedy.varies:
            number = str(self.number)
            own = mapped(own, lambda text: text.replace("{number}", number))
        return own if body == own else None


class Remedies:
    """The remedies of one layout by method and path."""

    def __init__(self, layout: Layout):
        self._known: dict[tuple[str, str, str], list[tuple[int, int, Remedy]]] = {}
        for symptom, described in enumerate(layout.symptoms):
            for index, remedy in enumerate(described.remedies):
                key = (remedy.method, *around(remedy.path))
                self._known.setdefault(key, []).append((symptom, index, remedy))

    def attempt(self, method: str, inner: str, body: Mapping[str, Any]) -> Attempt | None:
        """Return the remedy that a request is, or None where it is none."""
        found = NUMBER.search(inner)
        head, tail = (inner, "") if found is None else (inner[: found.start()], inner[found.end() :])
        for symptom, index, remedy in self._known.get((method, head, tail), ()):
            if _fits(remedy, body):
                number = _linked(remedy, body[remedy.link]) if remedy.link else found and found[1]
                return Attempt(symptom, index, remedy, int(number)) if number else None
        return None


def judge(world: World, attempt: Attempt, body: Mapping[str, Any]) -> None:
    """Let an attempt mend the fault that blocks its order, where it is the remedy of that fault's symptom."""
    order = world.orders.get(attempt.number)
    fault = None if order is None else order.fault
    if fault is None or fault.symptom != attempt.symptom:
        return
    remedy = attempt.remedy
    template = remedy.body or EMPTY
    for name in remedy.decisive:
        if body[name] != template[name]:
            return
    world.mend(fault, attempt.index)


def around(template: str) -> tuple[str, str]:
    """Return what a filled-in template holds before and after the order's number."""
    head, _, tail = template.removeprefix(_WORLD).partition("_{number}")
    return head, tail


def _fits(remedy: Remedy, body: Mapping[str, Any]) -> bool:
    for name in remedy.excluded:
        if name in body:
            return False
    for name, kind in remedy.fields.items():
        value = body.get(name, _MISSING)
        if value.__class__ is not _EXACT.get(kind) and not _is_a(kind, value):
            return False
    return True


def _is_a(kind: str | tuple[str, ...], value: Any) -> bool:
    if isinstance(kind, tuple):
        return isinstance(value, str) and value in kind
    return isinstance(value, _KINDS[kind]) and not isinstance(value, bool)


def _linked(remedy: Remedy, entity_id: str) -> str:
    assert remedy.body is not None
    head, tail = around(remedy.body[remedy.link or ""])
    found = NUMBER.search(entity_id)
    if found is None or (entity_id[: found.start()], entity_id[found.end() :]) != (head, tail):
        return ""
    return found[1]
