"""What can't be recorded faithfully, or read, is refused by name; no part of a space is ever returned."""

import json
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import CrlError
from skyfall_crl.serve.spaces import UnsupportedSpace, space_from_dict, space_to_dict


class OwnBox(spaces.Box):
    """A box that could only come back as a plain one."""


class OwnSpace(gymnasium.Space[Any]):
    """A space nobody else knows."""


BOX = {"type": "Box", "shape": [2], "dtype": "float32", "low": 0.0, "high": 1.0}


def deep(levels: int) -> Any:
    """Return data of a space within spaces, so many levels deep."""
    data: Any = {"type": "Discrete", "n": 2, "start": 0, "dtype": "int64"}
    for _ in range(levels):
        data = {"type": "Tuple", "spaces": [data]}
    return data


def test_an_unsupported_space_is_a_type_error_and_one_line() -> None:
    """Callers may catch it as either."""
    assert issubclass(UnsupportedSpace, TypeError)
    assert issubclass(UnsupportedSpace, CrlError)


@pytest.mark.parametrize(
    "space",
    [
        OwnBox(0, 1),
        OwnSpace(),
        spaces.Dict({"a": spaces.Tuple([OwnBox(0, 1)])}),
        spaces.Dict({(1, 2): spaces.Discrete(2)}),  # type: ignore[dict-item]
        spaces.Box(0, 1, (2,), np.longdouble),  # type: ignore[arg-type]
    ],
    ids=["subclass", "stranger", "nested subclass", "odd key", "odd number"],
)
def test_only_exact_types_are_recorded(space: Any) -> None:
    """A subclass would come back as something else, so it is refused, also inside another space."""
    with pytest.raises(UnsupportedSpace):
        space_to_dict(space)


@pytest.mark.parametrize(
    "data",
    [
        [],
        "Box",
        {},
        {"type": "Ball"},
        {"type": ["Box"]},
        {**BOX, "low": "minus"},
        {**BOX, "low": None},
        {**BOX, "low": True},
        {**BOX, "low": float("nan")},
        {**BOX, "low": 10**400},
        {**BOX, "low": 0.1},
        {**BOX, "low": [0.0]},
        {**BOX, "low": 2.0},
        {**BOX, "low": {"zlib": "!!"}},
        {**BOX, "low": {"zlib": "eJwDAAAAAAE="}},
        {**BOX, "low": {"zlib": 3}},
        {**BOX, "low": {"pickle": "gASVCg=="}},
        {**BOX, "shape": [-1]},
        {**BOX, "shape": [True]},
        {**BOX, "shape": [1 << 20, 1 << 20]},
        {**BOX, "shape": [1] * 99},
        {**BOX, "shape": 2},
        {**BOX, "dtype": "object"},
        {**BOX, "dtype": "U4"},
        {**BOX, "dtype": 4},
        {**BOX, "dtype": "uint8", "low": -1},
        {**BOX, "dtype": "uint8", "high": 256},
        {**BOX, "colour": "red"},
        {key: BOX[key] for key in ("type", "shape", "low", "high")},
        {"type": "Discrete", "n": 0, "start": 0, "dtype": "int64"},
        {"type": "Discrete", "n": 1.5, "start": 0, "dtype": "int64"},
        {"type": "Discrete", "n": 1 << 70, "start": 0, "dtype": "int64"},
        {"type": "MultiBinary", "n": 0},
        {"type": "MultiBinary", "n": "3"},
        {"type": "MultiDiscrete", "shape": [1], "dtype": "int64", "nvec": [0], "start": [0]},
        {"type": "Text", "min_length": 0, "max_length": 3},
        {"type": "Text", "min_length": 0, "max_length": 3, "characters": "aa"},
        {"type": "Text", "min_length": 4, "max_length": 3, "characters": "a"},
        {"type": "Text", "min_length": 0, "max_length": 3, "ranges": [[5, 1]]},
        {"type": "Text", "min_length": 0, "max_length": 3, "ranges": [[0, 1 << 30]]},
        {"type": "Text", "min_length": 0, "max_length": 3, "ranges": [[0, 9], [5, 12]]},
        {"type": "Dict", "keys": ["a"], "spaces": []},
        {"type": "Dict", "keys": ["a", "a"], "spaces": [BOX, BOX]},
        {"type": "Dict", "keys": [None], "spaces": [BOX]},
        {"type": "Dict", "keys": "a", "spaces": [BOX]},
        {"type": "Dict", "keys": ["a"], "spaces": [{**BOX, "low": 7}]},
        {"type": "Tuple", "spaces": {}},
        {"type": "Tuple", "spaces": [None]},
        {"type": "OneOf", "spaces": []},
        {"type": "Sequence", "stack": 1, "space": BOX},
        {"type": "Sequence", "stack": False, "space": None},
        {"type": "Graph", "nodes": None, "edges": None},
        deep(100),
    ],
    ids=lambda data: str(data)[:60],
)
def test_data_that_is_no_space_is_refused(data: Any) -> None:
    """Whatever is wrong, and however deep, the answer is one named error."""
    with pytest.raises(UnsupportedSpace):
        space_from_dict(data)


def test_many_large_parts_are_counted_together() -> None:
    """Nine spaces below the limit are above it."""
    data = {"type": "Tuple", "spaces": [{"type": "MultiBinary", "n": 1 << 22} for _ in range(9)]}
    with pytest.raises(UnsupportedSpace, match="elements"):
        space_from_dict(data)


def test_a_deeply_nested_space_is_refused_when_it_is_recorded() -> None:
    """What could not be read again isn't written."""
    space: Any = spaces.Discrete(2)
    for _ in range(100):
        space = spaces.Tuple([space])
    with pytest.raises(UnsupportedSpace, match="levels"):
        space_to_dict(space)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_damaged_record_gives_a_space_or_a_named_error(data: st.DataObject) -> None:
    """One value anywhere in a record is replaced by another."""
    space = spaces.Dict(
        {
            "a": spaces.Box(np.array([0.0, -np.inf], np.float32), 1.0),
            "b": spaces.Tuple([spaces.Discrete(3), spaces.Text(4, charset="xyz"), spaces.MultiBinary(3)]),
            "c": spaces.Sequence(spaces.MultiDiscrete([2, 3], start=[1, 1])),
        }
    )
    record = json.loads(json.dumps(space_to_dict(space)))
    places: list[tuple[Any, Any]] = []
    waiting = [record]
    while waiting:
        value = waiting.pop()
        for key in value if isinstance(value, dict) else range(len(value)):
            places.append((value, key))
            if isinstance(value[key], dict | list):
                waiting.append(value[key])
    holder, key = data.draw(st.sampled_from(places))
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
    holder[key] = data.draw(scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(), scalars))
    try:
        found = space_from_dict(record)
    except UnsupportedSpace:
        return
    assert space_from_dict(space_to_dict(found)) == found
