"""Operations inside a world, called directly or through `/world/act`."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.server.replies import Refusal, Reply, bare, enveloped
from skyfall_crl.env.morpheus.server.requests import Request
from skyfall_crl.env.morpheus.server.worlds import HostedWorlds
from skyfall_crl.env.morpheus.simulation.catalogue import Operation, find, find_root
from skyfall_crl.ports.tools import WORLD_PLACEHOLDERS

_PARAMETER = re.compile(r":([A-Za-z_][A-Za-z0-9_]*)")
_SDK_SERVICES = frozenset({"as2", "edi", "erp", "gateway", "infra", "other", "translator", "validator"})


class Domain:
    """Answers `/{worldId}/…` and `/world/act`.

    With `stepped` each act takes a step; without, time passes by itself. `sdk` renames the services in logs that the
    vendor's client doesn't know.
    """

    def __init__(self, worlds: HostedWorlds, *, stepped: bool, sdk: bool) -> None:
        self._worlds = worlds
        self._run = worlds.act if stepped else worlds.perform
        self._stepped = stepped
        self._sdk = sdk

    def reply(self, request: Request) -> Reply | None:
        """Return the answer to a direct call, or None where the wire has no such operation."""
        world_id, inner = request.segments[0], "/".join(request.segments[1:])
        match = find(request.method, inner)
        if match is None:
            return None
        self._worlds.hosted(world_id)
        body = request.json()
        if match.operation.service == "verification":
            return self._verified(world_id, match.operation, body)
        return self._answered(self._worlds.perform(world_id, request.method, request.target, body))

    def act(self, request: Request) -> Reply:
        """Run an agent's call and return the inner answer; a success is answered with 200, a refusal as itself."""
        body = request.json()
        match = find_root("POST", "/world/act")
        problem = None if match is None else match.operation.check_body(body)
        if problem is not None:
            raise Refusal(400, problem)
        path, method = _filled(body["path"], body.get("params") or {}), body.get("method") or "GET"
        first, _, rest = path.removeprefix("/").partition("/")
        if (first, method.upper()) == ("world", "GET") and rest in self._worlds.ids():
            return self._told(rest)
        world_id = first
        self._worlds.hosted(world_id)
        if body.get("query"):
            path = f"{path}?{urlencode(_texts(body['query']), doseq=True)}"
        return self._answered(self._run(world_id, method, path, body.get("body")), acted=True)

    def _told(self, world_id: str) -> Reply:
        """Return a world's own document to an agent, which takes a step like any other call."""
        document, now = self._worlds.document(world_id), self._worlds.now(world_id)
        if self._stepped:
            self._worlds.advance(world_id)
        return enveloped(document, now)

    def _answered(self, answer: dict[str, Any], *, acted: bool = False) -> Reply:
        if self._sdk and isinstance(answer.get("data"), dict):
            _limit_services(answer["data"])
        return bare(answer, 200 if acted and answer["success"] else answer["status"])

    def _verified(self, world_id: str, operation: Operation, body: Any) -> Reply:
        problem, backend = operation.check_body(body), self._worlds.backend
        if problem is not None:
            return bare({"error": problem}, 400)
        by_ticket = operation.path.endswith("verify-ticket")
        try:
            return bare(
                backend.verify(world_id, body["ticketId"])
                if by_ticket
                else backend.verify_entity(world_id, body)
            )
        except BackendError as error:
            return bare({"error": str(error)}, 404 if by_ticket else 400)


def _filled(path: str, params: Mapping[str, Any]) -> str:
    """Return a path with its `:name` placeholders, and the world's in any spelling, taken from `params`."""
    world = next((params[key] for key in ("worldId", "world_id", "world") if key in params), None)
    if world is not None:
        for placeholder in WORLD_PLACEHOLDERS:
            path = path.replace(placeholder, str(world))
    return _PARAMETER.sub(lambda found: str(params.get(found[1], found[0])), path)


def _texts(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return a query as the wire writes it: lower-case booleans, lists as repeated keys, nothing for null."""
    return {
        key: [_text(item) for item in value] if isinstance(value, list) else _text(value)
        for key, value in query.items()
        if value is not None
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _limit_services(data: dict[str, Any]) -> None:
    items = data.get("items")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and "serviceType" in item and item["serviceType"] not in _SDK_SERVICES:
            item["serviceType"] = "other"
