"""The chaos document: the switches a deployment has, and the axes only a simulated world can be told."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation.axes import completed
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.ports.plain import EMPTY

_SWITCHES = {"processChaosEnabled": "process", "infraChaosEnabled": "infrastructure"}


@dataclass(frozen=True, slots=True)
class Chaos:
    """How a world behaves. `process` off means that nothing faults; `infrastructure` is kept for the wire alone.

    `kept` holds what else a deployment's chaos policy may say; it is read back and has no effect here.
    """

    layout: Layout
    process: bool = True
    infrastructure: bool = True
    axes: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    kept: Mapping[str, Any] = field(default_factory=lambda: EMPTY)

    def changed(self, document: Mapping[str, Any]) -> "Chaos":
        """Return the configuration after a write; raises `BackendError` for what makes no sense."""
        switches = {"process": self.process, "infrastructure": self.infrastructure}
        kept = dict(self.kept)
        for key, value in document.items():
            if key in _SWITCHES:
                if not isinstance(value, bool):
                    raise BackendError(f"chaos.{key}: expected true or false, found {value!r}")
                switches[_SWITCHES[key]] = value
            elif key != "simulation":
                kept[key] = deepcopy(value)
        axes = completed(self.layout, _axes(document))
        return Chaos(self.layout, switches["process"], switches["infrastructure"], axes, kept)

    def apply(self, world: World) -> None:
        """Make this configuration hold from the world's next step on."""
        world.configure(self.axes, faulting=self.process)

    def read(self, world: World) -> dict[str, Any]:
        """Return the document as a deployment would, with every axis and its value."""
        return {
            "enabled": self.process,
            "scenarios": [],
            **deepcopy(dict(self.kept)),
            "processChaosEnabled": self.process,
            "infraChaosEnabled": self.infrastructure,
            "simulation": {"seed": world.seed, "axes": deepcopy(world.axes)},
        }

    def state(self) -> dict[str, Any]:
        """Return the configuration as plain data."""
        return {
            "process": self.process,
            "infrastructure": self.infrastructure,
            "axes": deepcopy(dict(self.axes)),
            "kept": deepcopy(dict(self.kept)),
        }

    @classmethod
    def from_state(cls, layout: Layout, state: Mapping[str, Any]) -> "Chaos":
        """Return what `state` described; raises `BackendError` for anything else."""
        try:
            process, infrastructure = bool(state["process"]), bool(state["infrastructure"])
            axes, kept = completed(layout, state["axes"]), deepcopy(dict(state["kept"]))
        except (LookupError, TypeError, ValueError) as error:
            raise BackendError(f"snapshot: expected a chaos configuration: {error!r}") from error
        return cls(layout, process, infrastructure, axes, kept)


def _axes(document: Mapping[str, Any]) -> Mapping[str, Any]:
    simulation = document.get("simulation", EMPTY)
    if not isinstance(simulation, Mapping):
        raise BackendError(f"chaos.simulation: expected an object, found {simulation!r}")
    axes = simulation.get("axes", EMPTY)
    if not isinstance(axes, Mapping):
        raise BackendError(f"chaos.simulation.axes: expected an object, found {axes!r}")
    return axes
