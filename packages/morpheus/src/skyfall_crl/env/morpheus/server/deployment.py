"""The deployment's own operations: worlds are created, listed, changed, reset and deleted, and chaos is set."""

from collections.abc import Callable, Mapping
from typing import Any

from skyfall_crl.env.morpheus.server import presets
from skyfall_crl.env.morpheus.server.definitions import DEFAULT_LAYOUT, complete_policy
from skyfall_crl.env.morpheus.server.replies import Refusal, Reply, bare, enveloped
from skyfall_crl.env.morpheus.server.requests import LAYOUTS, Request
from skyfall_crl.env.morpheus.server.worlds import HostedWorlds
from skyfall_crl.env.morpheus.simulation.catalogue import Match, find_root
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names

Handler = Callable[["Deployment", dict[str, str], Mapping[str, Any], Any], Reply]
_NO_CHAOS = {
    "enabled": False,
    "probability": 0.0,
    "scenarios": [],
    "processChaosEnabled": False,
    "infraChaosEnabled": False,
}


class Deployment:
    """Answers `/world` and `/chaos` but for `/world/act`."""

    def __init__(self, worlds: HostedWorlds) -> None:
        self._worlds = worlds

    def reply(self, request: Request) -> Reply | None:
        """Return the answer, or None where the wire has no such operation; raises `Refusal`."""
        if request.method == "GET" and request.segments[:2] == LAYOUTS and len(request.segments) > 2:
            return self.layout({"layoutId": "/".join(request.segments[2:])})
        match: Match | None = find_root(request.method, request.path)
        handler = None if match is None else _HANDLERS.get(match.operation.key)
        if match is None or handler is None:
            return None
        query, body = request.query(), request.json()
        problem = match.operation.check_query(query) or match.operation.check_body(body)
        if problem is not None:
            raise Refusal(400, problem)
        return handler(self, match.parameters, query, body)

    def create(self, _: dict[str, str], query: Mapping[str, Any], body: Any) -> Reply:
        """Provision a world and return it with its companies and products, bare or as events."""
        layout = body.get("layout") or DEFAULT_LAYOUT
        if layout not in layout_names():
            raise Refusal(
                400, f"body.layout: expected one of {', '.join(layout_names())}, found {layout!r:.60}"
            )
        if not body["name"]:
            raise Refusal(400, "body.name: expected a name, found ''")
        world_id = self._worlds.create(body, layout, _seed(body.get("simulation")))
        data = {"world": self._worlds.document(world_id), **self._enterprise(world_id), "seedResult": {}}
        return _streamed(data) if query.get("stream") == "true" else bare(data)

    def listing(self, _: dict[str, str], query: Mapping[str, Any], body: Any) -> Reply:
        """Return the worlds that a query wants, page by page."""
        documents = [self._worlds.document(world_id) for world_id in self._worlds.ids()]
        found = [each for each in documents if _is_wanted(each, query)]
        ids = [each["_id"] for each in found]
        start = ids.index(query["cursor"]) + 1 if query.get("cursor") in ids else 0
        end = start + int(query.get("limit", 20))
        cursor = ids[end - 1] if end < len(found) else None
        return enveloped({"worlds": found[start:end], "nextCursor": cursor})

    def read(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Return a world."""
        world_id = parameters["worldId"]
        now = self._now(world_id)
        return enveloped(self._worlds.document(world_id), now)

    def change(self, parameters: dict[str, str], query: Mapping[str, Any], body: Any) -> Reply:
        """Change how a world is defined, whole or not at all."""
        world_id, changes = parameters["worldId"], body or {}
        definition = self._worlds.hosted(world_id).definition.changed(changes)
        if changes.get("chaos") is not None:
            self._worlds.set_chaos(world_id, changes["chaos"])
        self._worlds.define(world_id, definition)
        return self.read(parameters)

    def delete(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Delete a world for good."""
        now = self._now(parameters["worldId"])
        self._worlds.delete(parameters["worldId"])
        return enveloped({"success": True}, now)

    def reset(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Provision a world anew under its id."""
        self._worlds.reset(parameters["worldId"])
        data = {"success": True, "message": "The world was provisioned anew.", "seedResult": {}}
        return enveloped(data, self._now(parameters["worldId"]))

    def capabilities(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Return what a world does: a capability for each stage."""
        definition = self._worlds.hosted(parameters["worldId"]).definition
        layout = layout_named(definition.layout)
        found = [_capability(layout, stage) for stage in range(len(layout.symptoms))]
        data = {
            "worldId": parameters["worldId"],
            "worldName": definition.name,
            "samplingStrategy": definition.kept.get("samplingStrategy", {"type": "all"}),
            "count": len(found),
            "capabilityIds": [each["id"] for each in found],
            "capabilities": found,
        }
        return enveloped(data, self._now(parameters["worldId"]))

    def read_chaos(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Return a world's chaos configuration."""
        world_id = parameters["worldId"]
        name = self._worlds.hosted(world_id).definition.name
        chaos = complete_policy(self._worlds.backend.chaos_document(world_id))
        return enveloped({"worldId": world_id, "worldName": name, "chaos": chaos}, self._now(world_id))

    def set_chaos(self, parameters: dict[str, str], query: Mapping[str, Any], body: Any) -> Reply:
        """Change how a world behaves from its next step on."""
        world_id = parameters["worldId"]
        self._worlds.hosted(world_id)
        chaos = complete_policy(self._worlds.set_chaos(world_id, body or {}))
        data = {
            "worldId": world_id,
            "chaos": chaos,
            "message": "The chaos configuration holds from the next step on.",
        }
        return enveloped(data, self._now(world_id))

    def drop_chaos(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Let nothing fault any more."""
        world_id = parameters["worldId"]
        self._worlds.hosted(world_id)
        self._worlds.set_chaos(world_id, _NO_CHAOS)
        return enveloped({"worldId": world_id, "message": "Nothing faults any more."}, self._now(world_id))

    def layouts(self, *_: Any) -> Reply:
        """Return what worlds can be built from."""
        return enveloped([_layout(layout_named(name)) for name in layout_names()])

    def layout(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Return one layout with its stages."""
        name = parameters["layoutId"]
        if name not in layout_names():
            raise Refusal(404, f"expected one of {', '.join(layout_names())}, found {name!r:.60}")
        layout = layout_named(name)
        stages = [{"stage": each.stage, "fault": each.title} for each in layout.symptoms]
        return enveloped({**_layout(layout), "docs": {"stages": stages}})

    def presets(self, *_: Any) -> Reply:
        """Return the names of the chaos policies that are there."""
        listed = [{"id": each, **presets.WORDS[each]} for each in presets.WORDS]
        return enveloped(listed, count=len(listed))

    def preset(self, parameters: dict[str, str], *_: Any) -> Reply:
        """Return one chaos policy."""
        if parameters["id"] not in presets.WORDS:
            raise Refusal(404, f"expected one of {', '.join(presets.WORDS)}, found {parameters['id']!r:.60}")
        return enveloped(presets.policy(parameters["id"]))

    def chaos_status(self, *_: Any) -> Reply:
        """Return how many worlds things fault in."""
        ids = self._worlds.ids()
        faulting = [each for each in ids if self._worlds.backend.chaos_document(each)["processChaosEnabled"]]
        stats = {
            "presetCount": len(presets.WORDS),
            "worldPolicyCount": len(faulting),
            "capabilityOverrideCount": 0,
            "odOverrideCount": 0,
        }
        return enveloped({"enabled": bool(faulting), "activePreset": None, "stats": stats})

    def _now(self, world_id: str) -> str:
        self._worlds.hosted(world_id)
        return self._worlds.now(world_id)

    def _enterprise(self, world_id: str) -> dict[str, Any]:
        """Return the companies and products of a world, as far as it has them."""
        found: dict[str, Any] = {}
        for key, path in _ENTERPRISE.items():
            answer = self._worlds.perform(world_id, "GET", f"/{world_id}/{path}", None)
            if answer["success"]:
                found[key] = answer["data"]
        return found


def _seed(simulation: Any) -> int | None:
    if simulation is None:
        return None
    seed = simulation.get("seed") if isinstance(simulation, Mapping) else simulation
    if seed is None or (seed.__class__ is int and 0 <= seed < 1 << 63):
        return seed
    raise Refusal(
        400, f"body.simulation.seed: expected a whole number from 0 to 2**63 - 1, found {seed!r:.60}"
    )


def _is_wanted(document: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    if "is_default" in query and document["is_default"] != (query["is_default"] == "true"):
        return False
    if "mpcCompany" in query and document.get("mpcCompany") != query["mpcCompany"]:
        return False
    searched = f"{document['name']} {document.get('description', '')}".lower()
    return str(query.get("search", "")).lower() in searched


def _layout(layout: Layout) -> dict[str, Any]:
    return {
        "id": layout.name,
        "name": layout.title,
        "description": layout.description,
        "shortDescription": layout.description.partition(".")[0],
    }


def _capability(layout: Layout, stage: int) -> dict[str, Any]:
    symptom = layout.symptoms[stage]
    return {
        "id": f"{layout.name}.{symptom.stage}",
        "name": symptom.stage,
        "description": f"Stage {stage + 1} of {layout.title}",
        "domain": symptom.remedies[0].path.split("/")[2],
        "odId": f"od_{layout.name}",
        "tags": {},
    }


def _streamed(data: Any) -> Reply:
    events = [("connected", {}), ("progress", {"step": "seeded"}), ("complete", data)]
    body = b"".join(f"event: {name}\ndata: ".encode() + bare(each).body + b"\n\n" for name, each in events)
    return Reply(200, body, b"text/event-stream", ((b"cache-control", b"no-store"),))


_ENTERPRISE = {
    "mainCompany": "erp/companies/mpc",
    "npcCompanies": "erp/companies?isMpcCompany=false",
    "productsForMpc": "erp/products",
}
_HANDLERS: dict[str, Handler] = {
    "POST /world": Deployment.create,
    "GET /world": Deployment.listing,
    "GET /world/layouts": Deployment.layouts,
    "GET /world/layouts/{layoutId}": Deployment.layout,
    "GET /world/{worldId}": Deployment.read,
    "PATCH /world/{worldId}": Deployment.change,
    "DELETE /world/{worldId}": Deployment.delete,
    "POST /world/{worldId}/reset": Deployment.reset,
    "GET /world/{worldId}/capabilities": Deployment.capabilities,
    "GET /world/{worldId}/chaos": Deployment.read_chaos,
    "PUT /world/{worldId}/chaos": Deployment.set_chaos,
    "DELETE /world/{worldId}/chaos": Deployment.drop_chaos,
    "GET /chaos/presets": Deployment.presets,
    "GET /chaos/presets/{id}": Deployment.preset,
    "GET /chaos/status": Deployment.chaos_status,
}
