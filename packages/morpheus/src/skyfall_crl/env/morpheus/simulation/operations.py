"""Domain operations: a method, a path and a body become a read or a write, maybe a remedy, and an answer."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from skyfall_crl.env.morpheus.simulation import catalogue, services
from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.mesh import mesh
from skyfall_crl.env.morpheus.simulation.remedies import Attempt, Remedies, judge
from skyfall_crl.env.morpheus.simulation.services.requests import Rejected, Request
from skyfall_crl.env.morpheus.simulation.shortcuts import Shortcuts
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.tools import WORLD_PLACEHOLDERS

MOST_BYTES = 32_768
"""How long a body may be, as JSON."""

_CLOSED = ("verification",)

Answer = dict[str, Any]


class Operations:
    """What the worlds of one layout answer to agents and to the environment."""

    def __init__(self, layout: Layout):
        self._layout = layout
        self._remedies = Remedies(layout)
        self._shortcuts = Shortcuts(layout)

    def perform(
        self, enterprise: Enterprise, method: object, path: object, body: Mapping[str, Any] | None = None
    ) -> Answer:
        """Run one operation and return its answer, refusals included; the world does not advance.

        An operation mends at most one fault: the one that blocks the order its entity belongs to. One that is
        refused changes nothing.
        """
        return self._performed(enterprise, method, path, body, None)

    def _performed(
        self,
        enterprise: Enterprise,
        method: object,
        path: object,
        body: Mapping[str, Any] | None,
        attempt: Attempt | None,
    ) -> Answer:
        meta = {"event": "message", "timestamp": enterprise.moment}
        try:
            if not isinstance(method, str) or not isinstance(path, str):
                raise Rejected(400, "expected a method and a path, both text")
            status, parts = self._answered(enterprise, method.upper(), path, body, attempt)
        except Rejected as rejection:
            return {"success": False, "status": rejection.status, "error": str(rejection), "meta": meta}
        return {"success": True, "status": status, **parts, "meta": meta}

    def perform_briefly(
        self, enterprise: Enterprise, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Answer:
        """Do what `perform` does; the answer to a remedy may lack its data, and any its `meta`."""
        if path.__class__ is not str or not (body is None or body.__class__ is dict):
            return self.perform(enterprise, method, path, body)
        first, _, inner = path.removeprefix("/").partition("/")
        if first != enterprise.world_id or "?" in inner:
            return self.perform(enterprise, method, path, body)
        if method == "GET":
            data = self._shortcuts.read(enterprise, inner)
            if data is not None:
                return {"success": True, "status": 200, "data": data}
            return self.perform(enterprise, method, path, body)
        attempt = self._remedies.attempt(method, inner, body or EMPTY)
        plain = None if attempt is None else attempt.plain(body or EMPTY)
        if attempt is None or plain is None:
            return self.perform(enterprise, method, path, body)
        status = self._shortcuts.apply(enterprise, attempt, inner, plain)
        if status is not None:
            return {"success": True, "status": status}
        return self._performed(enterprise, method, path, body, attempt)

    def describe(
        self, service: str | None = None, action: str | None = None, method: str | None = None
    ) -> Answer:
        """Describe the operations of one service or of all, as the deployment's mesh does."""
        return mesh(self._layout, service, action, method)

    def _answered(
        self,
        enterprise: Enterprise,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        known: Attempt | None,
    ) -> tuple[int, Answer]:
        """Return status and data; `known` is the remedy that the request is, where it was looked up."""
        path, _, query = path.partition("?")
        first, _, inner = path.removeprefix("/").partition("/")
        if first != enterprise.world_id and first not in WORLD_PLACEHOLDERS:
            raise Rejected(404, f"{path} is outside this world")
        found = catalogue.find(method, inner)
        if found is None or inner.partition("/")[0] in _CLOSED:
            raise Rejected(404, f"no operation {method} {path}")
        operation = found.operation
        attempt, own, sent = known, None, EMPTY
        if method != "GET":
            attempt = attempt or self._attempt(method, inner, body)
            own = None if attempt is None else attempt.plain(body or EMPTY)
            sent = _body(operation, body) if own is None else own
            if own is None:
                attempt = self._attempt(method, inner, sent)
        handler = services.handler(operation)
        if handler is None:
            raise Rejected(501, f"{operation.key} is not simulated")
        asked = _query(operation, query) if query else {}
        parts = handler(Request(enterprise, operation, found.parameters, asked, dict(sent), own is not None))
        if attempt is not None:
            judge(enterprise.world, attempt, sent)
        return operation.status, parts

    def _attempt(self, method: str, inner: str, body: object) -> Attempt | None:
        if body is None:
            body = EMPTY
        return self._remedies.attempt(method, inner, body) if isinstance(body, Mapping) else None


@cache
def _made() -> dict[str, tuple[Layout, Operations]]:
    return {}


def operations(layout: Layout) -> Operations:
    """Return the operations of a layout, made once for each."""
    found = _made().get(layout.name)
    if found is None or found[0] is not layout:
        found = _made()[layout.name] = (layout, Operations(layout))
    return found[1]


def _query(operation: Operation, text: str) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=100)
    except ValueError as error:
        raise Rejected(400, f"query: {error}") from error
    asked: dict[str, list[str]] = {}
    for name, value in pairs:
        asked.setdefault(name, []).append(value)
    problem = operation.check_query(asked)
    if problem is not None:
        raise Rejected(400, problem)
    return asked


def _body(operation: Operation, body: object) -> Mapping[str, Any]:
    """Return a body as plain data of its own, without what is null; raises `Rejected` for one that doesn't fit."""
    if body is None:
        body = EMPTY
    if not isinstance(body, Mapping):
        raise Rejected(400, "body: expected an object")
    try:
        text = msgspec.json.encode(dict(body))
        if len(text) > MOST_BYTES:
            raise Rejected(400, f"body: expected at most {MOST_BYTES} bytes, found {len(text)}")
        plain: dict[str, Any] = msgspec.json.decode(text)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise Rejected(400, "body: expected plain JSON") from error
    problem = operation.check_body(plain)
    if problem is not None:
        raise Rejected(400, problem)
    return {name: value for name, value in plain.items() if value is not None}
