"""Domain operations: a method, a path and a body become a read or a remedy, and a wire-shaped answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.entities import render
from skyfall_crl.env.morpheus.simulation.layout import Evidence, Layout, Remedy
from skyfall_crl.env.morpheus.simulation.orders import Order
from skyfall_crl.env.morpheus.simulation.tickets import list_tickets, ticket
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.tools import WORLD_PLACEHOLDERS

_NUMBER = re.compile(r"_(0|[1-9]\d{0,8})(?=[-/]|\Z)")
_WORLD = "/{worldId}/"
_TICKETS_SHOWN = 100
_STATUSES = ("closed", "in_progress", "new", "on_hold", "open", "resolved")

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
        self._reads: dict[tuple[str, ...], Evidence] = {}
        self._writes: dict[tuple[str, ...], tuple[_Writing, ...]] = {}
        for index, symptom in enumerate(layout.symptoms):
            for evidence in symptom.evidence:
                self._reads[_shape(evidence.path)] = evidence
            for position, remedy in enumerate(symptom.remedies):
                key = (remedy.method, *_shape(remedy.path))
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
        try:
            if not isinstance(method, str) or not isinstance(path, str):
                raise Rejected(400, "expected a method and a path, both text")
            status, data = self._perform(world, world_id, method.upper(), path, body)
        except Rejected as rejection:
            return {
                "success": False,
                "status": rejection.status,
                "error": str(rejection),
                "meta": _meta(world),
            }
        return {"success": True, "status": status, "data": data, "meta": _meta(world)}

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

    def _perform(
        self, world: World, world_id: str, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[int, Any]:
        inner, query = _inside(world_id, path)
        if inner.startswith("tickets"):
            return 200, _read_tickets(world, world_id, method, inner, query)
        pieces: list[str] = _NUMBER.split(inner)
        if method == "GET":
            evidence = self._reads.get((*pieces[::2],))
            if evidence is None:
                raise Rejected(404, f"nothing to read at {path}")
            return 200, render(evidence.entity, world, world_id, _order(world, pieces))
        writings = self._writes.get((method, *pieces[::2]))
        if writings is None:
            raise Rejected(404, f"no operation {method} {path}")
        return _write(world, world_id, writings, pieces, EMPTY if body is None else body)


def _write(
    world: World, world_id: str, writings: tuple[_Writing, ...], pieces: list[str], body: Mapping[str, Any]
) -> tuple[int, Any]:
    if not isinstance(body, Mapping):
        raise Rejected(400, "body: expected an object")
    writing = _chosen(writings, body)
    remedy = writing.remedy
    if remedy.link is not None:
        pieces = _linked(remedy, body[remedy.link])
    order = _order(world, pieces)
    status = 201 if remedy.creates else 200
    fault = order.fault
    if fault is not None and fault.symptom == writing.symptom and _decides(remedy, body):
        world.mend(fault, writing.index)
    return status, render(remedy.entity, world, world_id, order, telling=False)


def _linked(remedy: Remedy, entity_id: str) -> list[str]:
    assert remedy.body is not None
    pieces: list[str] = _NUMBER.split(entity_id)
    return pieces if (*pieces[::2],) == _shape(remedy.body[remedy.link or ""]) else []


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
        if name not in body:
            return f"body.{name}: is required"
        value = body[name]
        if isinstance(kind, tuple):
            if value not in kind:
                return f"body.{name}: expected one of {', '.join(kind)}"
        elif not _is(kind, value):
            return f"body.{name}: expected {kind}"
    return None


def _is(kind: str, value: Any) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, list if kind == "list" else Mapping)


def _decides(remedy: Remedy, body: Mapping[str, Any]) -> bool:
    return all(body[name] == value for name, value in remedy.decisive.items())


def _shape(template: str) -> tuple[str, ...]:
    """Return what `_NUMBER.split` leaves of a filled-in template once the numbers are taken out."""
    return tuple(template.removeprefix(_WORLD).split("_{number}"))


def _order(world: World, pieces: list[str]) -> Order:
    order = world.orders.get(int(pieces[1])) if len(pieces) == 3 else None
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


def _inside(world_id: str, path: str) -> tuple[str, str]:
    path, _, query = path.partition("?")
    first, _, inner = path.removeprefix("/").partition("/")
    if first != world_id and first not in WORLD_PLACEHOLDERS:
        raise Rejected(404, f"{path} is outside this world")
    return inner, query


def _meta(world: World) -> dict[str, str]:
    return {"event": "message", "timestamp": instant(world.board.step, world.layout.minutes_per_step)}


def _described(path: str) -> str:
    return re.sub(r"[\w-]*\{number\}[\w-]*", "{id}", path)
