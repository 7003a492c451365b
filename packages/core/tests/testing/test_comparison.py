"""Differences are found wherever they are, and only where there are any."""

import copy
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.ports import ActionOutcome
from skyfall_crl.testing.comparison import difference, mentions, renamed

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ARRAYS = st.lists(st.floats(width=32), max_size=3).map(lambda numbers: np.array(numbers, np.float32))
VALUES = st.recursive(
    SCALARS | ARRAYS,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_a_copy_is_equal(value: Any) -> None:
    """NaN and arrays included."""
    assert difference(value, copy.deepcopy(value)) is None


@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_another_value_is_found_at_its_place(values: list[Any], data: st.DataObject) -> None:
    """The place is named from the outside in."""
    place = data.draw(st.integers(0, len(values) - 1))
    other = [*values[:place], object(), *values[place + 1 :]]
    found = difference({"a": values}, {"a": other})
    assert found is not None
    assert found.startswith(f"['a'][{place}]: <object")


@pytest.mark.parametrize(
    ("expected", "found", "message"),
    [
        ({"a": 1}, {"b": 1}, "keys ['b'], expected ['a']"),
        ([1, 2], (1,), "1 items, expected 2"),
        (np.zeros(2), np.zeros(3), "array([0., 0., 0.]), expected array([0., 0.])"),
        (2**70 + 1, float(2**70), "1.1805916207174113e+21, expected 1180591620717411303425"),
        (0.1 + 0.2, 0.3, "0.3, expected 0.30000000000000004"),
        (True, "True", "'True', expected True"),
        (1.0, math.nan, "nan, expected 1.0"),
    ],
)
def test_a_difference_says_both_sides(expected: Any, found: Any, message: str) -> None:
    """What was found comes first."""
    assert difference(expected, found) == message


def test_figures_may_lie_apart_as_far_as_allowed() -> None:
    """Relatively, and for arrays as well."""
    assert difference(0.1 + 0.2, 0.3, tolerance=1e-9) is None
    assert difference(np.array([1.0]), np.array([1.0 + 1e-12]), tolerance=1e-9) is None
    assert difference(1.0, 1.1, tolerance=1e-9) is not None
    assert difference(math.inf, -math.inf, tolerance=1e-9) is not None


def test_outcomes_are_compared_as_rows() -> None:
    """One that came back from JSON is a mapping."""
    outcome = ActionOutcome(True, sent=True, tickets=("a",))
    assert difference(outcome, {"accepted": True, "sent": True, "tickets": ["a"]}) is None
    assert difference(outcome, {"accepted": False, "sent": True, "tickets": ["a"]}) is not None


def test_a_name_is_replaced_in_every_text() -> None:
    """Other values stay as they are."""
    value = {"path": "/w1/a", "both": ["w1", 1], "deep": ({"at": "w1w1"},)}
    assert renamed(value, "w1", "w2") == {"path": "/w2/a", "both": ["w2", 1], "deep": [{"at": "w2w2"}]}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a conformance-id b", True),
        (b"conformance-id", True),
        ({"conformance-id": 1}, True),
        ([0, ("x", "conformance-id")], True),
        (np.array(["conformance-id"]), True),
        (np.array([{"a": "conformance-id"}], object), True),
        (np.frombuffer(b"..conformance-id", np.uint8), True),
        ([1, "conformance", {"id": None}], False),
        (np.zeros(3), False),
    ],
)
def test_a_text_is_found_wherever_it_stands(value: Any, found: bool) -> None:
    """An id can hide in keys, bytes and arrays."""
    assert mentions(value, "conformance-id") is found
