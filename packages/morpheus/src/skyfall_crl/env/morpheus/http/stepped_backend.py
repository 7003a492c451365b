"""The backend of a served simulator: a deployment that also says what a step was worth and can store its worlds."""

from collections.abc import Mapping
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.http.address import segment
from skyfall_crl.env.morpheus.http.answers import unwrapped
from skyfall_crl.env.morpheus.http.caller import PASSING_STATUSES
from skyfall_crl.env.morpheus.http_backend import (
    DEFAULT_BASE_URL,
    DEFAULT_TIMEOUT,
    REWARD_CONFIG_PATH,
    HttpBackend,
)
from skyfall_crl.env.morpheus.ports import BackendError, StepSignals

SIDE_CHANNEL = "/sim"
PROTOCOL = 1


class _Signals(msgspec.Struct, rename="camel"):
    signals: dict[str, float]
    world_time: int
    remedied: bool = False
    failed: bool = False
    tainted: int = 0


class SteppedHttpBackend(HttpBackend):
    """Drives the worlds of a simulator that is served over HTTP; see `connect`.

    What a deployment lacks is asked under `/sim`, in envelopes: `GET /sim` gives `{protocol: 1}`; under
    `/sim/worlds/{id}` there are `POST advance`, `POST snapshot` giving `{state}`, `POST restore` taking `{state}`,
    `POST fork` giving `{worldId}`, `POST commit` taking `{forkId}`, `GET digest` giving `{digest}`, and `GET signals`
    giving `{signals, worldTime, remedied, failed, tainted}`.
    """

    def is_offered(self) -> bool:
        """Tell whether the side channel is there; raises `BackendError` when nothing answers or it is another one."""
        try:
            answer = unwrapped(self._caller.read(SIDE_CHANNEL))
        except BackendError as error:
            if error.status is None or error.status in PASSING_STATUSES:
                raise
            return False
        protocol = answer.get("protocol") if isinstance(answer, Mapping) else None
        if protocol is not None and protocol != PROTOCOL:
            raise self._caller.failure("GET", SIDE_CHANNEL, f"protocol {PROTOCOL}", answer)
        return protocol is not None

    def advance(self, world_id: str) -> None:
        """Move the world one step with nothing done in it."""
        self._caller.write("POST", _at(world_id, "advance"))

    def step_signals(self, world_id: str) -> StepSignals:
        """Return what the last step was worth."""
        target = _at(world_id, "signals")
        answer = self._caller.read(target)
        try:
            found = msgspec.convert(unwrapped(answer), _Signals)
        except msgspec.ValidationError as error:
            raise self._caller.failure("GET", target, f"signals ({error})", answer) from None
        return StepSignals(found.signals, found.world_time, found.remedied, found.failed, found.tainted)

    def snapshot_world(self, world_id: str) -> Mapping[str, Any]:
        """Return the world as plain data."""
        state: Mapping[str, Any] = self._told("POST", _at(world_id, "snapshot"), "state", dict)
        return state

    def restore_world(self, world_id: str, state: Mapping[str, Any]) -> None:
        """Put the world back."""
        self._caller.write("POST", _at(world_id, "restore"), {"state": state})

    def fork_world(self, world_id: str) -> str:
        """Copy the world and return the copy's id."""
        fork: str = self._told("POST", _at(world_id, "fork"), "worldId", str)
        return fork

    def commit_world(self, world_id: str, fork_id: str) -> None:
        """Let the world take over the state of a fork."""
        self._caller.write("POST", _at(world_id, "commit"), {"forkId": fork_id})

    def digest_world(self, world_id: str) -> str:
        """Return a digest that is equal exactly when two worlds are."""
        digest: str = self._told("GET", _at(world_id, "digest"), "digest", str)
        return digest

    def _told(self, method: str, target: str, key: str, kind: type) -> Any:
        answer = self._caller.read(target) if method == "GET" else self._caller.write(method, target)
        data = unwrapped(answer)
        value = data.get(key) if isinstance(data, Mapping) else None
        if not isinstance(value, kind):
            raise self._caller.failure(method, target, f"`{key}`", answer)
        return value


def connect(
    base_url: str = DEFAULT_BASE_URL,
    *,
    timeout: float = DEFAULT_TIMEOUT,
    headers: Mapping[str, str] | None = None,
    reward_config_path: str = REWARD_CONFIG_PATH,
) -> HttpBackend:
    """Return the backend of what answers at `base_url`, after asking it once what it is.

    A served simulator gets a `SteppedHttpBackend`, which also has a clock of steps, signals and snapshots; a
    deployment an `HttpBackend`. Raises `BackendError` when nothing answers.
    """
    settings: dict[str, Any] = {
        "timeout": timeout,
        "headers": headers,
        "reward_config_path": reward_config_path,
    }
    stepped = SteppedHttpBackend(base_url, **settings)
    try:
        if stepped.is_offered():
            return stepped
    except BackendError:
        stepped.close()
        raise
    stepped.close()
    return HttpBackend(base_url, **settings)


def _at(world_id: str, what: str) -> str:
    return f"{SIDE_CHANNEL}/worlds/{segment(world_id)}/{what}"
