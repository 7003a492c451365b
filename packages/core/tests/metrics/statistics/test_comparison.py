"""One learner against another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics.statistics import paired_difference, probability_of_improvement

several = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=12)


def test_what_seeds_have_in_common_cancels_in_a_paired_difference():
    luck = np.random.default_rng(0).normal(size=20)
    found = paired_difference((luck + 0.1).tolist(), luck.tolist())

    assert (found.low, found.value, found.high) == pytest.approx((0.1, 0.1, 0.1))
    assert (found.n, found.method, found.flags) == (20, "bootstrap_mean", ())


def test_seeds_of_one_side_alone_are_left_out_of_a_difference():
    found = paired_difference({1: 5.0, 2: 1.0, 3: 2.0}, {2: 0.0, 3: 0.0, 4: 100.0})

    assert (found.value, found.n, found.method) == (1.5, 2, "student_t")
    assert "unpaired_seeds" in found.flags


def test_without_common_seeds_there_is_a_reason():
    found = paired_difference({1: 5.0}, {2: 0.0})

    assert (found.value, found.reason) == (None, "no_seed")
    assert probability_of_improvement([], [1.0]).reason == "no_seed"


@settings(max_examples=25, deadline=None)
@given(several, several)
def test_either_side_improves_with_the_probability_that_the_other_leaves(a, b):
    forth, back = probability_of_improvement(a, b), probability_of_improvement(b, a)

    assert forth.value + back.value == pytest.approx(1)
    assert 0 <= forth.low <= forth.high <= 1


@settings(max_examples=15, deadline=None)
@given(several, several)
def test_only_the_order_of_values_matters_to_the_probability(a, b):
    cubes = ([value**3 for value in values] for values in (a, b))

    assert probability_of_improvement(a, b) == probability_of_improvement(*cubes)


def test_all_runs_of_one_side_meet_all_of_the_other_and_ties_count_half():
    assert probability_of_improvement([1.0, 2.0], [1.0, 0.0, 3.0]).value == pytest.approx((1.5 + 2) / 6)


def test_rows_of_values_are_averaged_over_their_columns():
    found = probability_of_improvement([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]])

    assert found.value == pytest.approx((1 + 0.25) / 2)
    with pytest.raises(ValueError, match="as many values on both sides"):
        probability_of_improvement([[1.0, 0.0]], [[1.0]])


def test_one_run_a_side_has_no_interval():
    found = probability_of_improvement([1.0], [0.0])

    assert (found.low, found.value, found.high) == (None, 1, None)
