"""Handing regimes over."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.ports.environment import Applied, capabilities
from skyfall_crl.regime import ScheduledRegime
from skyfall_crl.testing.doubles import SwitchingBandit
from skyfall_crl.train.clock import RegimeClock, WorldClock


class Recorder(SwitchingBandit):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, float | None, Mapping[str, Any]]] = []

    def apply_regime(self, regime, progress) -> Applied:
        self.told.append((regime.regime_id, progress, dict(regime.axes)))
        return super().apply_regime(regime, progress)


def drive(schedule: dict, steps: int, env: SwitchingBandit) -> list:
    clock, world = RegimeClock(ScheduledRegime(schedule), capabilities(env)), WorldClock()
    return [clock.prepare(world, clock.at(step), env) for step in range(steps)]


def drifting(window: int) -> dict:
    return {
        "shift_mode": "linear_drift",
        "drift_window": window,
        "regimes": [
            {"regime_id": "A", "duration_steps": 10, "axes": {"offset": 0}},
            {"regime_id": "B", "axes": {"offset": 1}},
        ],
    }


@given(st.integers(1, 400))
def test_a_drift_is_handed_over_at_most_twenty_times_and_ends_exactly_at_its_end(window: int) -> None:
    env = Recorder()
    drive(drifting(window), 10 + window + 5, env)
    drift = [told for told in env.told if told[0] == "B"]
    assert 1 <= len(drift) <= 20
    assert drift[-1][1:] == (1.0, {"offset": 1})
    progress = [told[1] for told in drift]
    assert progress == sorted(progress)


def test_a_change_at_one_half_is_handed_over_on_the_very_step() -> None:
    env = Recorder()
    drive(drifting(1000), 1100, env)
    assert 0.5 in [told[1] for told in env.told]


def test_nothing_is_handed_over_while_nothing_changes() -> None:
    env = Recorder()
    shifts = drive({"regimes": [{"regime_id": "A", "duration_steps": 50}, {"regime_id": "B"}]}, 90, env)
    assert [step for step, shift in enumerate(shifts) if shift is not None] == [0, 50]
    assert len(env.told) == 2


class Remote(Recorder):
    """Takes announcements, and reports what it reads back one step later."""

    def __init__(self, reads: float | None = None) -> None:
        super().__init__()
        self.announced: list[str] = []
        self.reads = reads

    def announce_regime(self, regime, progress) -> None:
        self.announced.append(regime.regime_id)
        self.pending = regime

    def apply_regime(self, regime, progress) -> Applied:
        if getattr(self, "pending", None) is regime:
            return Applied(regime.select(["offset"]), (), None)
        return super().apply_regime(regime, progress)


SWITCH = {"regimes": [{"regime_id": "A", "duration_steps": 5}, {"regime_id": "B", "axes": {"offset": 1}}]}


@pytest.mark.parametrize(("reads", "problem"), [(1, None), (0, "offset reads back as 0, expected 1")])
def test_an_announced_regime_is_pushed_one_step_ahead_and_confirmed_one_step_late(reads, problem) -> None:
    env = Remote()
    clock, world = RegimeClock(ScheduledRegime(SWITCH), capabilities(env)), WorldClock()
    problems = []
    for step in range(8):
        prepared = clock.prepare(world, clock.at(step), env)
        assert prepared is None or prepared.problem is None
        assert clock.announce(world, clock.at(step + 1), env) is None
        assert env.announced == (["B"] if step >= 4 else [])
        info = {"regime_read_back": {"offset": reads}} if step == 5 else {}
        confirmed = clock.confirm(world, info)
        if confirmed is not None:
            problems.append((step, confirmed.problem))
    assert len(env.told) == 1
    assert problems == ([(5, problem)] if problem else [])


def test_a_push_that_raises_is_a_problem_and_not_an_exception() -> None:
    class Refusing(SwitchingBandit):
        def apply_regime(self, regime, progress) -> Applied:
            raise ConnectionError("gone")

    (shift,) = drive({"regimes": [{"regime_id": "A"}]}, 1, Refusing())
    assert shift.problem == "apply_regime raised ConnectionError: gone"
