"""Snapshot, restore, fork, commit and digest of an environment whose backend can store worlds."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium

from skyfall_crl.env.morpheus.ports import BackendError, SnapshotBackend
from skyfall_crl.ports.errors import CheckpointError, EnvironmentFailure
from skyfall_crl.ports.snapshot import Snapshot
from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.regime import Regime

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv

KIND = "morpheus/world"
VERSION = 1


class WorldSnapshots:
    """The methods of `Snapshottable` for one environment; `install` gives them to it."""

    def __init__(self, env: "MorpheusEnv", backend: SnapshotBackend) -> None:
        self._env = env
        self._backend = backend

    def install(self) -> None:
        """Make the methods attributes of the environment, so that one whose backend can't has none of them."""
        env = self._env
        env.snapshot, env.restore, env.fork = self.snapshot, self.restore, self.fork
        env.commit, env.digest = self.commit, self.digest

    def snapshot(self) -> Snapshot:
        """Return the world, the environment's counters, and what the task view remembers."""
        world_id = self._env.open_world().world_id
        state = {"world": self._backend.snapshot_world(world_id), "environment": self._own_state()}
        return Snapshot(KIND, VERSION, state)

    def restore(self, snapshot: Snapshot) -> tuple[Any, dict[str, Any]]:
        """Put the world back, provisioning one first where there is none, and return observation and info.

        Raises `CheckpointError` for what another kind of environment or another version wrote.
        """
        if (snapshot.kind, snapshot.version) != (KIND, VERSION):
            raise CheckpointError(
                f"restore: expected a snapshot {KIND} version {VERSION}, "
                f"found {snapshot.kind} version {snapshot.version}"
            )
        env, own = self._env, snapshot.state["environment"]
        if own["layout"] != env.layout:
            raise CheckpointError(f"restore: expected a world of layout {env.layout}, found {own['layout']}")
        if env.reading is None:
            env.reset(seed=own["seed"])
        world_id = env.open_world().world_id
        try:
            self._backend.restore_world(world_id, snapshot.state["world"])
        except BackendError as error:
            raise CheckpointError(f"restore: {error}") from error
        self._take_over(own)
        env.lease.seed = own["seed"]
        observation, _, info = env.show(_outcome(own["outcome"]))
        return observation, info

    def fork(self) -> "MorpheusEnv":
        """Return an environment over a copy of the world, which it owns and deletes when it is closed."""
        env = self._env
        forked = type(env)(
            env.backend,
            layout=env.layout,
            max_steps=env.max_steps,
            delete_on_close=True,
            world_id=self._backend.fork_world(env.open_world().world_id),
            task_view=copy.copy(env.task_view),
            reward_spec=env.reward_spec,
            action_scope=env.actions.scope,
            regime=env.regime.provider,
            close_backend=False,
        )
        forked.lease.owned, forked.lease.seed = True, env.lease.seed
        forked.attach()
        _snapshots(forked)._take_over(self._own_state())
        forked.show(env.open_world().outcome)
        return forked

    def commit(self, fork: gymnasium.Env[Any, Any]) -> None:
        """Take over the state a fork has reached; raises `EnvironmentFailure` for a fork of another backend."""
        env, other = self._env, fork.unwrapped
        if not isinstance(other, type(env)) or other.backend is not env.backend:
            raise EnvironmentFailure(
                f"commit: expected a fork over the same backend, found {type(other).__name__}; "
                "fork and commit belong to one environment"
            )
        source = other.open_world()
        self._backend.commit_world(env.open_world().world_id, source.world_id)
        self._take_over(_snapshots(other)._own_state())
        env.show(source.outcome)

    def digest(self) -> str:
        """Return the digest of the world."""
        return self._backend.digest_world(self._env.open_world().world_id)

    def _own_state(self) -> dict[str, Any]:
        env = self._env
        outcome, regime = env.open_world().outcome, env.regime
        return {
            "seed": env.lease.seed,
            "steps": env.steps,
            "steps_since_boundary": env.steps_since_boundary,
            "outcome": None if outcome is None else outcome.to_row(),
            "layout": env.layout,
            "regime": None if regime.current is None else _regime_state(regime.current),
            "progress": regime.progress,
            "view": env.task_view.memory(),
        }

    def _take_over(self, own: Mapping[str, Any]) -> None:
        env = self._env
        env.projector.texts.forget()
        env.steps, env.steps_since_boundary = own["steps"], own["steps_since_boundary"]
        regime = None if own["regime"] is None else Regime(**own["regime"])
        env.regime.adopt(regime, own["progress"], own["steps"])
        if own["view"] is None:
            env.task_view.forget()
        else:
            env.task_view.remember(own["view"])


def _snapshots(env: "MorpheusEnv") -> WorldSnapshots:
    assert isinstance(env.backend, SnapshotBackend)
    return WorldSnapshots(env, env.backend)


def _regime_state(regime: Regime) -> dict[str, Any]:
    """Return a regime with the axes that the mapping form of an alias leaves out."""
    return {
        "regime_id": regime.regime_id,
        "duration_steps": regime.duration_steps,
        "alias_of": regime.alias_of,
        "axes": dict(regime.axes),
    }


def _outcome(row: Mapping[str, Any] | None) -> ActionOutcome | None:
    if row is None:
        return None
    lists = {name: tuple(row[name]) for name in ("tickets", "verified") if name in row}
    return ActionOutcome(**{**row, **lists})
