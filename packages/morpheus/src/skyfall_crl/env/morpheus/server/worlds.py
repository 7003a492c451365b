"""The worlds a server hosts: each call is done in memory, written down where there is a disk, and then answered."""

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.server.definitions import Definition
from skyfall_crl.env.morpheus.server.replies import Refusal
from skyfall_crl.env.morpheus.server.store import Entry, Journal, StateDirectory, StoreError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.clock import instant

SNAPSHOT_EVERY = 500
"""How many operations a world's file holds at most before a snapshot takes their place."""
ACTIONS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Action:
    """One call that was done in a world, for those who watch."""

    step: int
    method: str
    path: str
    status: int
    by_agent: bool


@dataclass(slots=True)
class Hosted:
    """What a server keeps of one world beside the world itself."""

    definition: Definition
    journal: Journal | None = None
    actions: deque[Action] = field(default_factory=lambda: deque(maxlen=ACTIONS_SHOWN))


class HostedWorlds:
    """Hosts worlds on one thread; with a `state` directory they are what they were when the process ends.

    Methods that name a world raise `Refusal` 404 for one that isn't there.
    """

    def __init__(self, state: Path | None, most: int) -> None:
        self.backend = SimulatedBackend()
        self._most = most
        self._hosted: dict[str, Hosted] = {}
        self._directory = None if state is None else StateDirectory(state)
        self._ordinal = 0
        try:
            self._load_all()
        except BaseException:
            self.close()
            raise

    def ids(self) -> list[str]:
        """Return the ids of all worlds in the order they were created."""
        return list(self._hosted)

    def hosted(self, world_id: str) -> Hosted:
        """Return what is kept of a world."""
        found = self._hosted.get(world_id)
        if found is None:
            raise Refusal(404, f"expected the id of a world, found {world_id!r:.60}")
        return found

    def now(self, world_id: str) -> str:
        """Return a world's own time."""
        world = self.backend.engine(world_id)
        return instant(world.board.step, world.layout.minutes_per_step)

    def is_paused(self, world_id: str) -> bool:
        """Return whether a world's schedules are paused."""
        answer = self.perform(world_id, "GET", f"/{world_id}/od/schedules/status", None)
        return bool(answer["success"] and answer["data"]["status"] == "paused")

    def document(self, world_id: str) -> dict[str, Any]:
        """Return a world as the wire has it."""
        chaos = self.backend.chaos_document(world_id)
        return self.hosted(world_id).definition.document(world_id, chaos, self.now(world_id))

    def create(self, body: Mapping[str, Any], layout: str, seed: int | None) -> str:
        """Provision a world from a checked body and return its id; raises `Refusal` where there is no room."""
        self._room()
        said = {key: value for key, value in body.items() if key != "layout"}
        definition = Definition(body["name"], layout, self._ordinal).changed(said)
        chaos = body.get("chaos") or {}
        world_id = self.backend.create_world(
            name=definition.name,
            layout=layout,
            process_chaos=chaos.get("processChaosEnabled", False),
            infrastructure_chaos=chaos.get("infraChaosEnabled", False),
            seed=seed,
        )
        return self._keep(world_id, definition)

    def delete(self, world_id: str) -> None:
        """Delete a world for good."""
        hosted = self.hosted(world_id)
        if hosted.journal is not None and self._directory is not None:
            self._directory.delete(hosted.journal)
        self.backend.delete_world(world_id)
        del self._hosted[world_id]

    def act(self, world_id: str, method: str, path: str, body: Any) -> dict[str, Any]:
        """Run an agent's call, which takes one step."""
        return self._called(world_id, ["act", method, path, body], by_agent=True)

    def perform(self, world_id: str, method: str, path: str, body: Any) -> dict[str, Any]:
        """Run a call that takes no step; a read is not written down."""
        return self._called(world_id, ["perform", method, path, body], by_agent=False)

    def advance(self, world_id: str) -> None:
        """Move a world one step."""
        self._do(world_id, ["advance"])

    def reset(self, world_id: str) -> None:
        """Provision a world anew under its id."""
        self._do(world_id, ["reset"])

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> dict[str, Any]:
        """Change how a world behaves and return how it reads then; raises `BackendError` for what makes no sense."""
        read: dict[str, Any] = self._do(world_id, ["chaos", dict(chaos)])
        return read

    def restore(self, world_id: str, state: Mapping[str, Any]) -> None:
        """Put a world back; raises `BackendError` for what is no snapshot."""
        hosted = self.hosted(world_id)
        before = self.backend.snapshot_world(world_id)
        self.backend.restore_world(world_id, state)
        if self.backend.layout(world_id).name != hosted.definition.layout:
            self.backend.restore_world(world_id, before)
            raise BackendError(
                f"snapshot: expected a world of layout {hosted.definition.layout}, found another"
            )
        if hosted.journal is not None:
            self._written(
                world_id, hosted, lambda journal: journal.rewrite(self.backend.snapshot_world(world_id))
            )

    def fork(self, world_id: str) -> str:
        """Copy a world and return the copy's id."""
        self._room()
        definition = self.hosted(world_id).definition
        copy = Definition(**{**definition.state(), "ordinal": self._ordinal, "is_default": False})
        return self._keep(self.backend.fork_world(world_id), copy)

    def define(self, world_id: str, definition: Definition) -> None:
        """Define a world differently."""
        hosted = self.hosted(world_id)
        self._written(world_id, hosted, lambda journal: journal.define(definition.state()))
        self._hosted[world_id].definition = definition

    def close(self) -> None:
        """Close all files, each with a snapshot, so that another version of the simulator has nothing to replay."""
        for world_id, hosted in self._hosted.items():
            if hosted.journal is not None:
                if hosted.journal.since_snapshot:
                    with suppress(StoreError, BackendError):
                        hosted.journal.rewrite(self.backend.snapshot_world(world_id))
                hosted.journal.close()
        if self._directory is not None:
            self._directory.close()
        self.backend.close()

    def _called(self, world_id: str, entry: Entry, *, by_agent: bool) -> dict[str, Any]:
        hosted = self.hosted(world_id)
        step = self.backend.engine(world_id).board.step
        if by_agent or entry[1] != "GET":
            answer: dict[str, Any] = self._do(world_id, entry)
            hosted.actions.append(Action(step, entry[1], entry[2], answer["status"], by_agent))
        else:
            answer = applied(self.backend, world_id, entry)
        return answer

    def _do(self, world_id: str, entry: Entry) -> Any:
        hosted = self.hosted(world_id)
        try:
            answer = applied(self.backend, world_id, entry)
        except BackendError:
            raise
        except Exception:
            self._reload(world_id, hosted)
            raise
        self._written(world_id, hosted, lambda journal: journal.append(entry))
        if hosted.journal is not None and hosted.journal.since_snapshot >= SNAPSHOT_EVERY:
            # The operation is on the disk already: a snapshot that fails is tried again with the next one.
            with suppress(StoreError):
                hosted.journal.rewrite(self.backend.snapshot_world(world_id))
        return answer

    def _written(self, world_id: str, hosted: Hosted, write: Callable[[Journal], None]) -> None:
        """Write something down; where that fails the world becomes again what is on the disk."""
        if hosted.journal is None:
            return
        try:
            write(hosted.journal)
        except StoreError:
            self._reload(world_id, hosted)
            raise

    def _reload(self, world_id: str, hosted: Hosted) -> None:
        """Make a world what is on the disk, where there is one."""
        if hosted.journal is not None:
            self.backend.delete_world(world_id)
            self._load(world_id, hosted.journal)

    def _load_all(self) -> None:
        if self._directory is not None:
            for world_id in self._directory.world_ids():
                self._load(world_id, self._directory.open(world_id))
            self._hosted = dict(sorted(self._hosted.items(), key=lambda item: item[1].definition.ordinal))

    def _load(self, world_id: str, journal: Journal) -> None:
        try:
            definition, state, entries = journal.read()
            self.backend.adopt_world(world_id, state)
        except BackendError as error:
            journal.close()
            raise StoreError(f"{journal.path}: {error}") from error
        except StoreError:
            journal.close()
            raise
        self._hosted[world_id] = Hosted(Definition(**definition), journal)
        for entry in entries:
            applied(self.backend, world_id, entry)
        self._ordinal = max(self._ordinal, definition["ordinal"] + 1)

    def _keep(self, world_id: str, definition: Definition) -> str:
        journal = None
        if self._directory is not None:
            state = self.backend.snapshot_world(world_id)
            try:
                journal = self._directory.create(world_id, definition.state(), state)
            except StoreError:
                self.backend.delete_world(world_id)
                raise
        self._hosted[world_id] = Hosted(definition, journal)
        self._ordinal += 1
        return world_id

    def _room(self) -> None:
        if len(self._hosted) >= self._most:
            raise Refusal(429, f"expected at most {self._most} worlds, found that many; delete one")


def applied(backend: SimulatedBackend, world_id: str, entry: Entry) -> Any:
    """Do what an entry says in a world and return the answer; equal entries make equal worlds."""
    match entry:
        case ["act", method, path, body]:
            return backend.act(world_id, method=method, path=path, body=body)
        case ["perform", method, path, body]:
            return backend.perform(world_id, method=method, path=path, body=body)
        case ["advance"]:
            return backend.advance(world_id)
        case ["chaos", document]:
            return backend.set_chaos(world_id, document)
        case ["reset"]:
            return backend.reset_world(world_id)
    raise StoreError(f"world {world_id}: expected an operation, found {entry!r:.60}")
