"""One hosted world with what a backend keeps about it, and how it is stored as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError, StepSignals
from skyfall_crl.env.morpheus.simulation import snapshot
from skyfall_crl.env.morpheus.simulation.chaos import Chaos
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.operations import Operations, operations

_PARTS = ("world", "chaos", "records")


@dataclass(slots=True)
class Hosted:
    """A world, its entities and its configuration; `lock` is held by every call that touches it."""

    enterprise: Enterprise
    chaos: Chaos
    operations: Operations
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def begun(cls, world: World, chaos: Chaos, world_id: str = "") -> "Hosted":
        """Return a world that nothing was written into."""
        chaos.apply(world)
        return cls(Enterprise(world, world_id), chaos, operations(world.layout))

    @property
    def world(self) -> World:
        """The engine."""
        return self.enterprise.world

    def signals(self) -> StepSignals:
        """Return what the last step was worth."""
        world = self.world
        remediation, financial, throughput = world.signals()
        return StepSignals(
            signals={"remediation": remediation, "financial": financial, "throughput": throughput},
            world_time=world.board.step * world.layout.minutes_per_step,
            remedied=world.remedied,
            failed=world.failed,
        )

    def state(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "world": snapshot.take(self.world),
            "chaos": self.chaos.state(),
            "records": snapshot.take_records(self.enterprise),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], world_id: str = "") -> "Hosted":
        """Return the world that `state` described; raises `BackendError` for anything else."""
        if not all(part in state for part in _PARTS):
            found = ", ".join(map(str, state))
            raise BackendError(f"snapshot: expected {', '.join(_PARTS)}, found {found}; take it anew")
        world = snapshot.build(state["world"])
        enterprise = Enterprise(world, world_id)
        snapshot.give_records(enterprise, state["records"])
        return cls(enterprise, Chaos.from_state(world.layout, state["chaos"]), operations(world.layout))
