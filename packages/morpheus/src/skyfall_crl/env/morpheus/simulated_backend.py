"""The backend of embedded worlds: the engine behind the protocol a deployment is driven through, in process."""

from collections.abc import Callable, Mapping
from secrets import randbits
from threading import Lock
from typing import Any
from urllib.parse import urlencode

from skyfall_crl.env.morpheus.ports import BackendError, StepSignals, TicketBoard
from skyfall_crl.env.morpheus.simulation import snapshot
from skyfall_crl.env.morpheus.simulation.chaos import Chaos
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.hosted import Hosted
from skyfall_crl.env.morpheus.simulation.identifiers import world_id as identify
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.simulation.operations import Operations
from skyfall_crl.env.morpheus.simulation.services import itsm
from skyfall_crl.env.morpheus.simulation.verification import verify_entity, verify_ticket
from skyfall_crl.ports.errors import ConfigError

Perform = Callable[[Operations, Enterprise, str, str, Mapping[str, Any] | None], dict[str, Any]]


class SimulatedBackend:
    """Any number of embedded worlds in this process.

    Calls on one world are serialised, calls on different worlds run side by side. A seed that isn't given is drawn
    from the system; equal seeds, axes and calls give equal worlds.
    """

    def __init__(self) -> None:
        self._worlds: dict[str, Hosted] = {}
        self._lock = Lock()

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
        """Provision a world and return its id; time moves by calls alone, whatever `real_hours_per_sim_day` says."""
        try:
            known = layout_named(layout)
        except ConfigError as error:
            raise BackendError(str(error)) from error
        chosen = randbits(63) if seed is None else int(seed)
        chaos = Chaos(known, process=process_chaos, infrastructure=infrastructure_chaos)
        return self._host(Hosted.begun(World(known, chosen), chaos))

    def delete_world(self, world_id: str) -> None:
        """Delete a world; its id is free again."""
        with self._lock:
            if self._worlds.pop(world_id, None) is None:
                raise _unknown(world_id)

    def reset_world(self, world_id: str) -> None:
        """Destroy a world and provision it anew from its seed, under the same id and chaos configuration."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            world = World(hosted.world.layout, hosted.world.seed)
            hosted.enterprise = Hosted.begun(world, hosted.chaos, world_id).enterprise

    def get_tasks(self, world_id: str, *, status: str | None = None) -> dict[str, Any]:
        """Return tickets in the wire's envelope, all of them on one page, in the order they were opened."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            items = itsm.everything(hosted.enterprise, status)
        page = {
            "items": items,
            "totalCount": len(items),
            "limit": len(items),
            "hasMore": False,
            "nextCursor": None,
        }
        return {"success": True, "status": 200, "data": page}

    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Read domain data without advancing the world; raises `BackendError` where there is nothing to read."""
        hosted = self._hosted(world_id)
        if params:
            path = f"{path}?{urlencode(params, doseq=True)}"
        with hosted.lock:
            answer = hosted.operations.perform(hosted.enterprise, "GET", path)
        if not answer["success"]:
            raise BackendError(
                f"GET {path}: expected 200, found {answer['status']}: {answer['error']}",
                status=answer["status"],
            )
        return answer

    def get_action_space(
        self,
        world_id: str,
        service: str | None = None,
        *,
        action: str | None = None,
        method: str | None = None,
    ) -> dict[str, Any]:
        """Describe the operations of a service, or of all; `action` is a sub-resource such as `inbound-order`."""
        return self._hosted(world_id).operations.describe(service, action, method)

    def act(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run one call of the agent, then move the world one step, also when the call is refused."""
        return self._acted(world_id, Operations.perform, method, path, body)

    def act_briefly(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Do what `act` does for a caller who reads no more of the answer to a write than whether it succeeded."""
        return self._acted(world_id, Operations.perform_briefly, method, path, body)

    def _acted(
        self, world_id: str, perform: Perform, method: str, path: str, body: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        hosted = self._worlds.get(world_id)
        if hosted is None:
            return {"success": False, "status": 404, "error": f"no world {world_id}"}
        with hosted.lock:
            world = hosted.world
            world.begin()
            answer = perform(hosted.operations, hosted.enterprise, method, path, body)
            world.advance()
        return answer

    def advance(self, world_id: str) -> None:
        """Move the world one step with nothing done in it."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            hosted.world.begin()
            hosted.world.advance()

    def perform(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run one operation and leave the clock alone, as a caller beside the agent does."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            return hosted.operations.perform(hosted.enterprise, method, path, body)

    def chaos_document(self, world_id: str) -> dict[str, Any]:
        """Return the chaos configuration as it reads now."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            return hosted.chaos.read(hosted.world)

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> dict[str, Any]:
        """Set switches and axes for the coming steps and return the configuration as it then reads.

        Axes are `chaos["simulation"]["axes"]`; those absent return to the layout's defaults, switches absent stay.
        """
        hosted = self._hosted(world_id)
        with hosted.lock:
            changed = hosted.chaos.changed(chaos)
            changed.apply(hosted.world)
            hosted.chaos = changed
            return changed.read(hosted.world)

    def verify(self, world_id: str, ticket_id: str) -> dict[str, Any]:
        """Tell whether a ticket's fault is mended, by the book; raises `BackendError` for one nobody knows."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            fault = hosted.world.fault_of(ticket_id)
            if fault is None:
                raise BackendError(f"verify: expected a ticket of world {world_id}, found {ticket_id!r}")
            return verify_ticket(hosted.enterprise, fault)

    def verify_entity(self, world_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Tell whether an entity's order is held by a fault; raises `BackendError` for an entity nobody knows.

        `body` names `odId`, `entityId` and `entityType` as the wire does.
        """
        hosted = self._hosted(world_id)
        with hosted.lock:
            return verify_entity(hosted.enterprise, body)

    def step_signals(self, world_id: str) -> StepSignals:
        """Return what the last step was worth."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            return hosted.signals()

    def ticket_board(self, world_id: str) -> TicketBoard:
        """Return the engine's own queues; valid until the next call that changes the world."""
        return self._hosted(world_id).world.board

    def snapshot_world(self, world_id: str) -> dict[str, Any]:
        """Return the world as plain data that `restore_world` takes on any backend."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            return hosted.state()

    def restore_world(self, world_id: str, state: Mapping[str, Any]) -> None:
        """Put a world back; raises `BackendError` for anything else than a snapshot and leaves it as it was."""
        hosted = self._hosted(world_id)
        restored = Hosted.from_state(state, world_id)
        with hosted.lock:
            hosted.enterprise, hosted.chaos = restored.enterprise, restored.chaos
            hosted.operations = restored.operations

    def adopt_world(self, world_id: str, state: Mapping[str, Any]) -> None:
        """Host a world that was stored elsewhere under the id it had; raises `BackendError` where that is taken."""
        restored = Hosted.from_state(state, world_id)
        with self._lock:
            if world_id in self._worlds:
                raise BackendError(f"expected an id that is free, found a world {world_id}")
            self._worlds[world_id] = restored

    def fork_world(self, world_id: str) -> str:
        """Copy a world and return the copy's id."""
        return self._host(Hosted.from_state(self.snapshot_world(world_id)))

    def commit_world(self, world_id: str, fork_id: str) -> None:
        """Let a world take over what its fork has become; the fork lives on."""
        self.restore_world(world_id, self.snapshot_world(fork_id))

    def digest_world(self, world_id: str) -> str:
        """Return a digest that is equal exactly when two worlds are, whatever their ids."""
        hosted = self._hosted(world_id)
        with hosted.lock:
            return snapshot.digest_whole(hosted.enterprise)

    def layout(self, world_id: str) -> Layout:
        """Return the layout a world was built from."""
        return self._hosted(world_id).world.layout

    def engine(self, world_id: str) -> World:
        """Return the engine of a world, causes included: for reference policies and tests, never for agents."""
        return self._hosted(world_id).world

    def close(self) -> None:
        """Drop every world."""
        with self._lock:
            self._worlds.clear()

    def _hosted(self, world_id: str) -> Hosted:
        hosted = self._worlds.get(world_id)
        if hosted is None:
            raise _unknown(world_id)
        return hosted

    def _host(self, hosted: Hosted) -> str:
        with self._lock:
            ordinal = 0
            while (free := identify(hosted.world.seed, ordinal)) in self._worlds:
                ordinal += 1
            hosted.enterprise.world_id = free
            self._worlds[free] = hosted
            return free


def _unknown(world_id: str) -> BackendError:
    return BackendError(f"expected the id of a world of this backend, found {world_id!r}")
