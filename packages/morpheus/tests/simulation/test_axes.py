"""Axes: what is taken, what is read back, what is refused and how that reads."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation.axes import completed, conditions
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named

NAMES = st.sampled_from("ABC")
RATES = st.lists(st.floats(0, 100), min_size=7, max_size=7)


@st.composite
def mixes(draw: st.DrawFn) -> list[list[float]]:
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1000)] * 3), min_size=7, max_size=7))
    return [[part / (sum(row) or 1) for part in row] if sum(row) else [1.0, 0.0, 0.0] for row in rows]


AXES = st.fixed_dictionaries(
    {},
    optional={
        "cause_mix": NAMES | mixes(),
        "payment_terms": NAMES | RATES,
        "fault_probability": st.floats(0, 1) | st.lists(st.floats(0, 1), min_size=7, max_size=7),
        "demand": st.floats(0, 4) | st.integers(0, 4),
    },
)


@given(AXES)
def test_what_is_pushed_is_read_back_and_the_rest_is_the_default(axes: dict[str, Any]) -> None:
    layout = layout_named("process-outbound")
    defaults = {"cause_mix": "A", "payment_terms": "A", "fault_probability": 0.15, "demand": 0.7}
    assert completed(layout, axes) == {**defaults, **axes}
    assert completed(layout, completed(layout, axes)) == completed(layout, axes)


@given(AXES)
def test_thresholds_are_whole_numbers_in_order(axes: dict[str, Any]) -> None:
    layout = layout_named("process-outbound")
    now = conditions(layout, completed(layout, axes))
    assert all(isinstance(t, int) and 0 <= t <= 2**32 for t in now.faults)
    assert all(0 <= low <= high <= 2**32 + 2**13 for low, high in now.causes)
    assert all(isinstance(rate, int) for rate in now.late_rates)
    assert 0 <= now.arrival_threshold <= 2**32


def test_a_name_means_the_numbers_of_that_configuration(layout: Layout) -> None:
    named = conditions(layout, completed(layout, {"cause_mix": "B", "payment_terms": "C"}))
    b, c = layout.configurations[1:]
    spelled = {"cause_mix": [list(row) for row in b.cause_mix], "payment_terms": list(c.late_rates)}
    assert conditions(layout, completed(layout, spelled)) == named


@pytest.mark.parametrize(
    ("axes", "complaint"),
    [
        ({"capacity": 2}, r"expected axes of process-outbound \(cause_mix, .*\), found 'capacity'"),
        ({"cause_mix": "D"}, "cause_mix: expected one of A, B, C or a 7 x 3 matrix, found 'D'"),
        ({"cause_mix": [[1, 0, 0]] * 6}, "cause_mix: expected a 7 x 3 matrix"),
        ({"cause_mix": [[0.5, 0.5, 0.5]] * 7}, "rows sum to 1"),
        ({"cause_mix": [[2, -1, 0]] * 7}, r"a number in \[0, 1\], found 2"),
        ({"payment_terms": [1] * 8}, "payment_terms: expected 7 late rates"),
        ({"payment_terms": [float("nan")] * 7}, "found nan"),
        ({"fault_probability": 1.01}, r"fault_probability: expected a number in \[0, 1\], found 1.01"),
        (
            {"fault_probability": "high"},
            "fault_probability: expected a probability or 7 of them, found 'high'",
        ),
        ({"demand": 4.5}, r"demand: expected a number in \[0, 4\], found 4.5"),
        ({"demand": True}, "found True"),
        ({"demand": None}, "found None"),
    ],
)
def test_values_that_make_no_sense_are_refused_in_one_line(
    layout: Layout, axes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(BackendError, match=complaint) as caught:
        completed(layout, axes)
    assert "\n" not in str(caught.value)
