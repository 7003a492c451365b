"""What a recorded schedule foresees."""

from itertools import islice

import pytest

from skyfall_crl.metrics.parameters import default_window
from skyfall_crl.metrics.plan import planned_segments, shortest_planned


def header(*regimes, mode="abrupt", steps=None):
    return {
        "steps": steps,
        "schedule": {
            "shift_mode": mode,
            "regimes": [
                {"regime_id": regime, "identity": identity, "duration_steps": steps}
                for regime, identity, steps in regimes
            ],
        },
    }


A, A2, B, C = ("A", "A", 100), ("A2", "A", 50), ("B", "B", 80), ("C", "C", None)


def plan(*regimes, mode="abrupt", count=5):
    return [(one.identity, one.steps) for one in islice(planned_segments(header(*regimes, mode=mode)), count)]


def test_the_last_regime_stays_when_a_schedule_does_not_start_over():
    assert plan(A, B) == [("A", 100), ("B", None)]
    assert plan(A, B, C, mode="linear_drift") == [("A", 100), ("B", 80), ("C", None)]


def test_a_cyclic_schedule_starts_over():
    assert plan(A, B, mode="cyclic", count=3) == [("A", 100), ("B", 80), ("A", 100)]


def test_neighbouring_aliases_are_one_segment_over_the_turn_of_a_cycle_too():
    assert plan(A, A2, B) == [("A", 150), ("B", None)]
    assert plan(A, B, A2, mode="cyclic", count=4) == [("A", 100), ("B", 80), ("A", 150), ("B", 80)]


def test_one_identity_for_ever_is_one_segment():
    assert plan(A, mode="cyclic") == plan(A, A2, mode="cyclic") == [("A", None)]


@pytest.mark.parametrize(
    "record",
    [{}, {"schedule": None}, {"schedule": {}}, {"schedule": {"regimes": []}}, {"schedule": {"regimes": [1]}}],
)
def test_what_is_no_schedule_foresees_nothing(record):
    assert list(planned_segments(record)) == []
    assert shortest_planned({**record, "steps": 100}) is None


@pytest.mark.parametrize(
    ("regimes", "mode", "steps", "shortest"),
    [
        ((A, B), "cyclic", 1000, 80),
        ((A, B), "cyclic", 150, 100),
        ((A, B), "cyclic", 60, 60),
        ((A, B), "abrupt", 1000, 100),
        ((A, A2, B), "cyclic", 10**18, 80),
        ((A, B), "cyclic", 180, 80),
        ((A,), "cyclic", 500, 500),
        ((A, B), "cyclic", None, None),
    ],
)
def test_the_shortest_segment_is_one_that_the_run_does_not_cut(regimes, mode, steps, shortest):
    assert shortest_planned(header(*regimes, mode=mode, steps=steps)) == shortest


@pytest.mark.parametrize(("steps", "window"), [(3, 5), (100, 5), (119, 5), (120, 6), (1000, 50), (4000, 64)])
def test_a_window_is_a_twentieth_of_a_segment_between_5_and_64(steps, window):
    assert default_window(steps) == window
