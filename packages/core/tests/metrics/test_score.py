"""Means and medians of scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.metrics import FORMULAS, REASONS, Score
from skyfall_crl.metrics.formulas import FLAGS
from skyfall_crl.metrics.score import mean_score
from skyfall_crl.metrics.survival import censored_median

times = st.lists(st.integers(0, 50).map(float), min_size=1, max_size=15)


def test_a_mean_leaves_out_what_is_missing_and_counts_what_is_there():
    score = mean_score(
        [Score.of(1), Score.missing("too_short"), Score.of(2).flagged("truncated")], "no_shift"
    )

    assert (score.value, score.flags, dict(score.detail)) == (
        1.5,
        ("truncated",),
        {"n": 2, "statistic": "mean"},
    )


@pytest.mark.parametrize(
    ("reasons", "expected"), [([], "no_shift"), (["a", "b", "b"], "b"), (["a", "b"], "a")]
)
def test_a_mean_of_nothing_has_the_most_frequent_reason(reasons, expected):
    assert mean_score([Score.missing(reason) for reason in reasons], "no_shift").reason == expected


def test_where_events_are_censored_the_median_stands_for_the_mean():
    scores = [Score.of(10), Score.of(20), Score.of(400), Score.missing("censored", censored_at=500)]
    score = mean_score(scores, "no_shift")

    assert (score.value, dict(score.detail)) == (20, {"n": 3, "censored": 1, "statistic": "median"})


def test_a_median_that_most_never_reach_is_missing():
    scores = [Score.of(10), *(Score.missing("censored", censored_at=500) for _ in range(2))]

    assert mean_score(scores, "no_shift").reason == "censored"


@pytest.mark.parametrize(
    ("events", "censored", "median"),
    [
        ([1.0, 2.0, 3.0], [], 2.0),
        ([1.0, 2.0], [], 1.0),
        ([3.0, 5.0], [1.0, 1.0], 3.0),
        ([2.0], [2.0], 2.0),
        ([2.0], [1.0], 2.0),
        ([1.0], [2.0, 2.0], None),
        ([], [4.0], None),
    ],
)
def test_the_median_counts_those_who_left_early_as_long_as_they_were_there(events, censored, median):
    assert censored_median(events, censored) == median


@given(events=times)
def test_without_censoring_the_median_is_the_lower_one(events):
    assert censored_median(events, []) == sorted(events)[(len(events) - 1) // 2]


@given(events=times, censored=times)
def test_half_of_those_who_could_have_reached_the_event_have_by_the_median(events, censored):
    median = censored_median(events, censored)
    slower = censored_median([*events, 1000.0], censored)

    assert median is None or median in events
    assert median is None or slower is None or slower >= median


def test_every_formula_says_unit_and_direction_under_its_own_name():
    assert all(formula.name == name and formula.words and formula.unit for name, formula in FORMULAS.items())
    assert {formula.better for formula in FORMULAS.values()} == {"higher", "lower"}


def test_every_reason_and_flag_is_put_in_words():
    assert all(words and words != code for code, words in {**REASONS, **FLAGS}.items())
