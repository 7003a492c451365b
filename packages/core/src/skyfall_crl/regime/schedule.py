"""The configurations a run passes through, and which one is in force at a step."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import inf
from operator import index
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import inside, items, mapping, unexpected, whole
from skyfall_crl.regime.configuration import Regime, resolve_aliases
from skyfall_crl.regime.drift import Drift, progress_at

ShiftMode: TypeAlias = Literal["abrupt", "cyclic", "linear_drift"]


@dataclass(frozen=True, slots=True)
class RegimePosition:
    """Where a step is in a schedule.

    `regime` is the configuration in force; inside a drift its axes are the eased ones. `drift_progress` is in
    (0, 1], or None outside `linear_drift` and in the first segment. `segment` counts from 0 over all laps of
    a cyclic schedule; `start` is the segment's first step.
    """

    regime: Regime
    drift_progress: float | None
    segment: int
    start: int


def has_to_be_told(before: RegimePosition | None, after: RegimePosition) -> bool:
    """Tell whether a world has to be told about the move from one position to another.

    A drift is told in at most 20 steps: when its segment starts, when the progress enters another eighteenth,
    and when it passes one half, where axes that are no numbers switch.
    """
    if before is None or before.segment != after.segment:
        return True
    return _level(before.drift_progress) != _level(after.drift_progress)


def _level(progress: float | None) -> int:
    return -1 if progress is None else int(progress * 18) + (progress >= 0.5)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The steps from `first` up to, without, `end` that share one position."""

    first: int
    end: float
    position: RegimePosition


class RegimeSchedule:
    """Configurations in order; the position depends on the step alone.

    `regimes` holds `Regime` objects or the mappings they are built from; `duration_steps` may be missing on
    the last one to mean "until the run ends". `abrupt` switches at the boundary and stays in the last regime,
    `cyclic` starts over, `linear_drift` eases into each next configuration over its first `drift_window`
    steps. Raises `ConfigError` with the key path of the mistake.
    """

    def __init__(
        self,
        regimes: Sequence[Regime | Mapping[str, Any]],
        shift_mode: ShiftMode = "abrupt",
        drift_window: int = 0,
    ) -> None:
        if shift_mode not in get_args(ShiftMode):
            raise unexpected("shift_mode", f"one of {', '.join(get_args(ShiftMode))}", shift_mode)
        entries = items("regimes", regimes, "regime")
        self.shift_mode = shift_mode
        self.drift_window = drift_window
        self.regimes = resolve_aliases([_regime(entry, place) for place, entry in enumerate(entries)])
        self._check_durations()
        self._check_window()
        durations = [regime.duration_steps or 0 for regime in self.regimes]
        *self._starts, self._length = accumulate(durations, initial=0)
        self._loops = shift_mode == "cyclic" and len(self.regimes) > 1
        self._drifts = [Drift(old.axes, new.axes) for old, new in pairwise(self.regimes)]
        self._settled = lru_cache(maxsize=1024)(self._settle)

    @classmethod
    def from_mapping(cls, data: object) -> "RegimeSchedule":
        """Build a schedule from a mapping with the constructor's arguments; raises `ConfigError`."""
        return cls(**mapping(data, "a schedule", ("regimes",), ("shift_mode", "drift_window")))

    @classmethod
    def from_yaml(cls, path: str | Path) -> "RegimeSchedule":
        """Build a schedule from a YAML file that holds such a mapping; errors also name the file."""
        from skyfall_crl.ports.document import read_yaml

        data = read_yaml(path)
        try:
            return cls.from_mapping(data)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None

    def to_mapping(self) -> dict[str, Any]:
        """Return the plain data from which `from_mapping` builds an equal schedule."""
        data: dict[str, Any] = {"shift_mode": self.shift_mode}
        if self.shift_mode == "linear_drift":
            data["drift_window"] = self.drift_window
        data["regimes"] = [regime.to_mapping() for regime in self.regimes]
        return data

    @property
    def identities(self) -> tuple[str, ...]:
        """The different configurations, in the order in which they are first met."""
        return tuple(dict.fromkeys(regime.identity for regime in self.regimes))

    @property
    def total_steps(self) -> int | None:
        """The steps of all regimes together (of one lap, when cyclic), or None when the last one is open."""
        return None if self.regimes[-1].duration_steps is None else self._length

    def at(self, step: int) -> RegimePosition:
        """Return the position of a step, counted from 0; raises `ConfigError` for a negative one."""
        return self.stretch(step).position

    def stretch(self, step: int) -> Stretch:
        """Return the position of a step with all the steps around it that share it."""
        step = index(step)
        if step < 0:
            raise unexpected("step", "a step of at least 0", step)
        lap, offset = divmod(step, self._length) if self._loops else (0, step)
        settled = self._settled(lap * len(self.regimes) + bisect_right(self._starts, offset) - 1)
        if step >= settled.first:
            return settled
        start = settled.position.start
        progress = progress_at(step - start, self.drift_window)
        place = settled.position.segment
        regime = self.regimes[place].under(self._drifts[place - 1].at(progress))
        return Stretch(step, step + 1, RegimePosition(regime, progress, place, start))

    def _settle(self, segment: int) -> Stretch:
        """Return the part of a segment in which nothing moves: all of it, or what follows its drift."""
        lap, place = divmod(segment, len(self.regimes)) if self._loops else (0, segment)
        start = lap * self._length + self._starts[place]
        regime = self.regimes[place]
        stays = regime.duration_steps is None or (not self._loops and place == len(self.regimes) - 1)
        end = inf if stays else start + (regime.duration_steps or 0)
        if self.shift_mode == "linear_drift" and place > 0:
            return Stretch(start + self.drift_window - 1, end, RegimePosition(regime, 1.0, segment, start))
        return Stretch(start, end, RegimePosition(regime, None, segment, start))

    def _check_durations(self) -> None:
        for place, regime in enumerate(self.regimes):
            last = place == len(self.regimes) - 1
            if regime.duration_steps is None and (not last or self.shift_mode == "cyclic"):
                why = "a cyclic schedule" if last else "a regime before the last"
                raise unexpected(f"regimes[{place}].duration_steps", f"a whole number in {why}", None)

    def _check_window(self) -> None:
        window = self.drift_window
        if self.shift_mode != "linear_drift":
            if window != 0:
                raise unexpected("drift_window", f"none, as the shift mode is {self.shift_mode}", window)
            return
        whole("drift_window", window, 1)
        for place, regime in enumerate(self.regimes[1:], start=1):
            if regime.duration_steps is not None and window > regime.duration_steps:
                limit = f"at most the {regime.duration_steps} steps of regimes[{place}] it leads into"
                raise unexpected("drift_window", limit, window)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegimeSchedule) and self.to_mapping() == other.to_mapping()

    def __hash__(self) -> int:
        return hash((self.regimes, self.shift_mode, self.drift_window))

    def __repr__(self) -> str:
        names = ", ".join(regime.regime_id for regime in self.regimes)
        return f"RegimeSchedule([{names}], shift_mode={self.shift_mode!r}, drift_window={self.drift_window})"


def _regime(entry: object, place: int) -> Regime:
    if isinstance(entry, Regime):
        return entry
    with inside(f"regimes[{place}]"):
        return Regime.from_mapping(entry)
