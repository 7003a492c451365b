"""The backend protocols as calls by name, so that a session of them can be written down and given again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from skyfall_crl.env.morpheus.ports import StepSignals

OPTIONAL_CALLS: tuple[str, ...] = (
    "advance",
    "delete_world",
    "step_signals",
    "observe",
    "push_chaos",
    "read_chaos",
    "reward_config",
    "snapshot_world",
    "restore_world",
    "fork_world",
    "commit_world",
    "digest_world",
)
"""Methods beyond `MorpheusBackend` that a session can hold. Boards can't: they are live objects, not data."""


class SessionCalls(ABC):
    """A backend whose every method is one `_call`; of the optional methods it has those it offers, and no other."""

    advance: Callable[[str], None]
    delete_world: Callable[[str], None]
    step_signals: Callable[[str], StepSignals]
    observe: Callable[..., Mapping[str, Any]]
    push_chaos: Callable[[str, Mapping[str, Any]], None]
    read_chaos: Callable[[str], Mapping[str, Any]]
    reward_config: Callable[[str], Mapping[str, Any] | None]
    snapshot_world: Callable[[str], Mapping[str, Any]]
    restore_world: Callable[[str, Mapping[str, Any]], None]
    fork_world: Callable[[str], str]
    commit_world: Callable[[str, str], None]
    digest_world: Callable[[str], str]

    def __init__(self, offers: Iterable[str]) -> None:
        for name in offers:
            setattr(self, name, getattr(self, f"_{name}"))

    @abstractmethod
    def _call(self, name: str, world_id: str | None, /, **arguments: Any) -> Any:
        """Make a call and return what it gives; raises `BackendError`."""

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
    ) -> str:
        """Provision a world and return its id."""
        world_id: str = self._call(
            "create_world",
            None,
            name=name,
            layout=layout,
            description=description,
            real_hours_per_sim_day=real_hours_per_sim_day,
            process_chaos=process_chaos,
            infrastructure_chaos=infrastructure_chaos,
            seed=seed,
        )
        return world_id

    def reset_world(self, world_id: str) -> None:
        """Destroy a world and provision it anew."""
        self._call("reset_world", world_id)

    def get_tasks(self, world_id: str, *, status: str | None = None) -> Any:
        """Return the incident tickets."""
        return self._call("get_tasks", world_id, status=status)

    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> Any:
        """Read domain data."""
        return self._call("fetch", world_id, path=path, params=params)

    def get_action_space(self, world_id: str, service: str | None = None) -> Mapping[str, Any]:
        """Describe the operations of a service."""
        space: Mapping[str, Any] = self._call("get_action_space", world_id, service=service)
        return space

    def act(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """Run one call of the agent."""
        answer: Mapping[str, Any] = self._call("act", world_id, method=method, path=path, body=body)
        return answer

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> Mapping[str, Any]:
        """Change how a world behaves and return how it then reads."""
        read: Mapping[str, Any] = self._call("set_chaos", world_id, chaos=chaos)
        return read

    def verify(self, world_id: str, ticket_id: str) -> Mapping[str, Any]:
        """Score a ticket's remediation."""
        result: Mapping[str, Any] = self._call("verify", world_id, ticket_id=ticket_id)
        return result

    def _advance(self, world_id: str) -> None:
        self._call("advance", world_id)

    def _delete_world(self, world_id: str) -> None:
        self._call("delete_world", world_id)

    def _step_signals(self, world_id: str) -> StepSignals:
        signals: StepSignals = self._call("step_signals", world_id)
        return signals

    def _observe(
        self, world_id: str, *, logs: bool = True, audit_log: bool = True, limit: int = 100
    ) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._call(
            "observe", world_id, logs=logs, audit_log=audit_log, limit=limit
        )
        return found

    def _push_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> None:
        self._call("push_chaos", world_id, chaos=chaos)

    def _read_chaos(self, world_id: str) -> Mapping[str, Any]:
        read: Mapping[str, Any] = self._call("read_chaos", world_id)
        return read

    def _reward_config(self, world_id: str) -> Mapping[str, Any] | None:
        spec: Mapping[str, Any] | None = self._call("reward_config", world_id)
        return spec

    def _snapshot_world(self, world_id: str) -> Mapping[str, Any]:
        state: Mapping[str, Any] = self._call("snapshot_world", world_id)
        return state

    def _restore_world(self, world_id: str, state: Mapping[str, Any]) -> None:
        self._call("restore_world", world_id, state=state)

    def _fork_world(self, world_id: str) -> str:
        fork: str = self._call("fork_world", world_id)
        return fork

    def _commit_world(self, world_id: str, fork_id: str) -> None:
        self._call("commit_world", world_id, fork_id=fork_id)

    def _digest_world(self, world_id: str) -> str:
        digest: str = self._call("digest_world", world_id)
        return digest
