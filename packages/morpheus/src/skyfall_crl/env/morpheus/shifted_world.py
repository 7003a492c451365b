"""The side of a MORPHEUS environment that a run talks to: what it reports of itself, and how it is shifted."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium

from skyfall_crl.env.morpheus.ports import MorpheusBackend, SignallingBackend, SnapshotBackend
from skyfall_crl.env.morpheus.reward_specs import PAPER, REWARD_SIGNALS
from skyfall_crl.env.morpheus.world_action import WorldActions
from skyfall_crl.env.morpheus.world_lease import WorldLease
from skyfall_crl.env.morpheus.world_reading import WorldReading
from skyfall_crl.env.morpheus.world_regime import WorldRegime
from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.errors import EnvironmentFailure
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.regime import Regime
from skyfall_crl.reward import RewardSpec


class ShiftedWorld(gymnasium.Env[Any, Any]):
    """An environment over one world of a backend, as far as it is not stepped."""

    backend: MorpheusBackend
    layout: str
    max_steps: int
    task_view: TaskView
    lease: WorldLease
    regime: WorldRegime
    actions: WorldActions
    reading: WorldReading | None

    @property
    def world_id(self) -> str | None:
        """The world this environment works in; None before the first reset."""
        return self.lease.world_id

    @property
    def owns_world(self) -> bool:
        """Whether this environment created the world, and may therefore dispose of it."""
        return self.lease.owned

    @property
    def reattach(self) -> Mapping[str, Any]:
        """The factory arguments that lead to the same world again.

        Offered where the world outlives this process and can't be put back; elsewhere an `AttributeError`.
        """
        if self.metadata["in_process"] or isinstance(self.backend, SnapshotBackend):
            raise AttributeError("reattach: this world ends with the process, or is put back from snapshots")
        return {"world_id": self.world_id}

    @property
    def reward_spec(self) -> RewardSpec | None:
        """The spec that scores steps: the one given, else the world's own once there is a world.

        A regime's weights are laid over a copy.
        """
        return self.regime.spec

    @property
    def reward_signals(self) -> Sequence[str]:
        """The signals given each step."""
        return REWARD_SIGNALS

    @property
    def signals_from(self) -> str:
        """`backend` where the world keeps a book of obligations, else `wire`: flows between reads."""
        return "backend" if isinstance(self.backend, SignallingBackend) else "wire"

    @property
    def regime_id(self) -> str | None:
        """The active configuration's id, for logs; policies are not told."""
        return None if self.regime.current is None else self.regime.current.regime_id

    @property
    def regime_axes(self) -> tuple[str, ...]:
        """The axes this world can be told."""
        return self.regime.axes

    @property
    def regime_owner(self) -> str:
        """`environment` when it was built with a provider of its own, else `session`."""
        return "session" if self.regime.provider is None else "environment"

    def apply_regime(self, regime: Regime, progress: float | None) -> Applied:
        """Make a configuration current and read it back; it holds from the next step on."""
        return self.regime.apply(self.backend, self.open_world().world_id, regime, progress)

    def references(self, regime: Regime) -> Mapping[str, float]:
        """Return known mean rewards a step under a regime, by reference policy; empty where none were measured.

        Levels belong to the embedded world and the spec `paper`.
        """
        from skyfall_crl.env.morpheus.references import levels

        embedded = self.metadata["in_process"] and self.regime.spec == PAPER
        return levels(self.layout, regime.axes) if embedded else {}

    def describe(self) -> Mapping[str, Any]:
        """Return what this run is configured with, as plain data.

        `signals_from` is `backend` where the world keeps a book of obligations, else `wire`; `seed` is null
        where nobody chose one.
        """
        scope = self.actions.scope
        names = self.task_view.action_names
        return {
            "environment": "morpheus",
            "backend": type(self.backend).__name__,
            "in_process": self.metadata["in_process"],
            "layout": self.layout,
            "world_id": self.world_id,
            "owns_world": self.owns_world,
            "seed": self.lease.seed,
            "max_steps": self.max_steps,
            "task_view": type(self.task_view).__name__,
            "actions": None if names is None else list(names),
            "reward_spec": None if self.reward_spec is None else self.reward_spec.name,
            "signals_from": self.signals_from,
            "scope": {
                "domains": list(scope.domains),
                "methods": list(scope.methods),
                "limits": scope.limits.to_mapping(),
                "audited": scope.audit is not None,
            },
            "regime_axes": list(self.regime_axes),
            "regime_owner": self.regime_owner,
        }

    def open_world(self) -> WorldReading:
        """Return the reading of the current world; raises `EnvironmentFailure` before the first reset."""
        if self.reading is None:
            raise EnvironmentFailure("expected a world to step, found none; call reset first")
        return self.reading
