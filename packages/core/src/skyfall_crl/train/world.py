"""One world of a session: where it stands, and the job that takes an action in it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium

from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.regime import RegimePosition
from skyfall_crl.train.clock import RegimeClock, Shift, WorldClock

Environment = gymnasium.Env[Any, Any]


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
class World:
    """The counters of one world; `step` is that of its next action."""

    name: str
    lock: threading.Lock
    clock: WorldClock
    step: int = 0
    episode: int = 0
    ended: str | None = None
    last: Start | None = None

    @property
    def start(self) -> Start:
        """Where the world stands; only after it was opened."""
        assert self.last is not None, f"{self.name} was not opened"
        return self.last

    def stopped(self) -> Step:
        """Return the step of a world that takes no more actions."""
        return Step(self.start.observation, None, False, False, self.start.info, None, ended=self.ended)


@dataclass(slots=True)
class Taken:
    """What the job of one world brings back from the fan-out; `reset` is set where an episode was begun anew."""

    shifts: tuple[Shift, ...]
    stepped: bool
    observation: Any = None
    reward: Any = None
    terminated: bool = False
    truncated: bool = False
    info: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    reset: tuple[Any, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Stepper:
    """Takes actions in worlds under one regime clock.

    With `auto_reset` an episode that ended is begun anew at once; with `stop_on_mismatch` a world whose regime could
    not be applied is not stepped.
    """

    clock: RegimeClock
    auto_reset: bool
    stop_on_mismatch: bool

    def take(
        self,
        world: World,
        env: Environment,
        action: Any,
        positions: tuple[RegimePosition | None, RegimePosition | None],
    ) -> Taken:
        """Make the regime of this action current, announce the next, and step."""
        shifts: tuple[Shift, ...] = ()
        current, upcoming = positions
        if current is not None and upcoming is not None:
            prepared = self.clock.prepare(world.clock, current, env)
            if prepared is not None:
                shifts = (prepared,)
                if prepared.problem is not None and self.stop_on_mismatch:
                    return Taken(shifts, stepped=False)
            if upcoming is not current:
                announced = self.clock.announce(world.clock, upcoming, env)
                shifts = shifts if announced is None else (*shifts, announced)
            self.clock.notify(env, world.step + 1)
        observation, reward, terminated, truncated, info = env.step(action)
        if world.clock.unconfirmed is not None:
            confirmed = self.clock.confirm(world.clock, info)
            shifts = shifts if confirmed is None else (*shifts, confirmed)
        reset = env.reset() if self.auto_reset and (terminated or truncated) else None
        return Taken(shifts, True, observation, reward, bool(terminated), bool(truncated), info, reset)
