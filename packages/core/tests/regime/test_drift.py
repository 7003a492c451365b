"""Drift: how axes get from one configuration to the next."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from skyfall_crl.regime import Regime, RegimeSchedule
from skyfall_crl.regime.drift import Drift

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
TAMED = st.integers(-1000, 1000) | st.floats(-1000, 1000)


def test_progress_counts_from_the_boundary_and_the_label_is_the_new_regime_at_once() -> None:
    schedule = RegimeSchedule([Regime("A", 3), Regime("B", 6), Regime("C")], "linear_drift", 4)
    seen = [(p.regime.regime_id, p.drift_progress) for p in map(schedule.at, range(11))]
    assert seen == [
        *[("A", None)] * 3,
        *[("B", 0.25), ("B", 0.5), ("B", 0.75), ("B", 1.0), ("B", 1.0), ("B", 1.0)],
        *[("C", 0.25), ("C", 0.5)],
    ]


def test_a_window_of_one_step_is_an_abrupt_shift() -> None:
    schedule = RegimeSchedule([Regime("A", 2, axes={"x": 1}), Regime("B", axes={"x": 2})], "linear_drift", 1)
    assert [schedule.at(step).regime.axes["x"] for step in range(4)] == [1, 1, 2, 2]
    assert schedule.at(2).drift_progress == 1.0


def test_numbers_move_and_everything_else_switches_in_the_middle() -> None:
    before = {
        "rate": 0.0,
        "mix": {"a": [1, 0], "b": 4},
        "layout": "x",
        "gone": 1,
        "shape": [1, 2],
        "flag": False,
    }
    after = {"rate": 1.0, "mix": {"b": 0, "a": [0, 1]}, "layout": "y", "new": 2, "shape": [1], "flag": 1}
    drift = Drift(before, after)
    assert drift.at(0.25) == {
        "rate": 0.25,
        "mix": {"a": [0.75, 0.25], "b": 3.0},
        "layout": "x",
        "gone": 1,
        "shape": [1, 2],
        "flag": False,
    }
    assert drift.at(0.5) == {
        "rate": 0.5,
        "mix": {"a": [0.5, 0.5], "b": 2.0},
        "layout": "y",
        "new": 2,
        "shape": [1],
        "flag": 1,
    }
    assert drift.at(1.0) == after


@pytest.mark.parametrize(
    ("before", "after"), [([1, "x"], [2, "x"]), ({"a": 1}, {"b": 1}), ({"a": 1}, [1]), (True, 3), (None, 1)]
)
def test_values_of_different_shape_are_switched_whole(before: Any, after: Any) -> None:
    drift = Drift({"axis": before}, {"axis": after})
    assert drift.at(0.49)["axis"] == before
    assert drift.at(0.51)["axis"] == after


def test_an_integer_stays_one_only_where_both_ends_are_equal() -> None:
    eased = Drift({"same": 3, "moving": 0}, {"same": 3, "moving": 4}).at(0.5)
    assert repr(eased) == "{'same': 3, 'moving': 2.0}"


@UNTIMED
@given(NUMBERS, NUMBERS, st.floats(0, 1))
@example(-1.7e308, 1.7e308, 0.5)
def test_a_moving_number_stays_between_its_ends(before: float, after: float, progress: float) -> None:
    value = Drift({"x": before}, {"x": after}).at(progress)["x"]
    assert min(before, after) <= value <= max(before, after)


@UNTIMED
@given(TAMED, TAMED, st.integers(1, 50))
def test_drift_is_continuous_and_ends_exactly_at_the_new_value(
    before: float, after: float, window: int
) -> None:
    schedule = RegimeSchedule(
        [Regime("A", 5, axes={"x": before}), Regime("B", axes={"x": after})], "linear_drift", window
    )
    values = [schedule.at(step).regime.axes["x"] for step in range(5 + window + 2)]
    assert values[:5] == [before] * 5
    assert values[4 + window :] == [after] * 3
    bound = abs(after - before) / window
    for old, new in pairwise(values):
        assert abs(new - old) <= bound + 1e-9
        assert (new - old) * (after - before) >= -1e-9


@UNTIMED
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_weights_that_sum_to_the_same_keep_their_sum(before: list[float], after: list[float]) -> None:
    one = [value / (sum(before) or 1.0) for value in before]
    two = [value / (sum(after) or 1.0) for value in after]
    low, high = sorted((sum(one), sum(two)))
    assert low - 1e-9 <= sum(Drift({"mix": one}, {"mix": two}).at(0.3)["mix"]) <= high + 1e-9


def is_between(old: Any, new: Any, value: Any) -> bool:
    """Tell whether a value lies between two ends of the same shape, or is one of two ends of different shape."""
    if isinstance(value, list) and len(old) == len(new) == len(value):
        return all(map(is_between, old, new, value))
    if isinstance(value, dict):
        return all(is_between(old[key], new[key], value[key]) for key in value)
    return old <= value <= new or new <= value <= old


@UNTIMED
@given(st.data())
def test_every_axis_of_any_schedule_stays_between_or_at_its_ends(schedules: Any, data: st.DataObject) -> None:
    schedule = RegimeSchedule.from_mapping(data.draw(schedules("linear_drift")))
    for step in range(30):
        position = schedule.at(step)
        new = schedule.regimes[position.segment].axes
        old = schedule.regimes[max(0, position.segment - 1)].axes
        for name, value in position.regime.axes.items():
            ends = [axes[name] for axes in (old, new) if name in axes]
            assert value in ends or is_between(*ends, value)


def test_a_drift_into_an_alias_eases_towards_the_axes_it_repeats() -> None:
    schedule = RegimeSchedule(
        [Regime("A", 4, axes={"x": 0}), Regime("B", 4, axes={"x": 8}), Regime("A2", alias_of="A")],
        "linear_drift",
        4,
    )
    assert [schedule.at(step).regime.axes["x"] for step in range(8, 12)] == [6.0, 4.0, 2.0, 0]
    assert {schedule.at(step).regime.identity for step in range(8, 12)} == {"A"}
