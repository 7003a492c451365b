"""Observations become rows of numbers."""

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.policies import FeatureEncoder

SHAPES = st.sampled_from([(), (1,), (4,), (2, 3), (2, 1, 2)])
BOXES = st.builds(
    lambda shape, dtype, low: spaces.Box(low, 9, shape, dtype),
    SHAPES,
    st.sampled_from([np.float32, np.float64, np.int16]),
    st.integers(-9, 8),
)
LEAVES = st.one_of(
    BOXES,
    st.builds(lambda n, start: spaces.Discrete(n, start=start), st.integers(1, 5), st.integers(-3, 3)),
    st.builds(spaces.MultiBinary, st.integers(1, 4)),
)
DICTS = st.dictionaries(
    st.sampled_from("zab"),
    LEAVES | st.dictionaries(st.sampled_from("yx"), LEAVES, min_size=1).map(spaces.Dict),
    min_size=1,
).map(spaces.Dict)
SPACES = LEAVES | DICTS


@settings(max_examples=60)
@given(space=SPACES, seed=st.integers(0, 99), count=st.integers(0, 4))
def test_features_are_those_of_gymnasium_flatten(space: spaces.Space, seed: int, count: int) -> None:
    space.seed(seed)
    batch = [space.sample() for _ in range(count)]
    encoder = FeatureEncoder(space)
    features = encoder.encode(batch)
    assert features.shape == (count, encoder.size) == (count, spaces.flatdim(space))
    assert features.dtype == np.float64
    for row, observation in zip(features, batch, strict=True):
        np.testing.assert_array_equal(row, spaces.flatten(space, observation))


def test_bytes_are_scaled_to_the_unit_interval_by_their_bounds() -> None:
    encoder = FeatureEncoder(spaces.Box(0, 255, (2, 2), np.uint8))
    features = encoder.encode([np.array([[0, 51], [102, 255]], dtype=np.uint8)])
    np.testing.assert_allclose(features, [[0.0, 0.2, 0.4, 1.0]])


def test_a_byte_with_equal_bounds_does_not_divide_by_zero() -> None:
    encoder = FeatureEncoder(spaces.Box(7, 7, (1,), np.uint8))
    assert encoder.encode([np.array([7], dtype=np.uint8)]).tolist() == [[0.0]]


def test_a_stacked_batch_is_read_like_a_list_of_observations() -> None:
    stacked = np.arange(6, dtype=np.float32).reshape(3, 2)
    encoder = FeatureEncoder(spaces.Box(-9, 9, (2,), np.float32))
    np.testing.assert_array_equal(encoder.encode(stacked), encoder.encode(list(stacked)))


@pytest.mark.parametrize(
    "space",
    [
        spaces.Text(5),
        spaces.Dict({"queue": spaces.Box(0, 1, (2,)), "ticket": spaces.Text(5)}),
        spaces.Dict({"inner": spaces.Dict({"ticket": spaces.Sequence(spaces.Discrete(2))})}),
        spaces.Tuple((spaces.Discrete(2),)),
    ],
)
def test_other_spaces_are_refused_by_name_with_what_is_supported(space: spaces.Space) -> None:
    with pytest.raises(PolicyError, match=r"Box, Discrete, MultiBinary and Dict") as caught:
        FeatureEncoder(space)
    if isinstance(space, spaces.Dict):
        assert "ticket" in str(caught.value)


def test_a_missing_member_is_named() -> None:
    encoder = FeatureEncoder(spaces.Dict({"a": spaces.Dict({"b": spaces.Box(0, 1, (1,))})}))
    with pytest.raises(PolicyError, match=r"'a\.b'"):
        encoder.encode([{"a": {"c": 1}}])


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2)), ["x", "y"], None])
def test_an_observation_of_another_shape_is_refused(wrong: object) -> None:
    encoder = FeatureEncoder(spaces.Box(0, 1, (2,)))
    with pytest.raises(PolicyError, match=r"shape \(2,\)"):
        encoder.encode([wrong])
    with pytest.raises(PolicyError, match=r"shape \(2,\)"):
        encoder.encode([np.zeros(2), wrong])


def test_a_discrete_value_outside_its_space_is_refused() -> None:
    with pytest.raises(PolicyError, match=r"Discrete\(2\)"):
        FeatureEncoder(spaces.Discrete(2)).encode([0, 2])
