"""What a simulator offers and a deployment lacks, under `/sim`: steps, signals, snapshots, digests, an overview."""

from collections.abc import Callable, Mapping
from typing import Any

from skyfall_crl.env.morpheus.server.overview import overview
from skyfall_crl.env.morpheus.server.replies import Refusal, Reply, enveloped
from skyfall_crl.env.morpheus.server.requests import Request
from skyfall_crl.env.morpheus.server.worlds import HostedWorlds

PROTOCOL = 1
Handler = Callable[[HostedWorlds, str, Any], dict[str, Any] | None]


class SideChannel:
    """Answers `/sim`. Without `stepped` nobody may move the clock, and the protocol of steps isn't offered."""

    def __init__(self, worlds: HostedWorlds, *, stepped: bool) -> None:
        self._worlds = worlds
        self._stepped = stepped

    def reply(self, request: Request) -> Reply | None:
        """Return the answer, or None where there is no such operation; raises `Refusal`."""
        if not self.is_known(request.method, request):
            return None
        match request.segments[1:]:
            case []:
                clock = "step" if self._stepped else "wall"
                return enveloped({"clock": clock, **({"protocol": PROTOCOL} if self._stepped else {})})
            case ["worlds", world_id, verb]:
                if verb == "advance" and not self._stepped:
                    raise Refusal(409, "advance: expected a clock of steps, found one that follows the wall")
                self._worlds.hosted(world_id)
                return enveloped(HANDLERS[request.method, verb](self._worlds, world_id, request.json()))
        return enveloped(overview(self._worlds))

    def is_known(self, method: str, request: Request) -> bool:
        """Return whether a method may be asked of a request's path."""
        match request.segments[1:]:
            case [] | ["overview"]:
                return method == "GET"
            case ["worlds", _, verb]:
                return (method, verb) in HANDLERS
        return False


def _signals(worlds: HostedWorlds, world_id: str, _: Any) -> dict[str, Any]:
    found = worlds.backend.step_signals(world_id)
    return {
        "signals": dict(found.signals),
        "worldTime": found.world_time,
        "remedied": found.remedied,
        "failed": found.failed,
        "tainted": found.tainted,
    }


def _snapshot(worlds: HostedWorlds, world_id: str, _: Any) -> dict[str, Any]:
    return {"state": worlds.backend.snapshot_world(world_id)}


def _restore(worlds: HostedWorlds, world_id: str, body: Any) -> None:
    worlds.restore(world_id, _field(body, "state", dict, "a snapshot"))


def _commit(worlds: HostedWorlds, world_id: str, body: Any) -> None:
    fork = _field(body, "forkId", str, "the id of a world")
    worlds.hosted(fork)
    worlds.restore(world_id, worlds.backend.snapshot_world(fork))


def _field(body: Any, name: str, kind: type, expected: str) -> Any:
    value = body.get(name) if isinstance(body, Mapping) else None
    if not isinstance(value, kind):
        raise Refusal(400, f"body.{name}: expected {expected}, found {value!r:.60}")
    return value


HANDLERS: dict[tuple[str, str], Handler] = {
    ("POST", "advance"): lambda worlds, world_id, _: worlds.advance(world_id),
    ("POST", "snapshot"): _snapshot,
    ("POST", "restore"): _restore,
    ("POST", "fork"): lambda worlds, world_id, _: {"worldId": worlds.fork(world_id)},
    ("POST", "commit"): _commit,
    ("GET", "digest"): lambda worlds, world_id, _: {"digest": worlds.backend.digest_world(world_id)},
    ("GET", "signals"): _signals,
}
"""What there is below `/sim/worlds/{worldId}`, by method and last segment."""
