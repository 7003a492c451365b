"""Means and interquartile means over seeds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics.statistics import (
    Interval,
    bootstrap,
    interquartile_mean,
    mean_interval,
    run_range,
    t_interval,
)
from skyfall_crl.metrics.statistics.student import t_quantile

levels = st.floats(-100, 100)
several = st.lists(levels, min_size=2, max_size=25)


def test_the_interquartile_mean_leaves_whole_values_out_at_either_end():
    assert interquartile_mean([100, 1, 2, 3, -50, 4, 5]) == 3
    assert interquartile_mean([1, 2, 30]) == 11
    assert interquartile_mean([[0, 1], [2, 300]]) == 1.5
    with pytest.raises(ValueError, match="at least one value"):
        interquartile_mean([])


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062047362), (2, 4.3026527297), (4, 2.7764451052), (29, 2.0452296421)]
)
def test_quantiles_of_student_are_those_of_printed_tables(freedom, quantile):
    assert t_quantile(0.975, freedom) == pytest.approx(quantile, abs=1e-9)


@pytest.mark.parametrize(("probability", "freedom"), [(0.4, 3), (1.0, 3), (0.9, 0)])
def test_quantiles_of_student_are_refused_outside_their_range(probability, freedom):
    with pytest.raises(ValueError, match="t_quantile"):
        t_quantile(probability, freedom)


def test_students_interval_is_the_textbook_one():
    found = t_interval([1.0, 2.0, 3.0])

    assert found.value == 2
    assert found.high - 2 == pytest.approx(4.3026527297 / math.sqrt(3))
    assert (found.method, found.n, found.flags) == ("student_t", 3, ("few_seeds",))


@settings(max_examples=25, deadline=None)
@given(several, st.sampled_from(["mean", "iqm"]))
def test_an_interval_holds_its_value_and_stays_within_the_runs(values, statistic):
    found = bootstrap(values, statistic)

    assert found.low - 1e-9 <= found.value <= found.high + 1e-9
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert bootstrap(values, statistic) == found


@settings(max_examples=25, deadline=None)
@given(several, st.floats(-50, 50), st.floats(0.01, 100))
def test_an_interval_moves_and_stretches_with_its_values(values, offset, scale):
    for interval in (bootstrap, t_interval, run_range):
        plain, changed = interval(values), interval([offset + scale * value for value in values])
        for end in ("low", "value", "high"):
            assert getattr(changed, end) == pytest.approx(
                offset + scale * getattr(plain, end), rel=1e-6, abs=1e-6
            )


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.integers(0, 99), levels, min_size=2, max_size=12))
def test_the_order_in_which_seeds_are_named_does_not_matter(values):
    assert bootstrap(values) == bootstrap(dict(reversed(values.items())))


def test_a_seed_is_drawn_with_all_its_values_or_not_at_all():
    """Two seeds far apart, each steady: cells drawn one by one would give levels in between far more often."""
    steady = bootstrap([[0.0] * 50, [1.0] * 50])

    assert (steady.low, steady.value, steady.high) == (0, 0.5, 1)


def test_values_of_one_seed_weigh_as_its_mean():
    assert bootstrap([[1.0, 3.0], [4.0, 6.0]]) == bootstrap([2.0, 5.0])
    assert t_interval([[1.0, 3.0], [4.0, 6.0]]) == t_interval([2.0, 5.0])


def test_under_ten_seeds_the_interval_of_a_mean_is_students_and_marked():
    few, enough = mean_interval([1.0, 2.0] * 4 + [3.0]), mean_interval([1.0, 2.0] * 5)

    assert (few.method, few.flags) == ("student_t", ("few_seeds",))
    assert (enough.method, enough.flags) == ("bootstrap_mean", ())


def test_one_seed_has_a_value_and_no_interval():
    for interval in (bootstrap, t_interval, mean_interval):
        found = interval([0.5])
        assert (found.low, found.value, found.high) == (None, 0.5, None)
        assert found.flags == ("few_seeds", "unbounded")


def test_seeds_without_a_value_are_left_out_and_said_so():
    found = t_interval({3: 1.0, 4: None, 5: math.nan, 6: 2.0})

    assert (found.value, found.n) == (1.5, 2)
    assert "missing_seeds" in found.flags
    assert bootstrap([[1.0, None], [2.0, 2.0]]).n == 1


def test_without_any_seed_there_is_a_reason():
    for interval in (bootstrap, t_interval, mean_interval, run_range):
        found = interval([None])
        assert (found.value, found.reason, found.flags) == (None, "no_seed", ("missing_seeds",))


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="as many values for every seed"):
        bootstrap([[1.0, 2.0], [1.0]])


def test_the_range_of_runs_is_that_of_their_means():
    found = run_range([[1.0, 3.0], [0.0, 0.0], [5.0, 7.0]])

    assert (found.low, found.value, found.high, found.method) == (0, 2, 6, "min_max")


def test_an_interval_is_plain_data():
    assert Interval(0.0, 1.0, 2.0, "min_max", 3, ("few_seeds",)).to_mapping() == {
        "low": 0.0,
        "value": 1.0,
        "high": 2.0,
        "method": "min_max",
        "n": 3,
        "flags": ["few_seeds"],
        "reason": None,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("interval", "seeds", "failing", "expected"),
    [
        (bootstrap, 10, 0.0, 0.91),
        (bootstrap, 20, 0.0, 0.94),
        (t_interval, 5, 0.0, 0.95),
        (t_interval, 10, 0.0, 0.94),
        (bootstrap, 5, 0.15, 0.53),
        (bootstrap, 10, 0.15, 0.79),
        (bootstrap, 20, 0.15, 0.91),
    ],
)
def test_the_share_of_intervals_that_hold_the_truth_is_what_was_measured(interval, seeds, failing, expected):
    """Five regimes, of which a failing run loses all: the shares of an independent program, within their noise."""
    generator = np.random.default_rng(7)
    rounds, truth = 500, 1.0 - 0.8 * failing
    held = 0
    for _ in range(rounds):
        levels = np.where(generator.random(seeds) < failing, 0.2, 1.0)[:, None]
        found = interval((levels + 0.1 * generator.normal(size=(seeds, 5))).tolist())
        held += found.low <= truth <= found.high

    assert held / rounds == pytest.approx(expected, abs=0.05)
