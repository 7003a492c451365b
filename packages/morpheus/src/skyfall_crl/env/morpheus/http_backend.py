"""The backend of a live MORPHEUS deployment, over its HTTP API."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.action import DEFAULT_DOMAINS
from skyfall_crl.env.morpheus.http.address import inside, proxied, segment, template, with_query
from skyfall_crl.env.morpheus.http.answers import acted, created_id, entries, next_page, unwrapped
from skyfall_crl.env.morpheus.http.caller import Caller
from skyfall_crl.env.morpheus.http.deadline import Deadline
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.tools import ToolCall

DEFAULT_BASE_URL = "http://localhost:8282"
DEFAULT_TIMEOUT = 30.0
REWARD_CONFIG_PATH = "/{worldId}/reward-config"
MAX_PAGES = 10
"""How many pages of a list are read at most, within the one deadline of the call."""


class HttpBackend:
    """Drives the worlds of a deployment.

    `base_url` is where it answers; `timeout` bounds each call as a whole, in seconds, however slowly bytes arrive
    (only the system's name resolution stands outside);
    `headers` go with every request and into no text. `reward_config_path` is where a world may keep a reward spec.

    One object serves any number of worlds and threads and holds nothing of a world. Reads are tried again within the
    deadline where that may help; nothing that may change a world is ever sent twice. Every method but `act` raises
    `BackendError`. Building it opens no connection; raises `ConfigError` for arguments that can't work.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_BASE_URL,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        headers: Mapping[str, str] | None = None,
        reward_config_path: str = REWARD_CONFIG_PATH,
    ) -> None:
        self._reward_config_path = template("reward_config_path", reward_config_path)
        self._caller = Caller(base_url, timeout, headers)

    @property
    def base_url(self) -> str:
        """Where the deployment answers."""
        return self._caller.base_url

    def create_world(
        self,
        *,
        name: str,
        layout: str,
        description: str | None = None,
        real_hours_per_sim_day: float | None = None,
        process_chaos: bool = True,
        infrastructure_chaos: bool = True,
        seed: int | None = None,
        **_unused: Any,
    ) -> str:
        """Provision a world and return its id; a deployment that can't be seeded ignores `seed`."""
        body: dict[str, Any] = {"name": name, "layout": layout}
        if description is not None:
            body["description"] = description
        if real_hours_per_sim_day is not None:
            body["realHoursPerSimDay"] = real_hours_per_sim_day
        body["chaos"] = {"processChaosEnabled": process_chaos, "infraChaosEnabled": infrastructure_chaos}
        if seed is not None:
            body["simulation"] = {"seed": seed}
        answer = self._caller.write("POST", "/world", body)
        world_id = created_id(answer)
        if world_id is None:
            raise self._caller.failure("POST", "/world", "the new world's id in world._id", answer)
        return world_id

    def delete_world(self, world_id: str) -> None:
        """Delete a world for good."""
        self._caller.write("DELETE", f"/world/{segment(world_id)}")

    def reset_world(self, world_id: str) -> None:
        """Destroy a world and provision it anew under the same id."""
        self._caller.write("POST", f"/world/{segment(world_id)}/reset")

    def get_tasks(self, world_id: str, *, status: str | None = None) -> Any:
        """List the incident tickets, optionally those in one state only.

        Returns the deployment's answer as it is where that is complete; of several pages, one answer with the items
        of all, at most `MAX_PAGES`.
        """
        return self._whole_list(f"/{segment(world_id)}/tickets", {"status": status})

    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> Any:
        """Read a world's domain data and return the decoded answer as it is.

        `path` starts with the world's id or a placeholder for it.
        """
        return self._caller.read(inside(world_id, path, params))

    def observe(
        self, world_id: str, *, logs: bool = True, audit_log: bool = True, limit: int = 100
    ) -> Mapping[str, Any]:
        """Return the world's operational and audit log slices, `limit` entries of each at most.

        Keys: `logs` and `audit_log`, each only where it is asked for.
        """
        world, deadline = segment(world_id), self._caller.deadline()
        found: dict[str, Any] = {}
        if logs:
            found["logs"] = self._entries(with_query(f"/{world}/logs", {"limit": limit}), deadline)[:limit]
        if audit_log:
            found["audit_log"] = self._entries(f"/{world}/audit-logs", deadline)[:limit]
        return found

    def get_action_space(self, world_id: str, service: str | None = None) -> Mapping[str, Any]:
        """Describe the operations a service exposes, or those of all services an agent may use.

        The service mesh describes the deployment, not a world, so `world_id` goes unused.
        """
        deadline = self._caller.deadline()
        if service is not None:
            return self._mesh(service, deadline)
        endpoints: list[Any] = []
        for name in DEFAULT_DOMAINS:
            try:
                endpoints += self._mesh(name, deadline).get("endpoints") or []
            except BackendError as error:
                if error.status not in (400, 404):
                    raise
        return {"service": None, "filters": {}, "count": len(endpoints), "endpoints": endpoints}

    def act(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run one call of the agent through the deployment, once; nothing here raises.

        The deployment's answer is returned with `success` and `status` always in it. Of a call that failed,
        `success` is false, `error` says why in words and `reason` in a code: `rejected` by the world, `bad_call` for
        what can't be sent, `http_status`, `not_json`, `bad_json`, or what `TransportFailure` names.
        """
        try:
            call = proxied(ToolCall(method, path, body).resolved(world_id))
            return acted(self._caller.ask("POST", "/world/act", call, self._caller.deadline()))
        except BackendError as failure:
            return _failed(failure.reason, failure.status, str(failure))
        except Exception as error:
            return _failed("bad_call", None, f"act: expected a method and a path as text, found {error!r}")

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> Mapping[str, Any]:
        """Push a world's chaos configuration and return it as it then reads, in two requests under one deadline."""
        deadline = self._caller.deadline()
        self._caller.write("PUT", f"/world/{segment(world_id)}/chaos", chaos, deadline)
        return self._chaos(world_id, deadline)

    def push_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> None:
        """Push a world's chaos configuration without reading it back, in one request."""
        self._caller.write("PUT", f"/world/{segment(world_id)}/chaos", chaos)

    def read_chaos(self, world_id: str) -> Mapping[str, Any]:
        """Return a world's chaos configuration as it reads now."""
        return self._chaos(world_id, self._caller.deadline())

    def verify(self, world_id: str, ticket_id: str) -> Mapping[str, Any]:
        """Score a ticket's remediation against its checks; `passed` says whether all of them did."""
        target = f"/{segment(world_id)}/verification/verify-ticket"
        answer = self._caller.write("POST", target, {"ticketId": ticket_id})
        for result in (answer, unwrapped(answer)):
            if isinstance(result, Mapping) and "passed" in result:
                return result
        raise self._caller.failure("POST", target, "a result with `passed`", answer)

    def reward_config(self, world_id: str) -> Mapping[str, Any] | None:
        """Return the reward spec a world carries, or None where it carries none."""
        target = self._reward_config_path.replace("{worldId}", segment(world_id))
        try:
            answer = unwrapped(self._caller.read(target))
        except BackendError as error:
            if error.status == 404:
                return None
            raise
        if answer is None or isinstance(answer, Mapping):
            return answer
        raise self._caller.failure("GET", target, "a reward spec", answer)

    def close(self) -> None:
        """Close all connections; those in use as soon as their calls end. Repeating it does nothing."""
        self._caller.close()

    def _whole_list(self, target: str, params: Mapping[str, Any]) -> Any:
        deadline = self._caller.deadline()
        answer = self._caller.read(with_query(target, params), deadline)
        page = next_page(answer)
        if page is None:
            return answer
        items = list(entries(answer) or ())
        for _ in range(MAX_PAGES - 1):
            answer = self._caller.read(with_query(target, {**params, **page}), deadline)
            found, before = entries(answer) or [], page
            items += found
            page = next_page(answer) if found else None
            if page is None or page == before:
                break
        count, more = len(items), page is not None
        data = {"items": items, "totalCount": count, "limit": count, "hasMore": more, "nextCursor": None}
        return {"success": True, "status": 200, "data": data}

    def _entries(self, target: str, deadline: Deadline) -> list[Any]:
        answer = self._caller.read(target, deadline)
        found = entries(answer)
        if found is None:
            raise self._caller.failure("GET", target, "a list", answer)
        return found

    def _mesh(self, service: str, deadline: Deadline) -> Mapping[str, Any]:
        return self._mapping(with_query("/docs/mesh", {"service": service}), deadline)

    def _chaos(self, world_id: str, deadline: Deadline) -> Mapping[str, Any]:
        chaos = self._mapping(f"/world/{segment(world_id)}/chaos", deadline)
        inner = chaos.get("chaos")
        return inner if isinstance(inner, Mapping) else chaos

    def _mapping(self, target: str, deadline: Deadline) -> Mapping[str, Any]:
        answer = self._caller.read(target, deadline)
        data = unwrapped(answer)
        if not isinstance(data, Mapping):
            raise self._caller.failure("GET", target, "an object", answer)
        return data


def _failed(reason: str | None, status: int | None, error: str) -> dict[str, Any]:
    return {"success": False, "status": status, "reason": reason, "error": error}
