"""The return scale follows the returns it is shown."""

import numpy as np
import pytest

from skyfall_crl.train.algorithms.scale import ReturnScale


def test_before_the_first_window_it_changes_nothing() -> None:
    scale = ReturnScale()
    assert (scale.mean, scale.spread) == (0.0, 1.0)


def test_the_first_window_sets_it_and_later_ones_move_it_slowly() -> None:
    scale = ReturnScale()
    scale.follow(np.array([8.0, 12.0]))
    assert (scale.mean, scale.spread) == pytest.approx((10.0, 2.0))
    for _ in range(200):
        scale.follow(np.array([8.0, 12.0]))
    scale.follow(np.array([1000.0]))
    assert 10.0 < scale.mean < 30.0


def test_constant_returns_have_a_spread_to_divide_by() -> None:
    scale = ReturnScale()
    scale.follow(np.full(5, 0.1))
    assert scale.spread > 0
    assert abs(0.1 - scale.mean) / scale.spread < 1


def test_its_state_can_be_taken_up_again() -> None:
    scale, other = ReturnScale(), ReturnScale()
    scale.follow(np.array([1.0, 2.0, 4.0]))
    other.state = scale.state
    assert scale.state.shape == (ReturnScale.SIZE,)
    for one in (scale, other):
        one.follow(np.array([3.0, 5.0]))
    assert (scale.mean, scale.spread) == (other.mean, other.spread)
