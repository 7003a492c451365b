"""Does a regime provider answer by the step alone, with positions that belong together."""

from collections.abc import Callable
from typing import Any, TypeAlias

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import Regime, RegimePosition, RegimeProvider, RegimeSchedule
from skyfall_crl.testing.comparison import difference
from skyfall_crl.testing.verdict import broken, plain_mapping, shown, surviving, typed

ProviderSource: TypeAlias = "RegimeProvider | Callable[[], RegimeProvider]"

_REGIMES = (
    {"regime_id": "conformance-a", "duration_steps": 5, "axes": {"level": 0.0, "mode": "slow"}},
    {"regime_id": "conformance-b", "duration_steps": 4, "axes": {"level": 1.0, "mode": "fast"}},
    {"regime_id": "conformance-c", "duration_steps": 6, "alias_of": "conformance-a"},
)
SCHEDULES: tuple[dict[str, Any], ...] = (
    {"regimes": list(_REGIMES), "shift_mode": "abrupt"},
    {"regimes": list(_REGIMES), "shift_mode": "cyclic"},
    {"regimes": list(_REGIMES), "shift_mode": "linear_drift", "drift_window": 3},
)
"""One small schedule of each mode."""


def check_regime_provider(source: ProviderSource, *, steps: int = 200) -> None:
    """Check a provider, or those a factory without arguments builds, over `steps` steps; raises `ConformanceError`."""
    provider = _built(source)
    positions = [_at(provider, step) for step in range(steps)]
    check_order(positions)
    check_memoryless(provider, positions)
    if provider is not source:
        check_same(positions, _built(source))
    check_negative(provider)
    check_schedule(provider, positions)


def check_schedule_provider(factory: Callable[..., RegimeProvider]) -> None:
    """Check the providers of `factory(schedule=...)` for one schedule of each mode, given as a mapping."""
    for schedule in SCHEDULES:
        check_regime_provider(lambda schedule=schedule: factory(schedule=schedule), steps=50)  # type: ignore[misc]


def check_order(positions: list[RegimePosition]) -> None:
    """Check that segments follow each other, start where they start, and stay one configuration."""
    for step, position in enumerate(positions):
        where, progress = f"at({step})", position.drift_progress
        before = positions[step - 1] if step else None
        if progress is not None and not 0 < progress <= 1:
            cause = "it is min(1, (k + 1) / window) for the k-th step of a segment"
            rule = "expected drift_progress in (0, 1], or None outside a drift"
            raise broken(where, rule=rule, found=shown(progress), cause=cause)
        opens = before is None or before.segment != position.segment
        segment = 0 if before is None else before.segment + opens
        start = step if opens or before is None else before.start
        if (position.segment, position.start) != (segment, start):
            rule = f"expected segment {segment} that starts at step {start}"
            found = f"segment {position.segment} that starts at step {position.start}"
            cause = (
                "segments are counted on over the laps of a cycle, and start is the first step of this one"
            )
            raise broken(where, rule=rule, found=found, cause=cause)
        if before is not None and not opens and before.regime.identity != position.regime.identity:
            rule, found = (
                f"expected {before.regime.identity!r} to the end of its segment",
                position.regime.identity,
            )
            cause = (
                "a boundary is where the segment's number goes up; a drift has the new id from its first step"
            )
            raise broken(where, rule=rule, found=shown(found), cause=cause)


def check_memoryless(provider: RegimeProvider, positions: list[RegimePosition]) -> None:
    """Check that a step gets the same answer whatever was asked before it, forwards and backwards."""
    count = len(positions)
    order = [*reversed(range(count)), *(step * 7919 % count for step in range(count))]
    for step in order:
        if (found := _unlike(positions[step], _at(provider, step))) is not None:
            rule = "expected the answer given before"
            cause = "compute it from the step; a counter breaks when several worlds, a resume or an evaluation ask"
            raise broken(f"at({step})", rule=rule, found=found, cause=cause)


def check_same(positions: list[RegimePosition], other: RegimeProvider) -> None:
    """Check that two providers built alike answer alike."""
    for step, position in enumerate(positions):
        if (found := _unlike(position, _at(other, step))) is not None:
            rule = "expected the answer of another provider that was built alike"
            cause = "draw nothing, or from a generator with a seed among the arguments"
            raise broken(f"at({step})", rule=rule, found=found, cause=cause)


def check_negative(provider: RegimeProvider) -> None:
    """Check that there is nothing before the first step."""
    cause = "Python's negative indices hide the mistake of whoever asks"
    with surviving("at(-1)", rule="expected ConfigError", cause=cause):
        try:
            provider.at(-1)
        except ConfigError:
            return
    raise broken("at(-1)", rule="expected ConfigError", found="an answer", cause=cause)


def check_schedule(provider: RegimeProvider, positions: list[RegimePosition]) -> None:
    """Check that a provider which shows a schedule follows it."""
    schedule = getattr(provider, "schedule", None)
    if schedule is None:
        return
    if not isinstance(schedule, RegimeSchedule):
        cause = "runs take the identities from it; use another name for something else"
        raise broken("schedule", rule="expected a RegimeSchedule", found=typed(schedule), cause=cause)
    for step, position in enumerate(positions):
        if position.regime.identity not in schedule.identities:
            rule = f"expected one of the schedule's identities, {', '.join(schedule.identities)}"
            found, cause = position.regime.identity, "policies that are told the regime know only those"
            raise broken(f"at({step})", rule=rule, found=shown(found), cause=cause)


def _built(source: ProviderSource) -> RegimeProvider:
    provider: Any = source
    if isinstance(source, type) or not isinstance(source, RegimeProvider):
        cause = "wrap one that needs arguments in functools.partial"
        with surviving("factory", rule="expected a function without arguments", cause=cause):
            provider = source()
    if not isinstance(provider, RegimeProvider):
        cause = "it needs the method at(step)"
        raise broken("factory", rule="expected a RegimeProvider", found=typed(provider), cause=cause)
    return provider


def _at(provider: RegimeProvider, step: int) -> RegimePosition:
    where = f"at({step})"
    cause = "every step from 0 on has an answer, and a schedule that can't be is refused when it is read"
    with surviving(where, rule="expected an answer", cause=cause):
        position: Any = provider.at(step)
    if not isinstance(position, RegimePosition) or not isinstance(position.regime, Regime):
        rule = "expected a RegimePosition with a Regime"
        cause = "return RegimePosition(regime, None, segment, start)"
        raise broken(where, rule=rule, found=typed(position), cause=cause)
    plain_mapping(f"{where}, axes", position.regime.axes)
    checked: RegimePosition = position
    return checked


def _unlike(expected: RegimePosition, found: RegimePosition) -> str | None:
    """Return where two positions differ, or None."""
    names = ("drift_progress", "segment", "start")
    sides = [
        {
            "regime_id": position.regime.regime_id,
            "identity": position.regime.identity,
            "axes": dict(position.regime.axes),
            **{name: getattr(position, name) for name in names},
        }
        for position in (expected, found)
    ]
    return difference(*sides)
