"""A run beside a learner from scratch, and how recoveries change from visit to visit."""

import json
from pathlib import Path

import pytest

from skyfall_crl.metrics import Parameters
from skyfall_crl.metrics.companion import (
    Companions,
    entry_gap,
    forward_transfer_auc,
    jumpstart,
    relative_performance,
)
from skyfall_crl.metrics.levels import Levels
from skyfall_crl.metrics.recovery import performance_recovery, recovery_across
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.stability import detrended_deviation, window_deviation

GOLDEN = json.loads((Path(__file__).parent / "golden" / "matrix_golden.json").read_text())
UNKNOWN = Levels(None, None)
TEN = Parameters(window=10)
NAN = float("nan")


class TestJumpstart:
    def test_is_the_entry_above_the_mean_entry_from_scratch(self, segment):
        scratch = Companions(scratch=[segment([0.1, 0.9]), segment([0.3, 0.9])])
        score = jumpstart(segment([0.5, 0.9]), scratch)

        assert (score.value, score.detail["n"]) == (pytest.approx(0.3), 2)

    def test_compares_equal_configurations_and_budgets_alone(self, segment):
        others = [segment([0.1] * 3), segment([0.1] * 2, identity="B")]

        assert jumpstart(segment([0.5, 0.9]), Companions(scratch=others)).reason == "no_scratch"

    def test_says_where_a_reward_is_missing(self, segment):
        scratch = Companions(scratch=[segment([NAN, 0.9], entry=None)])

        assert jumpstart(segment([0.5, 0.9]), scratch).reason == "null_reward"
        assert (
            jumpstart(segment([NAN], entry=None), Companions(scratch=[segment([0.1])])).reason
            == "null_reward"
        )


class TestForwardTransferByArea:
    def test_agrees_with_an_independent_program(self, segment):
        example = GOLDEN["CW forward transfer example"]
        own, scratch = segment([example["AUC"]]), segment([example["AUC_b"]])
        score = forward_transfer_auc(own, Companions(scratch=[scratch]), UNKNOWN)

        assert score.value == pytest.approx(example["FT=(AUC-AUC_b)/(1-AUC_b)"], rel=0, abs=1e-9)

    def test_takes_the_bounds_for_0_and_1(self, segment):
        scratch = Companions(scratch=[segment([15.0])])

        assert forward_transfer_auc(segment([17.5]), scratch, Levels(20.0, 10.0)).value == pytest.approx(0.5)

    @pytest.mark.parametrize(
        ("windows", "scratch", "levels", "changes", "reason"),
        [
            ([0.5], [0.5], UNKNOWN, {"visit": 1}, "revisit"),
            ([0.5], [], UNKNOWN, {}, "no_scratch"),
            ([1.5], [0.5], UNKNOWN, {}, "not_scaled"),
            ([0.5], [-0.5], Levels(1.0, None), {}, "not_scaled"),
            ([0.5], [1.0], UNKNOWN, {}, "degenerate_scale"),
            ([NAN], [0.5], UNKNOWN, {"nulls": 10}, "no_reward"),
        ],
    )
    def test_says_why_there_is_none(self, segment, windows, scratch, levels, changes, reason):
        companions = Companions(scratch=[segment(scratch)] if scratch else [])

        assert forward_transfer_auc(segment(windows, **changes), companions, levels).reason == reason


class TestRelativePerformance:
    def test_is_a_share_of_the_windows_of_a_learner_from_scratch(self, segment):
        visits = [segment([0.2, 0.4]), segment([0.6, 0.6], visit=1)]
        experts = [
            segment([0.5, 0.5, 0.5]),
            segment([0.8] * 5),
            segment([9.0], visit=1),
            segment([9.0], identity="B"),
        ]
        score = relative_performance([visits], Companions(scratch=experts))

        assert (score.value, score.detail["n"]) == (pytest.approx((1.2 / 1.5 + 1.8 / 3.2) / 2), 2)

    @pytest.mark.parametrize(
        ("windows", "scratch", "reason"),
        [
            ([0.5], None, "no_scratch"),
            ([0.5], [], "too_short"),
            ([NAN], [0.5], "null_reward"),
            ([0.5], [-0.5], "degenerate_scale"),
        ],
    )
    def test_says_why_there_is_none(self, segment, windows, scratch, reason):
        companions = Companions(scratch=() if scratch is None else [segment(scratch)])

        assert relative_performance([[segment(windows)]], companions).reason == reason


