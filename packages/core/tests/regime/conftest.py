"""Strategies for schedules of every mode."""

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import strategies as st

NUMBERS = st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9)
AXIS_VALUES = (
    NUMBERS
    | st.sampled_from(["low", "high", True, None, [], ["x", 1.5]])
    | st.lists(NUMBERS, min_size=2, max_size=2)
    | st.fixed_dictionaries({"a": NUMBERS, "b": st.tuples(NUMBERS).map(list)})
)
AXES = st.dictionaries(st.sampled_from(["demand", "mix", "mode"]), AXIS_VALUES)


@st.composite
def _schedules(draw: st.DrawFn, modes: tuple[str, ...]) -> dict[str, Any]:
    mode = draw(st.sampled_from(modes))
    count = draw(st.integers(1, 5))
    window = draw(st.integers(1, 6)) if mode == "linear_drift" else 0
    entries: list[dict[str, Any]] = []
    for number in range(count):
        entry: dict[str, Any] = {"regime_id": f"r{number}"}
        last = number == count - 1
        if not last or mode == "cyclic" or draw(st.booleans()):
            entry["duration_steps"] = draw(st.integers(window or 1, 9))
        # An alias may repeat any entry but those that lead back to it, so it only looks backwards here.
        if number and draw(st.booleans()):
            entry["alias_of"] = f"r{draw(st.integers(0, number - 1))}"
        else:
            entry["axes"] = draw(AXES)
        entries.append(entry)
    order = draw(st.permutations(entries)) if mode == "cyclic" else entries
    data: dict[str, Any] = {"shift_mode": mode, "regimes": list(order)}
    if window:
        data["drift_window"] = window
    return data


@pytest.fixture(scope="session")
def schedules() -> Any:
    """Return a function from shift modes to a strategy of schedule mappings."""
    return lru_cache(lambda *modes: _schedules(modes or ("abrupt", "cyclic", "linear_drift")))
