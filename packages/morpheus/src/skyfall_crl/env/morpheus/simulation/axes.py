"""Axes: what a regime may set, checked and turned into the integer thresholds draws are held against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation.layout import Configuration, Layout
from skyfall_crl.env.morpheus.simulation.obligations import RATE_UNIT
from skyfall_crl.env.morpheus.simulation.orders import DRAW_BITS

_WHOLE = 1 << DRAW_BITS
_MOST_DEMAND = 4.0
_MOST_LATE_RATE = 1000.0
_ROW_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for orders that enter a stage now.

    `faults` and `causes` are thresholds in [0, 2**32], `causes` cumulative and without the last; `late_rates` are
    millionths. `cause_mix` and `late` are the same numbers as they were given, for those who may know them.
    """

    faults: tuple[int, ...]
    causes: tuple[tuple[int, ...], ...]
    late_rates: tuple[int, ...]
    arrivals: int
    arrival_threshold: int
    cause_mix: tuple[tuple[float, ...], ...]
    late: tuple[float, ...]


def completed(layout: Layout, axes: Mapping[str, Any]) -> dict[str, Any]:
    """Return every axis of a layout as plain data, those not given at the layout's default.

    Raises `BackendError` naming the axis, what was expected and what was found.
    """
    for name in axes:
        if name not in layout.regime_axes:
            known = ", ".join(layout.regime_axes)
            raise BackendError(f"simulation.axes: expected axes of {layout.name} ({known}), found {name!r}")
    first = layout.configurations[0].name
    symptoms, causes = len(layout.symptoms), layout.causes
    read: dict[str, Any] = {}
    read["cause_mix"] = _named_or(layout, axes, "cause_mix", first, f"a {symptoms} x {causes} matrix", _mix)
    read["payment_terms"] = _named_or(
        layout, axes, "payment_terms", first, f"{symptoms} late rates", _late_rates
    )
    read["fault_probability"] = _fault_probability(
        layout, axes.get("fault_probability", layout.fault_probability)
    )
    read["demand"] = _number("demand", axes.get("demand", layout.demand), _MOST_DEMAND)
    return read


def conditions(layout: Layout, axes: Mapping[str, Any], *, faults: bool = True) -> Conditions:
    """Return what completed axes mean; without `faults` no stage faults."""
    mix = _configured(layout, axes["cause_mix"], "cause_mix")
    late = _configured(layout, axes["payment_terms"], "late_rates")
    probability = axes["fault_probability"]
    probabilities = probability if isinstance(probability, list) else [probability] * len(layout.symptoms)
    arrivals = int(axes["demand"])
    return Conditions(
        faults=tuple(round(p * _WHOLE) if faults else 0 for p in probabilities),
        causes=tuple(_cumulative(row) for row in mix),
        late_rates=tuple(round(rate * RATE_UNIT) for rate in late),
        arrivals=arrivals,
        arrival_threshold=round((axes["demand"] - arrivals) * _WHOLE),
        cause_mix=tuple(tuple(row) for row in mix),
        late=tuple(late),
    )


def _named_or(
    layout: Layout, axes: Mapping[str, Any], axis: str, default: str, shape: str, check: Any
) -> str | list[Any]:
    value = axes.get(axis, default)
    if isinstance(value, str):
        if layout.configuration(value) is None:
            names = ", ".join(configuration.name for configuration in layout.configurations)
            raise _refusal(axis, f"one of {names} or {shape}", value)
        return value
    checked: list[Any] = check(layout, value)
    return checked


def _configured(layout: Layout, value: str | Sequence[Any], attribute: str) -> Sequence[Any]:
    if not isinstance(value, str):
        return value
    configuration = layout.configuration(value)
    assert isinstance(configuration, Configuration)
    numbers: Sequence[Any] = getattr(configuration, attribute)
    return numbers


def _mix(layout: Layout, value: Any) -> list[list[float]]:
    symptoms, causes = len(layout.symptoms), layout.causes
    shape = f"a {symptoms} x {causes} matrix of probabilities whose rows sum to 1"
    rows = _sequence("cause_mix", value, symptoms, shape)
    checked = []
    for row in rows:
        numbers = [_number("cause_mix", p, 1.0) for p in _sequence("cause_mix", row, causes, shape)]
        total = 0.0
        for number in numbers:
            total += number
        if abs(total - 1.0) > _ROW_TOLERANCE:
            raise _refusal("cause_mix", shape, row)
        checked.append(numbers)
    return checked


def _late_rates(layout: Layout, value: Any) -> list[float]:
    count = len(layout.symptoms)
    rates = _sequence("payment_terms", value, count, f"{count} late rates")
    return [_number("payment_terms", rate, _MOST_LATE_RATE) for rate in rates]


def _fault_probability(layout: Layout, value: Any) -> float | list[float]:
    if isinstance(value, (int, float)):
        return _number("fault_probability", value, 1.0)
    count = len(layout.symptoms)
    numbers = _sequence("fault_probability", value, count, f"a probability or {count} of them")
    return [_number("fault_probability", number, 1.0) for number in numbers]


def _sequence(axis: str, value: Any, length: int, expected: str) -> Sequence[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != length:
        raise _refusal(axis, expected, value)
    return value


def _number(axis: str, value: Any, most: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not isfinite(value)
        or not 0 <= value <= most
    ):
        raise _refusal(axis, f"a number in [0, {most:g}]", value)
    return float(value)


def _cumulative(row: Sequence[float]) -> tuple[int, ...]:
    total = 0.0
    thresholds = []
    for probability in row[:-1]:
        total += probability
        thresholds.append(round(total * _WHOLE))
    return tuple(thresholds)


def _refusal(axis: str, expected: str, found: Any) -> BackendError:
    text = repr(found)
    return BackendError(f"simulation.axes.{axis}: expected {expected}, found {text[:80]}")