class TestEntryGap:
    def test_belongs_to_the_same_shift(self, segment):
        reference = Companions(reference=[segment([0.9], ordinal=1), segment([0.4], ordinal=2)])

        assert entry_gap(segment([0.1], ordinal=2), reference).value == pytest.approx(0.3)
        assert entry_gap(segment([0.1], ordinal=3), reference).reason == "no_reference"
        assert entry_gap(segment([0.1], ordinal=0), reference).reason == "no_shift"


class TestPerformanceRecovery:
    def test_is_the_median_slope_with_the_sign_turned(self):
        """The recovery times of an independent program, whose answer is 12.5."""
        times = [Score.missing("first_visit"), *map(Score.of, (60, 40, 35))]

        assert performance_recovery([times]).value == 12.5
        assert performance_recovery([list(map(Score.of, (31, 26, 17)))]).value == 7

    def test_is_a_mean_over_worlds(self):
        worlds = [[Score.of(20), Score.of(10)], [Score.of(10), Score.of(10)], [Score.of(5)]]
        score = performance_recovery(worlds)

        assert (score.value, score.detail["n"]) == (5, 2)

    def test_counts_visits_that_have_no_time(self):
        assert performance_recovery([[Score.of(20), Score.missing("too_short"), Score.of(10)]]).value == 5

    def test_needs_two_times_and_none_cut_short(self):
        assert performance_recovery([[Score.of(1)]]).reason == "few_revisits"
        assert (
            performance_recovery([[Score.of(1), Score.of(2), Score.missing("censored")]]).reason == "censored"
        )


class TestRecoveryAcross:
    @pytest.mark.parametrize(
        ("levels", "before", "reason"),
        [
            (Levels(None, 0.0), Levels(1.0, 0.0), "no_upper_bound"),
            (Levels(1.0, 0.0), Levels(1.0, None), "no_lower_bound"),
            (Levels(1.0, 1.0), Levels(1.0, 0.0), "degenerate_scale"),
        ],
    )
    def test_says_why_there_is_none(self, segment, levels, before, reason):
        one, other = segment([0.5] * 4), segment([0.5] * 4, ordinal=1)

        assert recovery_across(other, one, levels, before, TEN).reason == reason

    def test_needs_a_level_to_come_back_to(self, segment):
        both = Levels(1.0, 0.0)
        unknown = segment([0.5] * 4, terminal=None)

        assert recovery_across(segment([0.5] * 4), unknown, both, both, TEN).reason == "null_reward"
        assert recovery_across(segment([0.5] * 3), segment([0.5]), both, both, TEN).reason == "too_short"


class TestDetrendedDeviation:
    def test_passes_over_a_steady_trend(self, segment):
        trend = segment([float(level) for level in range(20)])

        assert detrended_deviation(trend, TEN).value == pytest.approx(0)
        assert window_deviation(trend, TEN).value > 3

    def test_is_the_plain_deviation_for_noise(self, segment):
        """Alternating windows differ by twice their distance from the mean."""
        score = detrended_deviation(segment([0.0, 1.0] * 50), TEN)

        assert score.value == pytest.approx(
            2**0.5 * window_deviation(segment([0.0, 1.0] * 50), TEN).value, rel=0.02
        )

    def test_says_why_there_is_none(self, segment):
        assert detrended_deviation(segment([0.5] * 3), TEN).reason == "too_short"
        assert detrended_deviation(segment([0.5] * 4), TEN).reason == "too_short"
        assert detrended_deviation(segment([0.5, 0.5, NAN, 0.5]), TEN).reason == "null_reward"
