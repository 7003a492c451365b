"""A space that went through JSON and YAML is the space it was, by Gymnasium's own equality."""

import json
import string
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.document import dump_yaml, parse_yaml
from skyfall_crl.serve.spaces import space_from_dict, space_to_dict

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)


@st.composite
def boxes(draw: st.DrawFn) -> spaces.Box:
    dtype = np.dtype(draw(st.sampled_from([*INTEGERS, *FLOATS])))
    shape = draw(SHAPES)
    size = int(np.prod(shape, dtype=int))
    if dtype.kind == "f":
        values: st.SearchStrategy[Any] = st.floats(allow_nan=False, width=dtype.itemsize * 8)  # type: ignore[arg-type]
    else:
        limits = np.iinfo(dtype)
        values = st.integers(int(limits.min), int(limits.max))
    pairs = draw(st.lists(st.tuples(values, values), min_size=size, max_size=size))
    low, high = (np.array([choose(pair) for pair in pairs], dtype).reshape(shape) for choose in (min, max))
    return spaces.Box(low, high, shape, dtype.type)


@st.composite
def discretes(draw: st.DrawFn) -> spaces.Discrete:
    count = draw(st.integers(1, 1 << 40))
    return spaces.Discrete(count, start=draw(st.integers(-(1 << 40), 1 << 40)))


@st.composite
def multi_discretes(draw: st.DrawFn) -> spaces.MultiDiscrete:
    shape = draw(SHAPES)
    dtype = draw(st.sampled_from([np.int32, np.int64, np.uint8]))
    size = int(np.prod(shape, dtype=int))
    counts = draw(st.lists(st.integers(1, 99), min_size=size, max_size=size))
    starts = draw(st.lists(st.integers(0, 99), min_size=size, max_size=size))
    nvec, start = (np.array(found, dtype).reshape(shape) for found in (counts, starts))
    return spaces.MultiDiscrete(nvec, dtype=dtype, start=start)


@st.composite
def texts(draw: st.DrawFn) -> spaces.Text:
    least = draw(st.integers(0, 5))
    charset = draw(st.frozensets(st.characters(codec=None), min_size=1, max_size=20))
    return spaces.Text(draw(st.integers(least, 9)), min_length=least, charset=charset)


multi_binaries = st.one_of(
    st.integers(1, 9), st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
).map(spaces.MultiBinary)
simple = st.one_of(boxes(), discretes(), multi_discretes(), texts(), multi_binaries)
graphs = st.builds(spaces.Graph, st.one_of(boxes(), discretes()), st.one_of(st.none(), boxes(), discretes()))
keys = st.one_of(st.text(max_size=5), st.integers(-9, 9))
nested = st.recursive(
    st.one_of(simple, graphs),
    lambda inner: st.one_of(
        st.lists(st.tuples(keys, inner), max_size=3, unique_by=lambda pair: pair[0]).map(spaces.Dict),
        st.lists(inner, max_size=3).map(spaces.Tuple),
        st.lists(inner, min_size=1, max_size=3).map(spaces.OneOf),
        inner.map(spaces.Sequence),
    ),
    max_leaves=6,
)


def returned(space: Any) -> list[Any]:
    """Return the space after a trip through JSON, and after one through YAML."""
    data = space_to_dict(space)
    as_json = json.loads(json.dumps(data, allow_nan=False))
    as_yaml = parse_yaml(dump_yaml(data), "test")
    return [space_from_dict(as_json), space_from_dict(as_yaml)]  # type: ignore[arg-type]


def assert_alike(one: Any, other: Any) -> None:
    """Compare what Gymnasium's equality leaves out as well: types of numbers, exact bounds, order of keys."""
    assert one == other
    assert type(one) is type(other)
    assert one.dtype == other.dtype
    if isinstance(one, spaces.Box):
        assert one.low.tobytes() == other.low.tobytes()
        assert one.high.tobytes() == other.high.tobytes()
        assert (one.bounded_below == other.bounded_below).all()
        assert (one.bounded_above == other.bounded_above).all()
    if isinstance(one, spaces.Dict):
        assert list(one.spaces) == list(other.spaces)
        assert [type(key) for key in one.spaces] == [type(key) for key in other.spaces]
    parts = getattr(one, "spaces", ())
    values = (lambda it: it.spaces.values()) if isinstance(one, spaces.Dict) else (lambda it: it.spaces)
    for mine, theirs in zip(values(one), values(other), strict=True) if parts else ():
        assert_alike(mine, theirs)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(nested)
