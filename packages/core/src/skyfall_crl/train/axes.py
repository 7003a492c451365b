"""Tier 1 shifts: regime axes laid onto attributes and arguments of an environment that knows nothing of regimes."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium

from skyfall_crl.config.schema import AxisTarget
from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.regime import Regime

Environment = gymnasium.Env[Any, Any]


class MappedAxes(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Gives an environment `apply_regime`: an axis sets attributes of the unwrapped object, or a factory's arguments.

    `arguments` are those that `env` was built with. Attributes and arguments become the axis value, numbers times the
    target's factor; an axis that a regime does not set goes back to what the environment was built with. Where an
    argument changes, `build(arguments)` makes another environment, which is reset with a seed that the one before
    draws and takes its place. Raises `ConfigError` when an attribute is not there or is no number.
    """

    def __init__(
        self,
        env: Environment,
        axes: Mapping[str, Sequence[AxisTarget]],
        build: Callable[[Mapping[str, Any]], Environment],
        arguments: Mapping[str, Any] = EMPTY,
    ) -> None:
        super().__init__(env)
        self.regime_id: str | None = None
        self._build, self._built_with = build, dict(arguments)
        self._now = self._built_with
        self._attributes: dict[str, list[tuple[str, float]]] = {axis: [] for axis in axes}
        self._arguments: dict[str, list[tuple[str, float]]] = {axis: [] for axis in axes}
        for axis, targets in axes.items():
            for target in targets:
                if target.attribute is not None:
                    self._attributes[axis].append((target.attribute, target.factor))
                if target.argument is not None:
                    self._arguments[axis].append((target.argument, target.factor))
        self._initial = {
            name: self._number(axis, name)
            for axis, targets in self._attributes.items()
            for name, _ in targets
        }

    @property
    def regime_axes(self) -> tuple[str, ...]:
        """The axes that have a mapping."""
        return tuple(self._attributes)

    def apply_regime(self, regime: Regime, progress: float | None) -> Applied:
        """Set arguments, then attributes, and read both back; raises `EnvironmentFailure` where building fails."""
        selected = regime.select(self.regime_axes)
        rebuilt = self._give(
            {
                name: _scaled(axis, selected[axis], factor)
                for axis in selected
                for name, factor in self._arguments[axis]
            }
        )
        for axis, targets in self._attributes.items():
            for name, factor in targets:
                value = _scaled(axis, selected[axis], factor) if axis in selected else self._initial[name]
                setattr(self.env.unwrapped, name, value)
        read_back = {axis: self._read(axis, value) for axis, value in selected.items()}
        known = {axis: value for axis, value in read_back.items() if value is not None}
        self.regime_id = regime.regime_id
        return Applied(selected, tuple(regime.exclude(self.regime_axes)), known, rebuilt)

    def _give(self, arguments: Mapping[str, Any]) -> bool:
        """Build the environment anew if it was built with other arguments, and tell whether it was."""
        wanted = {**self._built_with, **arguments}
        if wanted == self._now:
            return False
        seed = int(self.env.unwrapped.np_random.integers(2**31))
        made = self._build(arguments)
        for name in ("observation_space", "action_space"):
            expected, found = getattr(self.env, name), getattr(made, name)
            if expected != found:
                made.close()
                raise EnvironmentFailure(
                    f"{name}: expected {expected} with {dict(arguments)} too, found {found}"
                )
        made.reset(seed=seed)
        self.env.close()
        self.env, self._now = made, wanted
        return True

    def _read(self, axis: str, wanted: Any) -> Any:
        """Return what an axis reads back as, in its own units: the first target that differs, or `wanted`."""
        for name, factor in self._attributes[axis]:
            found = getattr(self.env.unwrapped, name)
            if not math.isclose(found, wanted * factor, rel_tol=1e-12):
                return found / factor
        for name, factor in self._arguments[axis]:
            built = self.env.unwrapped.spec.kwargs if self.env.unwrapped.spec is not None else {}
            found = built[name] if name in built else getattr(self.env.unwrapped, name, None)
            if found is None or found != _scaled(axis, wanted, factor):
                return found
        return wanted

    def _number(self, axis: str, name: str) -> float:
        value = getattr(self.env.unwrapped, name, None)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(
                f"env.axes.{axis}: expected a number at attribute {name!r} of {type(self.env.unwrapped).__name__}, "
                f"found {value!r}"
            )
        return float(value)


def _scaled(axis: str, value: Any, factor: float) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        if factor == 1.0:
            return value
        raise EnvironmentFailure(f"axis {axis}: expected a number to multiply by {factor:g}, found {value!r}")
    return value if factor == 1.0 else value * factor
