"""Every rule for regime providers, broken once by a tiny provider."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from skyfall_crl.ports import ConfigError
from skyfall_crl.regime import ConstantRegime, Regime, RegimePosition, ScheduledRegime
from skyfall_crl.testing import check_regime_provider, check_schedule_provider

NUMBERS = count()


class Weekly:
    """Changes between two configurations every seven steps."""

    def at(self, step: int) -> RegimePosition:
        if step < 0:
            raise ConfigError(f"step: expected at least 0, found {step}")
        week = step // 7
        return RegimePosition(Regime("odd" if week % 2 else "even"), None, week, 7 * week)


def having(**attributes: Any) -> type[Weekly]:
    """Return a provider with other attributes."""
    return type("Having", (Weekly,), attributes)


def answering(**changed: Callable[[int], Any]) -> type[Weekly]:
    """Return a provider whose positions have other fields, by the step."""

    def at(self, step):
        return replace(Weekly.at(self, step), **{name: field(step) for name, field in changed.items()})

    return having(at=at)


class Counting(Weekly):
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = -1

    def at(self, step):
        self.asked += 1
        return super().at(self.asked if step >= 0 else step)


class Drawing(Weekly):
    """Is another one each time it is built."""

    def __init__(self) -> None:
        self.number = next(NUMBERS)

    def at(self, step):
        return replace(super().at(step), regime=Regime(f"drawn-{self.number}"))


class Indexing(Weekly):
    """Answers for steps before the first."""

    def at(self, step):
        return super().at(max(step, 0))


class Crashing(Weekly):
    def at(self, step):
        return super().at(step) if step >= 0 else [][step]


class Astray(ConstantRegime):
    """Shows a schedule it doesn't follow."""

    def at(self, step):
        return replace(super().at(step), regime=Regime("elsewhere"))


def end(step: int) -> Regime:
    if step > 20:
        raise IndexError("no more weeks")
    return Regime("even")


def under(step: int) -> Regime:
    return Regime("even").under({"level": {1, 2}})


BROKEN: dict[str, tuple[Any, str]] = {
    "arguments": (
        ScheduledRegime,
        "factory: expected a function without arguments, found TypeError.*partial",
    ),
    "something else": (
        dict,
        r"factory: expected a RegimeProvider, found dict {}; it needs the method at\(step\)",
    ),
    "an end": (
        answering(regime=end),
        r"at\(21\): expected an answer, found IndexError: no more weeks; every step",
    ),
    "a regime alone": (
        having(at=lambda self, step: Regime("a")),
        r"at\(0\): expected a RegimePosition with a Regime, f",
    ),
    "an id alone": (
        answering(regime=lambda step: "even"),
        "expected a RegimePosition with a Regime, found RegimePosit",
    ),
    "axes of objects": (
        answering(regime=under),
        r"at\(0\), axes: expected a mapping of plain data.*found level",
    ),
    "no progress": (
        answering(drift_progress=lambda step: 0.0),
        r"drift_progress in \(0, 1\], or None .*, found 0.0",
    ),
    "segments from 1": (
        answering(segment=lambda step: 1 + step // 7),
        r"at\(0\): expected segment 0 that starts at step 0, found segment 1 that starts at step 0",
    ),
    "a segment left out": (
        answering(segment=lambda step: 2 * (step // 7)),
        r"at\(7\): expected segment 1 that starts at step 7, found segment 2 that starts at step 7",
    ),
    "starts of the cycle": (
        answering(start=lambda step: 7 * (step // 7 % 2)),
        r"at\(14\): expected segment 2 that starts at step 14, found segment 2 that starts at step 0",
    ),
    "a change inside": (
        answering(regime=lambda step: Regime("even" if step % 7 < 4 else "odd")),
        r"at\(4\): expected 'even' to the end of its segment, found 'odd'; a boundary is where",
    ),
    "a counter": (
        Counting,
        r"at\(\d+\): expected the answer given before, found .*; compute it from the step",
    ),
    "a draw": (
        Drawing,
        r"at\(0\): expected the answer of another provider that was built alike, found \['regime_id'\]",
    ),
    "before the first": (Indexing, r"at\(-1\): expected ConfigError, found an answer"),
    "before the first, by crash": (Crashing, r"at\(-1\): expected ConfigError, found IndexError"),
    "a schedule in words": (
        having(schedule="weekly"),
        "schedule: expected a RegimeSchedule, found str 'weekly'",
    ),
    "another schedule": (
        Astray,
        r"at\(0\): expected one of the schedule's identities, default, found 'elsewhere'",
    ),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_regime_provider, source))


def test_a_provider_that_keeps_the_rules_passes() -> None:
    """As a class and as an object; the core's own are among them."""
    for source in (Weekly, Weekly(), ConstantRegime, ConstantRegime("a", {"level": 1})):
        check_regime_provider(source)
    check_schedule_provider(ScheduledRegime)


def test_a_provider_of_schedules_gets_one_of_each_mode(complaint: Callable[..., str]) -> None:
    """The first that it gets wrong is the one that is told."""
    seen: list[str] = []

    def make(schedule: dict[str, Any]) -> Any:
        seen.append(schedule["shift_mode"])
        provider = ScheduledRegime(schedule)
        return Counting() if schedule["shift_mode"] == "linear_drift" else provider

    assert "expected the answer given before" in complaint(check_schedule_provider, make)
    assert list(dict.fromkeys(seen)) == ["abrupt", "cyclic", "linear_drift"]