def test_any_nested_space_comes_back_equal(space: Any) -> None:
    """Generated spaces of every kind, nested in each other, through JSON and through YAML."""
    for back in returned(space):
        assert_alike(space, back)


@pytest.mark.parametrize(
    "space",
    [
        spaces.Box(-np.inf, np.inf, (2, 3)),
        spaces.Box(np.array([-np.inf, 0.0]), np.array([0.0, np.inf]), dtype=np.float64),
        spaces.Box(-np.inf, np.inf, (2,), np.int64),
    ],
    ids=["everywhere", "some", "whole numbers"],
)
def test_infinite_bounds_are_kept_without_a_bare_infinity(space: spaces.Box) -> None:
    """Tokens stand for what JSON lacks; whole numbers keep which sides are unbounded."""
    for back in returned(space):
        assert_alike(space, back)


def test_the_least_length_of_a_text_is_kept() -> None:
    """Gymnasium's default of 1 would refuse the empty text."""
    for back in returned(spaces.Text(9, min_length=0)):
        assert back.min_length == 0
        assert back.contains("")


def test_characters_are_stored_sorted_whatever_order_a_set_has() -> None:
    """The printable set with tab, newline and return, as text in order."""
    space = spaces.Text(9, min_length=0, charset=frozenset(string.printable))
    data = space_to_dict(space)
    assert data is not None
    assert data["characters"] == "".join(sorted(string.printable))
    for back in returned(space):
        assert back == space
        assert back.contains("\t\r\n")


def test_large_sets_of_characters_take_little_room() -> None:
    """Thousands of characters, surrogates included, become ranges."""
    space = spaces.Text(3, charset="".join(map(chr, [*range(0xD000, 0xE100), 0x10FFFF])))
    data = space_to_dict(space)
    assert data is not None
    assert data["ranges"] == [[0xD000, 0xE0FF], [0x10FFFF, 0x10FFFF]]
    assert space_from_dict(data) == space


def test_starts_are_kept() -> None:
    """Both default to zero when they are left out."""
    assert all(back.start == -4 for back in returned(spaces.Discrete(3, start=-4)))
    counted = spaces.MultiDiscrete([2, 3], start=[-1, 5])
    assert all(back.start.tolist() == [-1, 5] for back in returned(counted))


def test_keys_keep_their_order() -> None:
    """An observation is flattened in the order of keys."""
    space = spaces.Dict([("z", spaces.Discrete(2)), ("a", spaces.Discrete(3))])
    assert all(list(back.spaces) == ["z", "a"] for back in returned(space))


def test_stacked_sequences_and_graphs_come_back() -> None:
    """Whether samples are stacked is part of the space."""
    for space in (
        spaces.Sequence(spaces.Box(0, 1, (2,)), stack=True),
        spaces.Graph(spaces.Box(0, 1, (2,)), spaces.Discrete(3)),
        spaces.Graph(spaces.Discrete(2), None),
    ):
        assert all(back == space for back in returned(space))
    assert returned(spaces.Sequence(spaces.Discrete(2), stack=True))[0].stack is True


def test_big_bounds_take_little_room_and_stay_exact() -> None:
    """An image is one number a side; bounds that differ are packed."""
    image = space_to_dict(spaces.Box(0, 255, (210, 160, 3), np.uint8))
    assert len(json.dumps(image)) < 120
    low = np.linspace(-1, 0, 40_000, dtype=np.float32)
    space = spaces.Box(low, low + 1, dtype=np.float32)
    assert len(json.dumps(space_to_dict(space))) < 3 * low.nbytes
    for back in returned(space):
        assert_alike(space, back)


def test_no_space_stays_no_space() -> None:
    """Not every environment declares spaces, and that is recorded."""
    assert space_to_dict(None) is None
    assert space_from_dict(None) is None
