"""The session: regime clock, rows and counters of a run; it never calls a policy."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import gymnasium

from skyfall_crl.ports.environment import attribute
from skyfall_crl.ports.errors import EnvironmentFailure
from skyfall_crl.ports.fanout import FanOut, WorldFailure, attempt
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.snapshot import Snapshot
from skyfall_crl.regime import RegimePosition
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.clock import RegimeClock, Shift, WorldClock
from skyfall_crl.train.notification import NotifiedEnvironment
from skyfall_crl.train.rows import (
    ROW_VERSION,
    outcome_field,
    plain_action,
    regime_fields,
    reported_fields,
    reward_fields,
    shift_row,
)

Environment = gymnasium.Env[Any, Any]
Phase = Literal["train", "eval", "serve", "harness"]


@dataclass(slots=True)
class Start:
    """Where a world stands before its next action."""

    world: str
    observation: Any
    info: Mapping[str, Any]


@dataclass(slots=True)
class Step:
    """One action of one world and its row; `reward` is None where none was usable.

    `final_observation` is what an episode ended with, where the world was then reset; `ended` says why the world
    takes no more actions.
    """

    observation: Any
    reward: float | None
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]
    row: dict[str, Any] | None
    final_observation: Any = None
    ended: str | None = None


@dataclass(slots=True)
class _World:
    name: str
    lock: threading.Lock
    clock: WorldClock
    step: int = 0
    episode: int = 0
    ended: str | None = None
    last: Start | None = None


@dataclass(slots=True)
class _Taken:
    """What the job of one world brings back from the fan-out."""

    shifts: tuple[Shift, ...]
    stepped: bool
    observation: Any = None
    reward: Any = None
    terminated: bool = False
    truncated: bool = False
    info: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    reset: tuple[Any, Mapping[str, Any]] | None = None


class Session:
    """One run's worlds, stepped one action a row.

    `step` may be called from one thread a world at the same time; `step_all` takes one action for every world.
    With `auto_reset` an ended episode is reset at once; without it a `persistent` world steps on after truncation,
    and any other end finishes that world.
    `policy_version` goes into the rows and is raised by whoever updates a policy.
    """

    def __init__(
        self,
        fanout: FanOut,
        clock: RegimeClock,
        trace: TraceWriter,
        *,
        seeds: Sequence[int],
        auto_reset: bool,
        persistent: bool,
        on_mismatch: Literal["stop", "record"] = "stop",
        phase: Phase = "train",
        names: Sequence[str] | None = None,
        on_shift: Callable[[Mapping[str, Any]], None] | None = None,
        on_row: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.policy_version = 0
        self._fanout, self._clock, self._trace = fanout, clock, trace
        self._seeds, self._auto_reset, self._on_mismatch, self._phase = seeds, auto_reset, on_mismatch, phase
        self._persistent, self._on_shift, self._on_row = persistent, on_shift, on_row
        chosen = names or [f"w{number}" for number in range(len(fanout.environments))]
        self._worlds = [_World(name, threading.Lock(), WorldClock()) for name in chosen]
        self._lock = threading.Lock()
        self._started = time.perf_counter()

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of the worlds, in order."""
        return tuple(world.name for world in self._worlds)

    @property
    def running(self) -> bool:
        """Whether any world still takes actions."""
        return any(world.ended is None for world in self._worlds)

    def open(self) -> list[Start]:
        """Reset every world once and return where each starts; raises `EnvironmentFailure` when one can't."""

        def reset(number: int, env: Environment) -> tuple[Any, Mapping[str, Any]]:
            self._clock.notify(env, 0)
            return env.reset(seed=self._seeds[number])

        starts = []
        for world, outcome in zip(self._worlds, self._fanout.run(reset), strict=True):
            if isinstance(outcome, WorldFailure):
                raise EnvironmentFailure(
                    f"{world.name}: reset raised {type(outcome.error).__name__}: {outcome.error}"
                ) from outcome.error
            world.last = Start(world.name, *outcome)
            starts.append(world.last)
        return starts

    def adopt(self, starts: Sequence[Start]) -> list[Start]:
        """Go on in worlds that stand where `starts` say, without a reset."""
        for world, start in zip(self._worlds, starts, strict=True):
            world.last = Start(world.name, start.observation, start.info)
        return [world.last for world in self._worlds if world.last is not None]

    @property
    def starts(self) -> list[Start]:
        """Where every world stands before its next action."""
        return [world.last for world in self._worlds if world.last is not None]

    def step(self, world: int, action: Any, *, note: Mapping[str, Any] = EMPTY) -> Step:
        """Take one action in one world."""
        state = self._worlds[world]
        with state.lock:
            if state.ended is not None:
                return self._stopped(state)
            positions = self._positions(state)
            env = self._fanout.environments[world]
            taken = attempt(lambda _, e: self._take(state, e, action, positions), world, env)
            return self._record(state, action, note, positions[0], taken)

    def step_all(
        self, actions: Sequence[Any], notes: Sequence[Mapping[str, Any]] | None = None
    ) -> list[Step]:
        """Take one action in every world, in one fan-out; the rows are those `step` would write, in world order."""
        live = [number for number, world in enumerate(self._worlds) if world.ended is None]
        positions = [self._positions(world) for world in self._worlds]

        def take(number: int, env: Environment) -> _Taken:
            return self._take(self._worlds[number], env, actions[number], positions[number])

        taken = dict(zip(live, self._fanout.run(take, live), strict=True))
        steps = []
        for number, world in enumerate(self._worlds):
            if number in taken:
                note = notes[number] if notes is not None else EMPTY
                steps.append(self._record(world, actions[number], note, positions[number][0], taken[number]))
            else:
                steps.append(self._stopped(world))
        return steps

    def close(self, status: str) -> None:
        """Write how the run ended and flush the trace to disk."""
        with self._lock:
            counts = {world.name: world.step for world in self._worlds}
            self._trace.write(
                {"v": ROW_VERSION, "kind": "note", "note": "closed", "status": status, "steps": counts}
            )
            self._trace.sync()

    def snapshot(self) -> dict[str, Any]:
        """Return counters and worlds as plain data; every environment must be snapshottable."""
        worlds = []
        for world, env in zip(self._worlds, self._fanout.environments, strict=True):
            taken: Snapshot = attribute(env, "snapshot", None)()
            worlds.append(
                {
                    "name": world.name,
                    "step": world.step,
                    "episode": world.episode,
                    "ended": world.ended,
                    "snapshot": {"kind": taken.kind, "version": taken.version, "state": taken.state},
                }
            )
        return {"policy_version": self.policy_version, "worlds": worlds}

    def restore(self, state: Mapping[str, Any]) -> list[Start]:
        """Put counters and worlds back and return where each stands."""
        self.policy_version = state["policy_version"]
        starts = []
        for number, stored in enumerate(state["worlds"]):
            world, env = self._worlds[number], self._fanout.environments[number]
            world.step, world.episode, world.ended = stored["step"], stored["episode"], stored["ended"]
            world.clock = WorldClock(self._clock.at(world.step - 1) if world.step else None)
            self._clock.notify(env, world.step)
            observation, info = attribute(env, "restore", None)(Snapshot(**stored["snapshot"]))
            if isinstance(env, NotifiedEnvironment):
                observation = env.observe(observation)
            world.last = Start(world.name, observation, info)
            starts.append(world.last)
        return starts

    def _positions(self, world: _World) -> tuple[RegimePosition | None, RegimePosition | None]:
        """Return the regime of this action and of the next; None where the environment keeps its own."""
        if not self._clock.owned_by_session:
            return None, None
        with self._lock:
            return self._clock.at(world.step), self._clock.at(world.step + 1)

    def _take(
        self,
        world: _World,
        env: Environment,
        action: Any,
        positions: tuple[RegimePosition | None, RegimePosition | None],
    ) -> _Taken:
        shifts: tuple[Shift, ...] = ()
        current, upcoming = positions
        if current is not None and upcoming is not None:
            prepared = self._clock.prepare(world.clock, current, env)
            if prepared is not None:
                shifts = (prepared,)
                if prepared.problem is not None and self._on_mismatch == "stop":
                    return _Taken(shifts, stepped=False)
            if upcoming is not current:
                announced = self._clock.announce(world.clock, upcoming, env)
                shifts = shifts if announced is None else (*shifts, announced)
            self._clock.notify(env, world.step + 1)
        observation, reward, terminated, truncated, info = env.step(action)
        if world.clock.unconfirmed is not None:
            confirmed = self._clock.confirm(world.clock, info)
            shifts = shifts if confirmed is None else (*shifts, confirmed)
        reset = env.reset() if self._auto_reset and (terminated or truncated) else None
        return _Taken(shifts, True, observation, reward, bool(terminated), bool(truncated), info, reset)

    def _record(
        self,
        world: _World,
        action: Any,
        note: Mapping[str, Any],
        position: RegimePosition | None,
        outcome: _Taken | WorldFailure,
    ) -> Step:
        failed = isinstance(outcome, WorldFailure)
        taken = _Taken((), True, info=EMPTY, truncated=True) if isinstance(outcome, WorldFailure) else outcome
        with self._lock:
            problem = self._write_shifts(world, taken.shifts)
            if not taken.stepped:
                raise EnvironmentFailure(f"{world.name}, step {world.step}: {problem}")
            step = self._row(world, action, position, taken)
            row = step.row
            assert row is not None
            if isinstance(outcome, WorldFailure):
                error = f"{type(outcome.error).__name__}: {outcome.error}"
                row.update(
                    reward=None, outcome={"accepted": False, "reason": "environment_failed", "error": error}
                )
                step.reward, step.ended = None, "environment_failed"
                if world.last is not None:
                    step.observation, step.info = world.last.observation, world.last.info
            if note:
                _merge(row, note)
            self._trace.write(row)
            if self._on_row is not None:
                self._on_row(row)
            self._move_on(world, step, failed)
            if problem is not None and self._on_mismatch == "stop":
                raise EnvironmentFailure(f"{world.name}, step {world.step - 1}: {problem}")
        return step

    def _row(self, world: _World, action: Any, position: RegimePosition | None, taken: _Taken) -> Step:
        info = taken.info
        reward, invalid = reward_fields(taken.reward)
        regime_id, identity, progress = regime_fields(position, info)
        row: dict[str, Any] = {
            "v": ROW_VERSION,
            "kind": "step",
            "step": world.step,
            "world": world.name,
            "world_time": None,
            "episode": world.episode,
            "phase": self._phase,
            "regime_id": regime_id,
            "regime_identity": identity,
            "drift_progress": progress,
            "reward": reward,
            "reward_terms": None,
            "terminated": taken.terminated,
            "truncated": taken.truncated,
            "action": action if type(action) is int else plain_action(action),
            "outcome": outcome_field(info),
            "policy_version": self.policy_version,
            "wall_ms": int((time.perf_counter() - self._started) * 1000),
        }
        reported_fields(row, info)
        if invalid is not None:
            row["reward_invalid"] = invalid
        if taken.reset is None:
            return Step(taken.observation, reward, taken.terminated, taken.truncated, info, row)
        observation, start_info = taken.reset
        return Step(
            observation, reward, taken.terminated, taken.truncated, start_info, row, taken.observation
        )

    def _move_on(self, world: _World, step: Step, failed: bool) -> None:
        world.step += 1
        if step.final_observation is not None:
            world.episode += 1
        elif not failed and (step.terminated or (step.truncated and not self._persistent)):
            step.ended = "terminated" if step.terminated else "truncated"
        world.ended = step.ended
        world.last = Start(world.name, step.observation, step.info)
        if world.ended is not None:
            self._trace.write(
                {
                    "v": ROW_VERSION,
                    "kind": "note",
                    "step": world.step - 1,
                    "world": world.name,
                    "note": "world ended",
                    "reason": world.ended,
                }
            )

    def _write_shifts(self, world: _World, shifts: Sequence[Shift]) -> str | None:
        """Write the hand-overs worth a row and return the first problem among them."""
        problem = None
        for shift in shifts:
            problem = problem or shift.problem
            if shift.relabelled or shift.problem is not None:
                row = shift_row(shift, world.name, world.step)
                self._trace.write(row)
                if self._on_shift is not None:
                    self._on_shift(row)
        return problem

    def _stopped(self, world: _World) -> Step:
        last = world.last
        assert last is not None
        return Step(last.observation, None, False, False, last.info, None, ended=world.ended)


def _merge(row: dict[str, Any], note: Mapping[str, Any]) -> None:
    """Add what the caller says about an action; an `outcome` is laid over the environment's."""
    for key, value in note.items():
        if key == "outcome":
            row["outcome"] = {**(row["outcome"] or {"accepted": False}), **value}
        else:
            row.setdefault(key, value)
