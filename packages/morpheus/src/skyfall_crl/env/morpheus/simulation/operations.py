"""Domain operations: a method, a path and a body become a read or a remedy, and a wire-shaped answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.entities import render
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.orders import Order
from skyfall_crl.env.morpheus.simulation.templates import Remedy
from skyfall_crl.env.morpheus.simulation.tickets import list_tickets, ticket
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.tools import WORLD_PLACEHOLDERS

_NUMBER = re.compile(r"_(0|[1-9][0-9]{0,8})(?=[-/]|\Z)")
_WORLD = "/{worldId}/"
_TICKETS_SHOWN = 100
_STATUSES = ("closed", "in_progress", "new", "on_hold", "open", "resolved")

_KINDS: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "number": (int, float),
    "list": list,
    "object": Mapping,
}
_EXACT: dict[Any, type] = {"text": str, "number": int, "list": list, "object": dict}
_MISSING = object()

Answer = dict[str, Any]


class Rejected(Exception):
    """An operation the world refuses; `status` is the code it answers with."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class _Writing:
    symptom: int
    index: int
    remedy: Remedy


class Operations:
    """What the worlds of one layout answer to agents and to the environment."""

    def __init__(self, layout: Layout):
        self._layout = layout
        self._reads: dict[tuple[str, str], str] = {}
        self._writes: dict[tuple[str, str, str], tuple[_Writing, ...]] = {}
        for index, symptom in enumerate(layout.symptoms):
            for evidence in symptom.evidence:
                self._reads[_around(evidence.path)] = evidence.entity
            for position, remedy in enumerate(symptom.remedies):
                key = (remedy.method, *_around(remedy.path))
                self._writes[key] = (*self._writes.get(key, ()), _Writing(index, position, remedy))

    def perform(
        self,
        world: World,
        world_id: str,
        method: object,
        path: object,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Run one operation and return its answer, refusals included; the world does not advance.

        An operation mends at most one fault: the one that blocks the order its entity belongs to.
        """
        now = instant(world.board.step, world.layout.minutes_per_step)
        meta = {"event": "message", "timestamp": now}
        try:
            if not isinstance(method, str) or not isinstance(path, str):
                raise Rejected(400, "expected a method and a path, both text")
            status, data = self._answered(world, world_id, method.upper(), path, body)
        except Rejected as rejection:
            return {"success": False, "status": rejection.status, "error": str(rejection), "meta": meta}
        return {"success": True, "status": status, "data": data, "meta": meta}

    def describe(self, service: str | None = None) -> Answer:
        """Describe the operations of one service or of all, as the deployment's mesh does."""
        listed = {
            ("get", "/{worldId}/tickets"): "List tickets",
            ("get", "/{worldId}/tickets/{id}"): "Read a ticket",
        }
        for symptom in self._layout.symptoms:
            for evidence in symptom.evidence:
                listed.setdefault(("get", _described(evidence.path)), evidence.summary)
            for remedy in symptom.remedies:
                listed.setdefault((remedy.method.lower(), _described(remedy.path)), remedy.summary)
        endpoints = [
            {
                "path": path,
                "method": method,
                "summary": summary,
                "formatted": f"{method.upper()} {path}: {summary}",
            }
            for (method, path), summary in listed.items()
            if service is None or path.split("/")[2] == service
        ]
        return {"service": service, "filters": {}, "count": len(endpoints), "endpoints": endpoints}

    def _answered(
        self, world: World, world_id: str, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[int, Any]:
        path, _, query = path.partition("?")
        first, _, inner = path.removeprefix("/").partition("/")
        if first != world_id and first not in WORLD_PLACEHOLDERS:
            raise Rejected(404, f"{path} is outside this world")
        if inner.startswith("tickets"):
            return 200, _read_tickets(world, world_id, method, inner, query)
        found = _NUMBER.search(inner)
        head, tail = (inner, "") if found is None else (inner[: found.start()], inner[found.end() :])
        number = "" if found is None else found[1]
        if method == "GET":
            entity = self._reads.get((head, tail))
            if entity is None:
                raise Rejected(404, f"nothing to read at {path}")
            return 200, render(entity, world, world_id, _order(world, number))
        writings = self._writes.get((method, head, tail))
        if writings is None:
            raise Rejected(404, f"no operation {method} {path}")
        return _write(world, world_id, writings, number, EMPTY if body is None else body)


def _write(
    world: World, world_id: str, writings: tuple[_Writing, ...], number: str, body: Mapping[str, Any]
) -> tuple[int, Any]:
    if body.__class__ is not dict and not isinstance(body, Mapping):
        raise Rejected(400, "body: expected an object")
    writing = _chosen(writings, body)
    remedy = writing.remedy
    if remedy.link is not None:
        number = _linked(remedy, body[remedy.link])
    order = _order(world, number)
    fault = order.fault
    if fault is not None and fault.symptom == writing.symptom and _decides(remedy, body):
        world.mend(fault, writing.index)
    return 201 if remedy.creates else 200, render(remedy.entity, world, world_id, order, telling=False)


def _linked(remedy: Remedy, entity_id: str) -> str:
    assert remedy.body is not None
    head, tail = _around(remedy.body[remedy.link or ""])
    found = _NUMBER.search(entity_id)
    if found is None or (entity_id[: found.start()], entity_id[found.end() :]) != (head, tail):
        return ""
    return found[1]


def _chosen(writings: tuple[_Writing, ...], body: Mapping[str, Any]) -> _Writing:
    problems = []
    for writing in writings:
        problem = _problem(writing.remedy, body)
        if problem is None:
            return writing
        problems.append(problem)
    raise Rejected(400, "; or ".join(problems))


def _problem(remedy: Remedy, body: Mapping[str, Any]) -> str | None:
    for name in remedy.excluded:
        if name in body:
            return f"body.{name}: belongs to another operation"
    for name, kind in remedy.fields.items():
        value = body.get(name, _MISSING)
        if value.__class__ is _EXACT.get(kind) or _fits(kind, value):
            continue
        if value is _MISSING:
            return f"body.{name}: is required"
        return f"body.{name}: expected {kind if isinstance(kind, str) else 'one of ' + ', '.join(kind)}"
    return None


def _fits(kind: str | tuple[str, ...], value: Any) -> bool:
    if isinstance(kind, tuple):
        return value in kind
    return isinstance(value, _KINDS[kind]) and not isinstance(value, bool)


def _decides(remedy: Remedy, body: Mapping[str, Any]) -> bool:
    template = remedy.body or EMPTY
    return all(body[name] == template[name] for name in remedy.decisive)


def _around(template: str) -> tuple[str, str]:
    """Return what a filled-in template holds before and after the order's number."""
    head, _, tail = template.removeprefix(_WORLD).partition("_{number}")
    return head, tail


def _order(world: World, number: str) -> Order:
    order = world.orders.get(int(number)) if number else None
    if order is None:
        raise Rejected(404, "no such entity")
    return order


def _read_tickets(world: World, world_id: str, method: str, inner: str, query: str) -> Any:
    if method != "GET":
        raise Rejected(400, "tickets: closed by the process once the fault is mended")
    if inner == "tickets":
        return _ticket_page(world, world_id, dict(parse_qsl(query)))
    fault = world.fault_of(inner.removeprefix("tickets/"))
    if fault is None:
        raise Rejected(404, "no such ticket")
    return ticket(world, world_id, fault)


def _ticket_page(world: World, world_id: str, query: Mapping[str, str]) -> Answer:
    status, limit, cursor = query.get("status"), query.get("limit", str(_TICKETS_SHOWN)), query.get("cursor")
    if status is not None and status not in _STATUSES:
        raise Rejected(400, f"status: expected one of {', '.join(_STATUSES)}")
    if re.fullmatch(r"[1-9][0-9]{0,4}", limit) is None:
        raise Rejected(400, "limit: expected a whole number from 1 to 99999")
    listed = list_tickets(world, world_id, status)
    start = 0
    if cursor is not None:
        start = 1 + next((i for i, item in enumerate(listed) if item["_id"] == cursor), len(listed))
    items = listed[start : start + int(limit)]
    more = start + len(items) < len(listed)
    return {
        "items": items,
        "totalCount": len(listed),
        "limit": int(limit),
        "hasMore": more,
        "nextCursor": items[-1]["_id"] if more else None,
    }


def _described(path: str) -> str:
    return re.sub(r"[\w-]*\{number\}[\w-]*", "{id}", path)
