"""A Gymnasium environment over a MORPHEUS world: it persists, and its incidents are what an agent works on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium

from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.observation import ObservationProjector
from skyfall_crl.env.morpheus.ports import (
    BackendError,
    BoardBackend,
    MorpheusBackend,
    SignallingBackend,
    SnapshotBackend,
)
from skyfall_crl.env.morpheus.shifted_world import ShiftedWorld
from skyfall_crl.env.morpheus.views.tool_call import ToolCallTaskView, tool_call_space
from skyfall_crl.env.morpheus.world_action import WorldActions
from skyfall_crl.env.morpheus.world_lease import WorldLease
from skyfall_crl.env.morpheus.world_reading import WorldReading, with_verified
from skyfall_crl.env.morpheus.world_regime import WorldRegime
from skyfall_crl.env.morpheus.world_scoring import INFO_ECONOMICS, WorldScoring
from skyfall_crl.env.morpheus.world_senses import Sensed, WorldSenses
from skyfall_crl.env.morpheus.world_snapshots import WorldSnapshots
from skyfall_crl.ports.environment import (
    INFO_ACTION_MASK,
    INFO_OUTCOME,
    INFO_REGIME_READ_BACK,
    INFO_WORLD_TIME,
)
from skyfall_crl.ports.fields import whole
from skyfall_crl.ports.snapshot import Snapshot
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.regime import Regime, RegimeProvider
from skyfall_crl.reward import RewardSpec

DEFAULT_LAYOUT = "process-outbound"
DEFAULT_MAX_STEPS = 100


class MorpheusEnv(ShiftedWorld):
    """Drives one world of a backend through reset and step.

    `backend`: anything that keeps `MorpheusBackend`. `layout`: what to provision on the first reset; with
    `world_id` the environment is a guest in that world instead, and never rebuilds or deletes it.
    `max_steps`: every so many steps since the last reset or truncation `truncated` is set, and stepping goes
    on; a world has no terminal state. `task_view` decides actions and observations (default: the whole tool
    surface), `action_scope` what may be called, `reward_spec` what a step earns; without one the spec the world
    itself carries, where the backend can say, and else 0. `regime` is a provider the environment follows by
    itself; leave it out when a session owns the regime. `seed` provisions the world where `reset` is given
    none. `delete_on_close` disposes of an owned world, `close_backend` closes the backend with the environment.

    A step over a network waits twice: for the action, then for everything that is read, at once. Reading a
    regime back just before the next one is pushed waits once more.
    `snapshot`, `restore`, `fork`, `commit` and `digest` exist exactly when the backend can store worlds,
    `announce_regime` exactly when it is not in this process.
    Raises `ConfigError` for arguments that can't work and `EnvironmentFailure` when the backend fails outside
    an action.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own annotation)

    snapshot: Callable[[], Snapshot]
    restore: Callable[[Snapshot], tuple[Any, dict[str, Any]]]
    fork: Callable[[], "MorpheusEnv"]
    commit: Callable[[gymnasium.Env[Any, Any]], None]
    digest: Callable[[], str]
    announce_regime: Callable[[Regime, float | None], None]

    def __init__(
        self,
        backend: MorpheusBackend,
        *,
        layout: str = DEFAULT_LAYOUT,
        max_steps: int = DEFAULT_MAX_STEPS,
        delete_on_close: bool = False,
        world_id: str | None = None,
        task_view: TaskView | None = None,
        reward_spec: RewardSpec | None = None,
        action_scope: ActionScope | None = None,
        regime: RegimeProvider | None = None,
        world_name: str = "skyfall-crl",
        seed: int | None = None,
        close_backend: bool = True,
    ) -> None:
        whole("max_steps", max_steps, 1)
        self.backend = backend
        self.layout = layout
        self.max_steps = max_steps
        self.task_view = ToolCallTaskView() if task_view is None else task_view
        self.metadata = {"render_modes": [], "in_process": isinstance(backend, BoardBackend)}
        self.projector = ObservationProjector()
        actions, features = self.task_view.action_space, self.task_view.observation_space
        self.action_space = tool_call_space() if actions is None else actions
        self.observation_space = self.projector.space if features is None else features
        self.lease = WorldLease(backend, layout, world_name, world_id, delete_on_close)
        self.regime = WorldRegime(
            layout,
            reward_spec,
            regime,
            deployed=not isinstance(backend, (BoardBackend, SignallingBackend)),
        )
        self.actions = WorldActions(backend, self.task_view, action_scope or ActionScope())
        self.scoring = WorldScoring(backend, layout)
        self.scoring.begin(reward_spec)
        self.steps = self.steps_since_boundary = 0
        self.reading: WorldReading | None = None
        self._default_seed = seed
        self._close_backend = close_backend
        self._given_spec = reward_spec
        self._encodes = features is not None
        self._signalling = backend if isinstance(backend, SignallingBackend) else None
        self._senses = None if self.metadata["in_process"] else WorldSenses(backend)
        self._install()

    def _install(self) -> None:
        """Give the environment the methods that only some backends make possible."""
        if self._senses is not None:
            self.announce_regime = self.regime.announce
        if isinstance(self.backend, SnapshotBackend):
            WorldSnapshots(self, self.backend).install()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start counting anew, provisioning a world the first time; the world itself goes on.

        `options={"reprovision": True}` destroys an owned world and builds another. Equal seeds then give
        equal worlds where the backend is seeded. `info` holds `world_time` and, where the view has one,
        `action_mask`.
        """
        super().reset(seed=seed)
        chosen = self._default_seed if seed is None else seed
        if options is not None and options.get("reprovision"):
            self._enter(self.lease.rebuild(chosen))
        elif self.lease.world_id is None:
            self._enter(self.lease.provision(chosen))
        elif self.reading is None:
            self.attach()
        self.steps_since_boundary = 0
        observation, _, info = self.show(None)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one action; the world moves one step whatever becomes of it.

        `info` holds `outcome` (an `ActionOutcome`), `world_time` (simulated minutes, None where nobody says),
        and as they apply `reward_terms`, `reward_missing`, `reward_tainted` (fields counted at their value
        before the agent wrote them), `economics`, `action_mask`, `regime_read_back` and the labels of a regime
        the environment keeps itself.
        """
        reading = self.open_world()
        if self.regime.provider is not None:
            self.regime.follow(self.backend, reading.world_id, self.steps)
        outcome = self.actions.take(action, reading)
        self.steps += 1
        self.steps_since_boundary += 1
        truncated = self.steps_since_boundary >= self.max_steps
        if truncated:
            self.steps_since_boundary = 0
        if self._senses is not None:
            self.regime.foresee(self.steps)
        observation, reward, info = self.show(outcome, self.actions.claimed)
        return observation, reward, False, truncated, info

    def show(
        self, outcome: ActionOutcome | None, claimed: Sequence[str] = ()
    ) -> tuple[Any, float, dict[str, Any]]:
        """Return observation, reward and info of the world as it stands after `outcome`, None after a reset.

        `claimed` are the tickets to put to the verifier, where the step's signals don't tell.
        """
        reading = self.open_world()
        sensed = self._look(reading.world_id, claimed)
        if outcome is not None and sensed.verified:
            outcome = with_verified(outcome, sensed.verified)
        outcome = reading.renew(outcome, sensed.signals)
        info: dict[str, Any] = {INFO_WORLD_TIME: reading.world_time}
        if self._senses is not None:
            self._take_in(reading, sensed, info)
        reward = 0.0
        spec = self.regime.scoring
        if outcome is not None:
            info[INFO_OUTCOME] = outcome
            if spec is not None:
                reward = self.scoring.score(spec, sensed, self.actions, self.steps, info)
        elif self._senses is not None:
            self.scoring.look_around(sensed, self.steps)
        if self.regime.position is not None:
            info.update(self.regime.labels())
        mask = self.task_view.mask(reading)
        if mask is not None:
            info[INFO_ACTION_MASK] = mask
        return self._observation(reading), reward, info

    def _look(self, world_id: str, claimed: Sequence[str]) -> Sensed:
        if self._senses is not None:
            economic = self.scoring.reads_economics or not self._encodes
            written = self.open_world().tickets_written
            return self._senses.look(
                world_id, claimed, self.regime, economic=economic, tickets_written=written
            )
        if self._signalling is None:
            return Sensed(None)
        try:
            return Sensed(self._signalling.step_signals(world_id))
        except BackendError:
            return Sensed(None)

    def _take_in(self, reading: WorldReading, sensed: Sensed, info: dict[str, Any]) -> None:
        """Hand on what only a look over a network brings."""
        reading.receive(sensed.response, sensed.economics)
        if sensed.economics is not None:
            info[INFO_ECONOMICS] = sensed.economics.to_row()
        if self.regime.read_back is not None:
            info[INFO_REGIME_READ_BACK] = self.regime.read_back

    def close(self) -> None:
        """Release the world, and the backend unless it is shared; a world of somebody else is left as it is."""
        self.reading = None
        self.actions.close()
        if self._senses is not None:
            self._senses.close()
        self.lease.release()
        if self._close_backend:
            self.backend.close()

    def attach(self) -> WorldReading:
        """Start working in the world of the lease as it stands, under the spec given or else its own."""
        world_id = self.lease.world_id
        assert world_id is not None
        if self._given_spec is None:
            self.regime.settle(self.scoring.begin_inline(world_id))
        else:
            self.scoring.begin(self._given_spec)
        if self._senses is not None:
            self._senses.begin()
        self.reading = WorldReading(self.backend, world_id)
        return self.reading

    def _enter(self, world_id: str) -> None:
        """Start in a world that was just provisioned."""
        self.attach()
        self.steps = 0
        self.task_view.forget()
        self.projector.texts.forget()
        self.regime.renew(self.backend, world_id)

    def _observation(self, reading: WorldReading) -> Any:
        if self._encodes:
            return self.task_view.encode(reading)
        return self.projector.observe(reading)
