"""Tier 1 shifts: regime axes laid onto plain attributes of an environment that knows nothing of regimes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium

from skyfall_crl.config.schema import AxisTarget
from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import Regime


class MappedAxes(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Gives an environment `apply_regime` by writing `attribute = axis value * factor` on the unwrapped object.

    An axis that a regime does not set goes back to the value the environment was built with. Raises `ConfigError`
    when an attribute is not there or is no number.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], axes: Mapping[str, Sequence[AxisTarget]]) -> None:
        super().__init__(env)
        self._axes = {axis: tuple(targets) for axis, targets in axes.items()}
        self._initial: dict[str, float] = {}
        for axis, targets in self._axes.items():
            for target in targets:
                self._initial[target.attribute] = self._read(axis, target.attribute)

    @property
    def regime_axes(self) -> tuple[str, ...]:
        """The axes that have a mapping."""
        return tuple(self._axes)

    def apply_regime(self, regime: Regime, progress: float | None) -> Applied:
        """Write the mapped axes and read them back."""
        selected = regime.select(self.regime_axes)
        read_back: dict[str, Any] = {}
        for axis, targets in self._axes.items():
            for target in targets:
                value = (
                    selected[axis] * target.factor if axis in selected else self._initial[target.attribute]
                )
                setattr(self.env.unwrapped, target.attribute, value)
                found = getattr(self.env.unwrapped, target.attribute)
                if axis in selected:
                    exact = math.isclose(found, value, rel_tol=1e-12)
                    read_back[axis] = selected[axis] if exact else found / target.factor
        return Applied(selected, tuple(regime.exclude(self.regime_axes)), read_back)

    def _read(self, axis: str, name: str) -> float:
        value = getattr(self.env.unwrapped, name, None)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(
                f"env.axes.{axis}: expected a number at attribute {name!r} of {type(self.env.unwrapped).__name__}, "
                f"found {value!r}"
            )
        return float(value)
