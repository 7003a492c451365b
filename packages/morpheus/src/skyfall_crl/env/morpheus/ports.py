"""The backend contract the environment is written against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from skyfall_crl.ports.errors import CrlError


class BackendError(CrlError, RuntimeError):
    """A backend call failed for another reason than a rejected action.

    `reason` is a short code such as `timeout` or `http_status` where the backend has one, `status` the HTTP status
    where there was an answer.
    """

    boundary = "backend"

    def __init__(self, message: str, *, reason: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status


@runtime_checkable
class MorpheusBackend(Protocol):
    """Everything the environment needs from a MORPHEUS deployment.

    The world id comes with each call, so one backend serves any number of worlds and holds no state of one.
    Calls other than `act` raise `BackendError` when they fail.
    """

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
        ...

    def reset_world(self, world_id: str) -> None:
        """Destroy the world and provision it anew; this is not a rewind."""
        ...

    def get_tasks(self, world_id: str, *, status: str | None = None) -> Any:
        """Return the incident tickets as the deployment reports them, optionally of one status only."""
        ...

    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> Any:
        """Read domain data for the environment's own bookkeeping; never advances a clock."""
        ...

    def get_action_space(self, world_id: str, service: str | None = None) -> Mapping[str, Any]:
        """Describe the operations a service exposes, or those of all services."""
        ...

    def act(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """Run one call of the agent; a step clock advances by exactly one. Never raises: see `success`."""
        ...

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> Mapping[str, Any]:
        """Change how the world behaves and return its chaos configuration as it then reads."""
        ...

    def verify(self, world_id: str, ticket_id: str) -> Mapping[str, Any]:
        """Score a ticket's remediation against its checks."""
        ...

    def close(self) -> None:
        """Release whatever is held."""
        ...


@runtime_checkable
class AdvancingBackend(Protocol):
    """A backend whose clock moves by steps also when the agent sends nothing."""

    def advance(self, world_id: str) -> None:
        """Move the world one step; called instead of `act`."""
        ...


@runtime_checkable
class BriefBackend(Protocol):
    """A backend that can spare itself the answer to a write."""

    def act_briefly(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """Do what `act` does; the answer to a write tells whether it succeeded and may hold no more."""
        ...


@runtime_checkable
class DisposingBackend(Protocol):
    """A backend that can delete a world."""

    def delete_world(self, world_id: str) -> None:
        """Delete the world for good."""
        ...


@runtime_checkable
class ObservingBackend(Protocol):
    """A backend that hands out what a world has logged."""

    def observe(
        self, world_id: str, *, logs: bool = True, audit_log: bool = True, limit: int = 100
    ) -> Mapping[str, Any]:
        """Return the newest entries under `logs` and `audit_log`, a list of raw entries for each that is asked for."""
        ...


@runtime_checkable
class ChaosBackend(Protocol):
    """A backend whose chaos configuration can be written in one call and read in another."""

    def push_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> None:
        """Change how the world behaves without reading it back."""
        ...

    def read_chaos(self, world_id: str) -> Mapping[str, Any]:
        """Return the chaos configuration as it reads now."""
        ...


@runtime_checkable
class RewardConfigBackend(Protocol):
    """A backend whose worlds may carry a reward spec of their own."""

    def reward_config(self, world_id: str) -> Mapping[str, Any] | None:
        """Return the spec as the deployment has it, or None where the world carries none."""
        ...


@dataclass(frozen=True, slots=True)
class StepSignals:
    """The last step of a world as its book of obligations saw it.

    `signals` are the reward signals of that step alone, each in [0, 1]; `world_time` counts simulated minutes;
    `remedied` and `failed` say what the step's operation did to the fault it addressed.
    """

    signals: Mapping[str, float]
    world_time: int
    remedied: bool = False
    failed: bool = False
    tainted: int = 0


@runtime_checkable
class SignallingBackend(Protocol):
    """A backend that keeps a book of obligations and can say what the last step was worth."""

    def step_signals(self, world_id: str) -> StepSignals:
        """Return the signals of the last step."""
        ...


class OpenTicket(Protocol):
    """An open ticket as a discrete view needs it.

    `opened_step` and the board's `step` count world steps; `priority` is 0 (low) to 3 (critical); `value_cents` is
    the blocked order's value; bit r of `tried` is set when remedy r was applied in vain; `traits` has the place of
    the order's value of each trait of the layout, -1 where it is not known.
    """

    @property
    def ticket_id(self) -> str: ...
    @property
    def opened_step(self) -> int: ...
    @property
    def priority(self) -> int: ...
    @property
    def value_cents(self) -> int: ...
    @property
    def tried(self) -> int: ...
    @property
    def traits(self) -> tuple[int, ...]: ...


class TicketBoard(Protocol):
    """All open tickets of a world by symptom, oldest first."""

    @property
    def step(self) -> int: ...
    @property
    def queues(self) -> Sequence[Sequence[OpenTicket]]: ...
    @property
    def blocked_cents(self) -> Sequence[int]: ...


@runtime_checkable
class BoardBackend(Protocol):
    """A backend that hands out the board directly, with no ticket text in between; it must equal what tickets say."""

    def ticket_board(self, world_id: str) -> TicketBoard:
        """Return the board; valid until the next call that changes the world."""
        ...


@runtime_checkable
class SnapshotBackend(Protocol):
    """A backend that can store a world and put it back."""

    def snapshot_world(self, world_id: str) -> Mapping[str, Any]:
        """Return the world as plain data; its size follows what is live in it."""
        ...

    def restore_world(self, world_id: str, state: Mapping[str, Any]) -> None:
        """Put the world back."""
        ...

    def fork_world(self, world_id: str) -> str:
        """Copy the world and return the copy's id; the two share nothing."""
        ...

    def commit_world(self, world_id: str, fork_id: str) -> None:
        """Let the world take over the state of a fork."""
        ...

    def digest_world(self, world_id: str) -> str:
        """Return a digest that is equal exactly when two worlds are."""
        ...
