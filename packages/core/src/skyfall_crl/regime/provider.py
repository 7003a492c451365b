"""Who answers which configuration is in force at a step."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, Protocol, runtime_checkable

from skyfall_crl.ports.fields import inside, unexpected
from skyfall_crl.regime.configuration import Regime
from skyfall_crl.regime.schedule import RegimePosition, RegimeSchedule


@runtime_checkable
class RegimeProvider(Protocol):
    """Reports which configuration is active at a given step."""

    def at(self, step: int) -> RegimePosition:
        """Return the position of a step, counted from 0; the same step always gets an equal answer."""
        ...


class ConstantRegime:
    """One configuration for the whole run, given as its id, a `Regime`, or the mapping of one.

    `axes` belongs to an id; the other two forms carry their own. Raises `ConfigError`.
    """

    def __init__(
        self, regime: str | Regime | Mapping[str, Any] = "default", axes: Mapping[str, Any] | None = None
    ) -> None:
        if not isinstance(regime, str) and axes is not None:
            raise unexpected("axes", "none beside a regime that carries its own", axes)
        if isinstance(regime, str):
            regime = Regime(regime, axes={} if axes is None else axes)
        elif not isinstance(regime, Regime):
            with inside("regime"):
                regime = Regime.from_mapping(regime)
        self.schedule = RegimeSchedule([regime])
        self._position = self.schedule.at(0)

    def at(self, step: int) -> RegimePosition:
        """Return the one position; raises `ConfigError` for a negative step."""
        return self._position if step >= 0 else self.schedule.at(step)


class ScheduledRegime:
    """Follows a schedule written in advance.

    `schedule` is a `RegimeSchedule`, the mapping one is built from, or the path of a YAML file that holds it.
    Raises `ConfigError` when it is built, never on a step.
    """

    def __init__(self, schedule: RegimeSchedule | Mapping[str, Any] | str | PathLike[str]) -> None:
        if isinstance(schedule, str | PathLike):
            schedule = RegimeSchedule.from_yaml(fspath(schedule))
        elif not isinstance(schedule, RegimeSchedule):
            with inside("schedule"):
                schedule = RegimeSchedule.from_mapping(schedule)
        self.schedule = schedule
        self._stretch = schedule.stretch(0)

    def at(self, step: int) -> RegimePosition:
        """Return the position of a step; steps that share a position get the identical object."""
        stretch = self._stretch
        if not stretch.first <= step < stretch.end:
            self._stretch = stretch = self.schedule.stretch(step)
        return stretch.position
