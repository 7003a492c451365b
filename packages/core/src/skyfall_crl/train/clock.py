"""The regime clock: asks the provider once a world step and hands each change over exactly once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium

from skyfall_crl.ports.environment import INFO_REGIME_READ_BACK, Applied, Capabilities, attribute
from skyfall_crl.regime import RegimePosition, RegimeProvider, has_to_be_told
from skyfall_crl.train.notification import NotifiedEnvironment

Environment = gymnasium.Env[Any, Any]


@dataclass(frozen=True, slots=True)
class Shift:
    """One hand-over of a regime to a world; `problem` says what went wrong, in words.

    `rebuilt` says that the environment was built anew for it.
    """

    position: RegimePosition
    relabelled: bool
    axes: tuple[str, ...] = ()
    problem: str | None = None
    rebuilt: bool = False


@dataclass(slots=True)
class WorldClock:
    """What one world has been told so far."""

    position: RegimePosition | None = None
    announced: RegimePosition | None = None
    unconfirmed: RegimePosition | None = None


class RegimeClock:
    """Owns the regime of a run; an environment with `regime_owner = "environment"` keeps its own."""

    def __init__(self, provider: RegimeProvider, capabilities: Capabilities) -> None:
        self.provider = provider
        self.owned_by_session = capabilities.regime_owner == "session"
        self._shifts = capabilities.shifts
        self._announces = capabilities.announces

    def at(self, step: int) -> RegimePosition:
        """Return the position in force while the action of `step` takes effect."""
        return self.provider.at(step)

    def prepare(self, world: WorldClock, position: RegimePosition, env: Environment) -> Shift | None:
        """Make `position` current before an action; returns what was handed over, or None when nothing was."""
        before = world.position
        if before is position:
            return None
        world.position = position
        if not has_to_be_told(before, position):
            return None
        relabelled = before is None or before.regime.regime_id != position.regime.regime_id
        if not self._shifts:
            return Shift(position, relabelled, problem=_problem(Applied({}, tuple(position.regime.axes))))
        announced = world.announced is position
        world.announced = None
        try:
            applied: Applied = attribute(env, "apply_regime", None)(position.regime, position.drift_progress)
        except Exception as error:
            return Shift(position, relabelled, problem=f"apply_regime raised {type(error).__name__}: {error}")
        if applied.read_back is None and announced:
            world.unconfirmed = position
        return Shift(position, relabelled, tuple(applied.selected), _problem(applied), applied.rebuilt)

    def announce(self, world: WorldClock, upcoming: RegimePosition, env: Environment) -> Shift | None:
        """Tell the environment what will be in force for the next action, where it can be told ahead."""
        if not self._announces or not has_to_be_told(world.position, upcoming):
            return None
        try:
            attribute(env, "announce_regime", None)(upcoming.regime, upcoming.drift_progress)
        except Exception as error:
            return Shift(upcoming, False, problem=f"announce_regime raised {type(error).__name__}: {error}")
        world.announced = upcoming
        return None

    def confirm(self, world: WorldClock, info: Mapping[str, Any]) -> Shift | None:
        """Check a value that was read back in the step's own fan-out."""
        expected = world.unconfirmed
        read_back = info.get(INFO_REGIME_READ_BACK)
        if expected is None or read_back is None:
            return None
        world.unconfirmed = None
        wanted = {name: expected.regime.axes[name] for name in read_back if name in expected.regime.axes}
        problem = _problem(Applied(wanted, (), read_back))
        return Shift(expected, False, tuple(wanted), problem) if problem else None

    def notify(self, env: Environment, step: int) -> None:
        """Set what a notified environment's next observation says about the action of `step`."""
        if isinstance(env, NotifiedEnvironment):
            identity = self.at(step).regime.identity
            env.notify(identity, step > 0 and identity != self.at(step - 1).regime.identity)


def _problem(applied: Applied) -> str | None:
    if applied.excluded:
        return f"the environment can't be told {', '.join(applied.excluded)}"
    if applied.read_back is None:
        return None
    for name, wanted in applied.selected.items():
        if name not in applied.read_back:
            return f"{name} was not read back"
        if not _agree(wanted, applied.read_back[name]):
            return f"{name} reads back as {applied.read_back[name]!r}, expected {wanted!r}"
    return None


def _agree(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return wanted.keys() == found.keys() and all(_agree(wanted[key], found[key]) for key in wanted)
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        return len(wanted) == len(found) and all(_agree(a, b) for a, b in zip(wanted, found, strict=True))
    if isinstance(wanted, int | float) and isinstance(found, int | float) and not isinstance(wanted, bool):
        return math.isclose(wanted, found, rel_tol=1e-9, abs_tol=1e-12)
    return bool(wanted == found)
