"""The session: regime clock, rows and counters of a run; it never calls a policy."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
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
from skyfall_crl.train.rows import ended_row, intent_row, lay_over, reward_fields, shift_row, step_row
from skyfall_crl.train.world import Start, Step, Stepper, Taken, World

Environment = gymnasium.Env[Any, Any]
Phase = Literal["train", "eval", "serve", "harness"]
Positions = tuple[RegimePosition | None, RegimePosition | None]

__all__ = ["Phase", "Session", "Start", "Step"]


class Session:
    """One run's worlds, stepped one action a row.

    `step` may be called from one thread a world at the same time; `step_all` takes one action for every world.
    With `auto_reset` an ended episode is reset at once; without it a `persistent` world steps on after truncation,
    and any other end finishes that world. With `intents` an action is in the trace before it is sent, and its row
    right after. `policy_version` goes into the rows and is raised by whoever updates a policy.
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
        intents: bool = False,
        on_shift: Callable[[Mapping[str, Any]], None] | None = None,
        on_row: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.policy_version = 0
        self._fanout, self._clock, self._trace = fanout, clock, trace
        self._seeds, self._persistent, self._phase = seeds, persistent, phase
        self._stops = on_mismatch == "stop"
        self._stepper = Stepper(clock, auto_reset, self._stops)
        self._intents, self._on_shift, self._on_row = intents, on_shift, on_row
        chosen = names or [f"w{number}" for number in range(len(fanout.environments))]
        self._worlds = [World(name, threading.Lock(), WorldClock()) for name in chosen]
        self._lock = threading.Lock()
        self._began = time.perf_counter()

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of the worlds, in order."""
        return tuple(world.name for world in self._worlds)

    @property
    def running(self) -> bool:
        """Whether any world still takes actions."""
        return any(world.ended is None for world in self._worlds)

    @property
    def starts(self) -> list[Start]:
        """Where every world stands before its next action."""
        return [world.start for world in self._worlds]

    def open(self) -> list[Start]:
        """Reset every world once and return where each starts; raises `EnvironmentFailure` when one can't."""

        def reset(number: int, env: Environment) -> tuple[Any, Mapping[str, Any]]:
            self._clock.notify(env, 0)
            return env.reset(seed=self._seeds[number])

        for world, outcome in zip(self._worlds, self._fanout.run(reset), strict=True):
            if isinstance(outcome, WorldFailure):
                raise EnvironmentFailure(
                    f"{world.name}: reset raised {type(outcome.error).__name__}: {outcome.error}"
                ) from outcome.error
            world.last = Start(world.name, *outcome)
        return self.starts

    def adopt(self, starts: Sequence[Start]) -> list[Start]:
        """Go on in worlds that stand where `starts` say, without a reset."""
        for world, start in zip(self._worlds, starts, strict=True):
            world.last = Start(world.name, start.observation, start.info)
        return self.starts

    def step(self, world: int, action: Any, *, note: Mapping[str, Any] = EMPTY) -> Step:
        """Take one action in one world."""
        state = self._worlds[world]
        with state.lock:
            if state.ended is not None:
                return state.stopped()
            positions = self._positions(state)
            env = self._fanout.environments[world]
            self._intend([(state, action)])
            taken = attempt(lambda _, e: self._stepper.take(state, e, action, positions), world, env)
            step = self._record(state, action, note, positions[0], taken)
            self._settle()
            return step

    def step_all(
        self, actions: Sequence[Any], notes: Sequence[Mapping[str, Any]] | None = None
    ) -> list[Step]:
        """Take one action in every world, in one fan-out; rows are those `step` would write, in world order."""
        live = [number for number, world in enumerate(self._worlds) if world.ended is None]
        positions = [self._positions(world) for world in self._worlds]

        def take(number: int, env: Environment) -> Taken:
            return self._stepper.take(self._worlds[number], env, actions[number], positions[number])

        self._intend([(self._worlds[number], actions[number]) for number in live])
        taken = dict(zip(live, self._fanout.run(take, live), strict=True))
        steps = []
        for number, world in enumerate(self._worlds):
            if number in taken:
                note = notes[number] if notes is not None else EMPTY
                steps.append(self._record(world, actions[number], note, positions[number][0], taken[number]))
            else:
                steps.append(world.stopped())
        self._settle()
        return steps

    def close(self, status: str) -> None:
        """Write how the run ended and flush the trace to disk."""
        with self._lock:
            counts = {world.name: world.step for world in self._worlds}
            self._trace.write({"v": 1, "kind": "note", "note": "closed", "status": status, "steps": counts})
            self._trace.sync()

    def counters(self) -> dict[str, Any]:
        """Return the counters alone, for worlds that can't be put back."""
        return {"policy_version": self.policy_version}

    def take_up(self, seen: Mapping[str, tuple[int, int]], policy_version: int) -> list[Start]:
        """Open worlds that went on by themselves; `seen` has the step and episode of each one's next action."""
        self.policy_version = policy_version
        self.open()
        for world in self._worlds:
            world.step, world.episode = seen[world.name]
        return self.starts

    def snapshot(self) -> dict[str, Any]:
        """Return counters and worlds as plain data; every environment must be snapshottable."""
        worlds = []
        for world, env in zip(self._worlds, self._fanout.environments, strict=True):
            taken: Snapshot = attribute(env, "snapshot", None)()
            counters = {
                "name": world.name,
                "step": world.step,
                "episode": world.episode,
                "ended": world.ended,
            }
            stored = {"kind": taken.kind, "version": taken.version, "state": taken.state}
            worlds.append({**counters, "snapshot": stored})
        return {"policy_version": self.policy_version, "worlds": worlds}

    def restore(self, state: Mapping[str, Any]) -> list[Start]:
        """Put counters and worlds back and return where each stands."""
        self.policy_version = state["policy_version"]
        for world, env, stored in zip(self._worlds, self._fanout.environments, state["worlds"], strict=True):
            world.step, world.episode, world.ended = stored["step"], stored["episode"], stored["ended"]
            world.clock = WorldClock(self._clock.at(world.step - 1) if world.step else None)
            env.reset()
            self._clock.notify(env, world.step)
            observation, info = attribute(env, "restore", None)(Snapshot(**stored["snapshot"]))
            if isinstance(env, NotifiedEnvironment):
                observation = env.observe(observation)
            world.last = Start(world.name, observation, info)
        return self.starts

    def _intend(self, actions: Sequence[tuple[World, Any]]) -> None:
        """Put actions on record before they are sent, where a world could not be put back after a crash."""
        if not self._intents:
            return
        with self._lock:
            for world, action in actions:
                self._trace.write(intent_row(world.name, world.step, action, self.policy_version))
            self._trace.flush()

    def _settle(self) -> None:
        """Put the rows of a step on record before the next is intended."""
        if self._intents:
            with self._lock:
                self._trace.flush()

    def _positions(self, world: World) -> Positions:
        """Return the regime of this action and of the next; None where the environment keeps its own."""
        if not self._clock.owned_by_session:
            return None, None
        with self._lock:
            return self._clock.at(world.step), self._clock.at(world.step + 1)

    def _record(
        self,
        world: World,
        action: Any,
        note: Mapping[str, Any],
        position: RegimePosition | None,
        outcome: Taken | WorldFailure,
    ) -> Step:
        """Write the rows of one action and move the world on."""
        error = outcome.error if isinstance(outcome, WorldFailure) else None
        taken = Taken((), True, truncated=True) if isinstance(outcome, WorldFailure) else outcome
        with self._lock:
            problem = self._write_shifts(world, taken.shifts)
            if not taken.stepped:
                raise EnvironmentFailure(f"{world.name}, step {world.step}: {problem}")
            step = self._step(world, action, position, taken, error)
            assert step.row is not None
            lay_over(step.row, note)
            self._trace.write(step.row)
            if self._on_row is not None:
                self._on_row(step.row)
            self._move_on(world, step)
            if problem is not None and self._stops:
                raise EnvironmentFailure(f"{world.name}, step {world.step - 1}: {problem}")
        return step

    def _step(
        self,
        world: World,
        action: Any,
        position: RegimePosition | None,
        taken: Taken,
        error: Exception | None,
    ) -> Step:
        reward, invalid = reward_fields(taken.reward)
        row = step_row(world.name, world.step, world.episode, self._phase, position, action, taken.info)
        row["reward"], row["terminated"], row["truncated"] = reward, taken.terminated, taken.truncated
        row["policy_version"] = self.policy_version
        row["wall_ms"] = int((time.perf_counter() - self._began) * 1000)
        if invalid is not None:
            row["reward_invalid"] = invalid
        if error is not None:
            text = f"{type(error).__name__}: {error}"
            row["outcome"] = {"accepted": False, "reason": "environment_failed", "error": text}
            last = world.start
            return Step(last.observation, None, False, True, last.info, row, ended="environment_failed")
        if taken.reset is not None:
            observation, info = taken.reset
            return Step(observation, reward, taken.terminated, taken.truncated, info, row, taken.observation)
        ended = None
        if taken.terminated or (taken.truncated and not self._persistent):
            ended = "terminated" if taken.terminated else "truncated"
        return Step(
            taken.observation, reward, taken.terminated, taken.truncated, taken.info, row, ended=ended
        )

    def _move_on(self, world: World, step: Step) -> None:
        world.step += 1
        world.episode += step.final_observation is not None
        world.ended = step.ended
        world.last = Start(world.name, step.observation, step.info)
        if world.ended is not None:
            self._trace.write(ended_row(world.name, world.step - 1, world.ended))

    def _write_shifts(self, world: World, shifts: Sequence[Shift]) -> str | None:
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
