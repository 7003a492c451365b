"""Reference policies that look inside the world; they run on embedded worlds only and are never served."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gymnasium import spaces

from skyfall_crl.env.morpheus.references import insight
from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.references.spaces import require_actions
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView


class _InsightPolicy:
    """Asks the engine of each world it was attached to; world i of a batch is the i-th attached."""

    _choose: Callable[[QueueReader, World], int]

    def __init__(self, layout: str = "process-outbound") -> None:
        self._reader = QueueReader(layout_named(layout))
        self._environments: list[Any] = []

    def attach(self, environment: Any) -> None:
        """Take the environment of one more world; raises `PolicyError` unless that world is embedded."""
        backend = getattr(environment.unwrapped, "backend", None)
        if not isinstance(backend, SimulatedBackend):
            raise PolicyError(
                f"expected an embedded MORPHEUS world to look into, found {environment.unwrapped}"
            )
        self._environments.append(environment.unwrapped)

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Raise `PolicyError` unless actions are those of `scheduling-under-drift`."""
        require_actions(self._reader, action_space)

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision for each world; observations are not read."""
        if len(batch) != len(self._environments):
            raise PolicyError(
                f"expected a batch of the {len(self._environments)} attached worlds, found {len(batch)}"
            )
        choose = type(self)._choose
        return [
            Decision(choose(self._reader, environment.backend.engine(environment.world_id)))
            for environment in self._environments
        ]


class Sighted(_InsightPolicy):
    """Sees every cause and mends what has the largest value to go."""

    _choose = staticmethod(insight.sighted)


class Informed(_InsightPolicy):
    """Knows the configuration, not the causes, and works by the index rule."""

    _choose = staticmethod(insight.informed)
