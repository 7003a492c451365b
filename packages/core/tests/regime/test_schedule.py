"""Schedules: which regime is in force at a step, and which schedules are refused."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.document import dump_yaml, parse_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import Regime, RegimeSchedule

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

STEPS = st.integers(0, 120)


def refusal(regimes: Any, *rest: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        RegimeSchedule(regimes, *rest)
    return str(caught.value)


def labels(schedule: RegimeSchedule, steps: int) -> str:
    return "".join(schedule.at(step).regime.regime_id for step in range(steps))


def test_an_abrupt_schedule_switches_at_the_boundary_and_stays_in_its_last_regime() -> None:
    schedule = RegimeSchedule([Regime("A", 2), Regime("B", 3), Regime("C", 1)])
    assert labels(schedule, 10) == "AABBBCCCCC"
    assert [(p.segment, p.start) for p in map(schedule.at, (0, 1, 2, 5, 10**15))] == [
        (0, 0),
        (0, 0),
        (1, 2),
        (2, 5),
        (2, 5),
    ]
    assert schedule.total_steps == 6


def test_the_last_regime_may_be_open() -> None:
    schedule = RegimeSchedule([Regime("A", 2), Regime("B")])
    assert labels(schedule, 5) == "AABBB"
    assert schedule.total_steps is None


def test_a_cyclic_schedule_starts_over_and_counts_its_segments_on() -> None:
    schedule = RegimeSchedule([Regime("A", 2), Regime("B", 1)], "cyclic")
    assert labels(schedule, 8) == "AABAABAA"
    position = schedule.at(3 * 10**9 + 2)
    assert (position.regime.regime_id, position.segment, position.start) == (
        "B",
        2 * 10**9 + 1,
        3 * 10**9 + 2,
    )
    assert position.drift_progress is None


def test_a_cycle_of_one_regime_is_one_segment() -> None:
    schedule = RegimeSchedule([Regime("A", 2)], "cyclic")
    assert schedule.at(0) is schedule.at(7)
    assert (schedule.at(7).segment, schedule.at(7).start) == (0, 0)


def test_steps_that_share_a_position_get_the_identical_object() -> None:
    for mode in ("abrupt", "cyclic"):
        schedule = RegimeSchedule([Regime("A", 4), Regime("B", 4)], mode)  # type: ignore[arg-type]
        assert schedule.at(0) is schedule.at(3)
        assert schedule.at(4) is schedule.at(7) is not schedule.at(3)
    drift = RegimeSchedule([Regime("A", 4), Regime("B", 6)], "linear_drift", 3)
    assert drift.at(6) is drift.at(9) is drift.at(99)
    assert drift.at(6).regime is drift.regimes[1]


@UNTIMED
@given(st.data())
def test_the_position_depends_on_the_step_alone(schedules: Any, data: st.DataObject) -> None:
    mapping = data.draw(schedules())
    asked = RegimeSchedule.from_mapping(mapping)
    for step in data.draw(st.lists(STEPS, max_size=30)):
        assert asked.at(step) == RegimeSchedule.from_mapping(mapping).at(step)


@UNTIMED
@given(st.data())
def test_segments_tile_the_steps_in_order(schedules: Any, data: st.DataObject) -> None:
    schedule = RegimeSchedule.from_mapping(data.draw(schedules()))
    before = schedule.at(0)
    assert (before.segment, before.start, before.drift_progress) == (0, 0, None)
    for step in range(1, 60):
        now = schedule.at(step)
        if now.segment == before.segment:
            assert now.start == before.start
            assert now.regime.regime_id == before.regime.regime_id
        else:
            assert (now.segment, now.start) == (before.segment + 1, step)
            assert step - before.start == before.regime.duration_steps
        before = now


@UNTIMED
@given(st.data())
def test_a_cyclic_schedule_is_periodic(schedules: Any, data: st.DataObject) -> None:
    schedule = RegimeSchedule.from_mapping(data.draw(schedules("cyclic")))
    step, lap = data.draw(STEPS), data.draw(st.integers(1, 10**6))
    period = schedule.total_steps
    assert period is not None
    assert schedule.at(step + lap * period).regime is schedule.at(step).regime


@UNTIMED
@given(st.data())
def test_a_schedule_survives_its_mapping_and_yaml(schedules: Any, data: st.DataObject) -> None:
    schedule = RegimeSchedule.from_mapping(data.draw(schedules()))
    mapping = schedule.to_mapping()
    read = RegimeSchedule.from_mapping(parse_yaml(dump_yaml(mapping), "schedule"))
    assert read == schedule == RegimeSchedule(schedule.regimes, schedule.shift_mode, schedule.drift_window)
    assert repr(read.to_mapping()) == repr(mapping)
    assert [read.at(step) for step in range(40)] == [schedule.at(step) for step in range(40)]
    assert copy.deepcopy(schedule).at(17) == schedule.at(17)


@UNTIMED
@given(st.permutations(range(6)), st.lists(st.integers(0, 5), min_size=5, max_size=5))
def test_aliases_resolve_to_the_end_of_their_chain_wherever_it_stands(
    order: list[int], targets: list[int]
) -> None:
    root_of = {0: 0}
    entries = [Regime("r0", 1, axes={"demand": 2})]
    for number, target in enumerate(targets, start=1):
        root_of[number] = root_of[target % number]
        entries.append(Regime(f"r{number}", 1, alias_of=f"r{target % number}"))
    schedule = RegimeSchedule([entries[number] for number in order])
    for regime in schedule.regimes:
        assert regime.identity == "r0"
        assert regime.axes == {"demand": 2}
    assert schedule.identities == ("r0",)
    assert schedule.to_mapping()["regimes"][order.index(0)]["axes"] == {"demand": 2}


@UNTIMED
@given(st.integers(1, 5), st.integers(0, 3))
def test_a_cycle_of_aliases_is_refused(length: int, lead: int) -> None:
    ring = [Regime(f"r{n}", 1, alias_of=f"r{(n + 1) % length}") for n in range(length)]
    tail = [Regime(f"t{n}", 1, alias_of=f"t{n + 1}" if n + 1 < lead else "r0") for n in range(lead)]
    message = refusal([*tail, *ring])
    assert message.startswith("regimes[0].alias_of: expected a chain that ends, found ")


def test_identities_come_in_the_order_in_which_they_are_met() -> None:
    schedule = RegimeSchedule([Regime("B2", 1, alias_of="B"), Regime("A", 1), Regime("B", 1), Regime("C")])
    assert schedule.identities == ("B", "A", "C")


def test_schedules_are_compared_and_hashed_by_what_they_say() -> None:
    one = RegimeSchedule([{"regime_id": "A", "axes": {"x": 1}}])
    assert one == RegimeSchedule([Regime("A", axes={"x": 1})])
    assert hash(one) == hash(RegimeSchedule([Regime("A", axes={"x": 1})]))
    assert one != RegimeSchedule([Regime("A", axes={"x": 2})])
    assert repr(one) == "RegimeSchedule([A], shift_mode='abrupt', drift_window=0)"


A = {"regime_id": "A"}
ENDLESS = {"regime_id": "A", "axes": {"x": [float("inf")]}}
NO_LIST = "regimes: expected a list of at least one regime, found"
NO_MODE = "shift_mode: expected one of abrupt, cyclic, linear_drift, found"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "regimes: expected a value, found nothing"),
        ({"regimes": []}, f"{NO_LIST} an empty list"),
        ({"regimes": "A"}, f"{NO_LIST} 'A'"),
        ({"regimes": {"A": {}}}, f"{NO_LIST} a mapping"),
        ({"regimes": ["A"]}, "regimes[0]: expected a mapping that describes a regime, found 'A'"),
        ({"regimes": [{}]}, "regimes[0].regime_id: expected a value, found nothing"),
        ({"regimes": [ENDLESS]}, "regimes[0].axes.x[0]: expected a finite number, found inf"),
        (
            {"regimes": [A], "shift_mod": "cyclic"},
            "shift_mod: unknown key of a schedule; did you mean 'shift_mode'?",
        ),
        ({"regimes": [A], "shift_mode": "sudden"}, f"{NO_MODE} 'sudden'"),
        ({"regimes": [A], "shift_mode": []}, f"{NO_MODE} an empty list"),
        (7, "expected a mapping that describes a schedule, found 7"),
    ],
)
def test_a_mistake_in_a_mapping_is_named_with_its_key_path(data: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RegimeSchedule.from_mapping(data)
    assert str(caught.value) == message


def test_repeated_ids_are_refused() -> None:
    message = refusal([Regime("A", 1), Regime("B", 1), Regime("A", 1)])
    assert message == "regimes[2].regime_id: expected each id once, found 'A' again"


def test_an_alias_of_an_unknown_regime_is_refused_with_the_nearest_name() -> None:
    message = refusal([Regime("calm", 1), Regime("again", alias_of="clam")])
    assert message == "regimes[1].alias_of: unknown regime 'clam'; did you mean 'calm'?"


def test_an_alias_with_axes_of_its_own_is_refused() -> None:
    message = refusal([Regime("A", 1, axes={"x": 1}), Regime("B", alias_of="A", axes={"x": 2})])
    assert message.startswith("regimes[1].axes: expected none beside alias_of")


def test_only_the_last_duration_may_be_missing_and_not_when_the_schedule_loops() -> None:
    assert refusal([Regime("A"), Regime("B")]).startswith(
        "regimes[0].duration_steps: expected a whole number"
    )
    message = refusal([Regime("A", 1), Regime("B")], "cyclic")
    assert message == "regimes[1].duration_steps: expected a whole number in a cyclic schedule, found nothing"


@pytest.mark.parametrize("window", [0, -1, 2.5, True, None, "3"])
def test_a_drift_needs_a_window_of_at_least_one_step(window: Any) -> None:
    message = refusal([Regime("A", 9), Regime("B")], "linear_drift", window)
    assert message.startswith("drift_window: expected a whole number of at least 1, found ")


@pytest.mark.parametrize("mode", ["abrupt", "cyclic"])
def test_a_window_is_refused_where_nothing_drifts(mode: Any) -> None:
    message = refusal([Regime("A", 9), Regime("B", 9)], mode, 3)
    assert message == f"drift_window: expected none, as the shift mode is {mode}, found 3"


def test_a_window_longer_than_the_segment_it_leads_into_is_refused() -> None:
    message = refusal([Regime("A", 2), Regime("B", 5), Regime("C", 4), Regime("D")], "linear_drift", 5)
    assert message == "drift_window: expected at most the 4 steps of regimes[2] it leads into, found 5"
    fits = RegimeSchedule([Regime("A", 2), Regime("B", 5), Regime("D")], "linear_drift", 5)
    assert fits.at(6).drift_progress == 1.0


@pytest.mark.parametrize("step", [-1, -(10**20)])
def test_a_negative_step_is_an_error(step: int) -> None:
    with pytest.raises(ConfigError, match="step: expected a step of at least 0, found -1"):
        RegimeSchedule([Regime("A")]).at(step)


def test_a_step_that_is_no_whole_number_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        RegimeSchedule([Regime("A")]).at(1.5)  # type: ignore[arg-type]


def test_a_yaml_file_is_named_beside_the_key_path(tmp_path: Path) -> None:
    path = tmp_path / "schedule.yaml"
    good = "shift_mode: cyclic\nregimes:\n  - {regime_id: A, duration_steps: 4}\n"
    path.write_text(good + "  - {regime_id: B, duration_steps: -2}\n")
    with pytest.raises(ConfigError) as caught:
        RegimeSchedule.from_yaml(path)
    assert str(caught.value) == (
        f"{path}: regimes[1].duration_steps: expected a whole number of at least 1, found -2"
    )
    path.write_text(good)
    assert RegimeSchedule.from_yaml(str(path)) == RegimeSchedule([Regime("A", 4)], "cyclic")
