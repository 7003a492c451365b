"""Medians of waiting times of which some were cut short."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics.statistics import kaplan_meier_median, kaplan_meier_median_by_seed

waits = st.lists(st.integers(0, 50).map(float), max_size=20)


def test_without_censoring_it_is_the_lower_median():
    assert kaplan_meier_median([4, 1, 3, 2], []).value == 2
    assert kaplan_meier_median([5, 1, 3], []).value == 3


def test_what_was_cut_short_counts_as_longer():
    assert kaplan_meier_median([1, 2, 3], [10, 10]).value == 3


def test_the_interval_is_that_of_a_textbook_example():
    """Ten waits without censoring: limits by the log-log transform, worked out by hand.

    With S = .9 .. .1 behind the waits, the lower limit first falls to a half at S = .9 (to .473), the upper
    one at S = .2 (to .475).
    """
    found = kaplan_meier_median(range(1, 11), [])

    assert (found.low, found.value, found.high, found.n) == (1, 5, 8, 10)


def test_an_end_that_the_waits_do_not_reach_is_none():
    found = kaplan_meier_median([1, 2, 3], [3, 3])

    assert (found.value, found.high) == (3, None)
    assert "unbounded" in found.flags


def test_there_is_a_reason_where_fewer_than_half_got_there_or_nobody_waited():
    assert kaplan_meier_median([1], [2, 2]).reason == "censored"
    assert kaplan_meier_median([], []).reason == "no_event"
    assert kaplan_meier_median_by_seed({0: [1]}, {0: [2, 2]}).reason == "censored"
    assert kaplan_meier_median_by_seed({0: []}, {}).reason == "no_event"


@settings(max_examples=60, deadline=None)
@given(waits, waits)
def test_the_median_lies_within_its_interval(times, censored_at):
    found = kaplan_meier_median(times, censored_at)

    if found.value is not None:
        assert found.value in times
        assert found.low is None or found.low <= found.value
        assert found.high is None or found.high >= found.value


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(waits, waits), min_size=2, max_size=6))
def test_drawing_seeds_keeps_the_median_of_all(seeds):
    times = {seed: entry[0] for seed, entry in enumerate(seeds)}
    censored_at = {seed: entry[1] for seed, entry in enumerate(seeds)}
    found = kaplan_meier_median_by_seed(times, censored_at)
    pooled = kaplan_meier_median(list(chain(*times.values())), list(chain(*censored_at.values())))

    assert (found.value, found.reason) == (pooled.value, pooled.reason)
    assert found.n == len(seeds)


def test_seeds_that_stand_or_fall_together_widen_the_interval():
    """The same waits count for less when all of a seed's come together."""
    generator = np.random.default_rng(0)
    alike = {seed: [float(wait)] * 8 for seed, wait in enumerate(generator.integers(1, 100, 12))}
    apart = {seed: generator.integers(1, 100, 8).astype(float).tolist() for seed in range(12)}
    together, mixed = (kaplan_meier_median_by_seed(times, {}) for times in (alike, apart))

    assert together.high - together.low > mixed.high - mixed.low


def test_one_seed_has_no_interval():
    found = kaplan_meier_median_by_seed({4: [1.0, 2.0]}, {})

    assert (found.low, found.value, found.high) == (None, 1, None)


@pytest.mark.slow
def test_nineteen_of_twenty_intervals_hold_the_true_median():
    generator = np.random.default_rng(3)
    held = rounds = 0
    for _ in range(400):
        waits, limits = generator.exponential(10, 30), generator.uniform(5, 40, 30)
        found = kaplan_meier_median(waits[waits <= limits].tolist(), limits[waits > limits].tolist())
        if found.value is not None:
            rounds += 1
            high = np.inf if found.high is None else found.high
            held += found.low <= 10 * np.log(2) <= high

    assert held / rounds == pytest.approx(0.95, abs=0.04)
