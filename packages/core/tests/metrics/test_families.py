"""Each metric on curves small enough to work out by hand."""

import numpy as np
import pytest

from skyfall_crl.metrics import Parameters
from skyfall_crl.metrics.adaptation import adaptation_to_bound, adaptation_to_own_asymptote
from skyfall_crl.metrics.forgetting import entry_forgetting, final_forgetting
from skyfall_crl.metrics.gap import gap_asymptotic, gap_normalised, gap_remaining, regret, step_coverage
from skyfall_crl.metrics.recovery import recovery
from skyfall_crl.metrics.reward import lifetime_reward, mean_reward, terminal_level
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.stability import deepest_drawdown, window_deviation, worst_drop

TEN = Parameters(window=10)
NAN = float("nan")


class TestReward:
    def test_is_the_mean_over_steps_not_over_segments(self, segment):
        assert mean_reward([segment([1.0] * 3), segment([0.0])]).value == 0.75

    def test_leaves_rows_without_a_reward_out_and_says_so(self, segment):
        score = mean_reward([segment([1.0, NAN], nulls=10, total=10.0)])

        assert (score.value, score.flags) == (1.0, ("null_rewards",))

    def test_is_missing_when_no_row_has_one(self, segment):
        assert mean_reward([segment([NAN], nulls=10, total=0.0)]).reason == "no_reward"
        assert lifetime_reward([segment([NAN], nulls=10, total=0.0)]).reason == "no_reward"
        assert terminal_level(segment([NAN], terminal=None)).reason == "null_reward"

    def test_over_the_lifetime_includes_what_drifts(self, segment):
        drifting = segment([1.0], drift_steps=10, drift_total=0.0)

        assert (mean_reward([drifting]).value, lifetime_reward([drifting]).value) == (1.0, 0.5)


class TestAdaptation:
    def test_is_the_start_of_the_first_window_at_the_level(self, segment):
        assert adaptation_to_bound(segment([0.1, 0.5, 0.9, 0.2]), TEN, upper=1.0, lower=0.0).value == 20

    def test_is_zero_when_the_first_window_is_there(self, segment):
        assert adaptation_to_bound(segment([0.9, 0.1, 0.1, 0.1]), TEN, upper=1.0, lower=0.0).value == 0

    def test_measures_from_the_lower_bound_and_takes_none_for_zero(self, segment):
        curve = segment([0.55, 0.8, 0.93, 0.96])

        assert adaptation_to_bound(curve, TEN, upper=1.0, lower=0.5).value == 30
        without = adaptation_to_bound(curve, TEN, upper=1.0, lower=None)
        assert (without.value, without.flags) == (20, ("no_lower_bound",))

    def test_counts_the_steps_of_a_drift(self, segment):
        assert adaptation_to_bound(segment([0.1, 1, 1, 1], drift_steps=7), TEN, 1.0, 0.0).value == 17

    def test_passes_over_windows_without_a_reward(self, segment):
        assert adaptation_to_bound(segment([0.1, NAN, 0.2, 1.0]), TEN, 1.0, 0.0).value == 30

    def test_is_censored_at_the_length_of_the_segment(self, segment):
        score = adaptation_to_bound(segment([0.1] * 5), TEN, 1.0, 0.0)

        assert (score.value, score.reason, dict(score.detail)) == (None, "censored", {"censored_at": 50})

    @pytest.mark.parametrize(
        ("windows", "upper", "lower", "reason"),
        [
            ([1.0] * 3, 1.0, 0.0, "too_short"),
            ([1.0] * 3, None, 0.0, "too_short"),
            ([1.0] * 4, None, 0.0, "no_upper_bound"),
            ([1.0] * 4, 0.5, 0.5, "degenerate_scale"),
            ([1.0] * 4, -0.5, None, "degenerate_scale"),
        ],
    )
    def test_says_why_there_is_none(self, segment, windows, upper, lower, reason):
        assert adaptation_to_bound(segment(windows), TEN, upper, lower).reason == reason

    def test_to_its_own_level_is_missing_where_nothing_was_to_be_gained(self, segment):
        flat = segment([0.5, 0.5, 0.49, 0.51, 0.48, 0.52], entry=0.5, terminal=0.51)

        assert adaptation_to_own_asymptote(flat, TEN).reason == "no_gap"
        assert adaptation_to_own_asymptote(segment([0.0, 0.5, 1.0, 1.0]), TEN).value == 20

    @pytest.mark.parametrize(
        ("windows", "changes", "reason"),
        [
            ([0.0, 1.0], {}, "too_short"),
            ([NAN, 0.0, 1.0, 1.0], {"entry": None}, "null_reward"),
            ([0.0, 1.0, NAN, 1.0], {}, "null_reward"),
        ],
    )
    def test_to_its_own_level_says_why_there_is_none(self, segment, windows, changes, reason):
        assert adaptation_to_own_asymptote(segment(windows, **changes), TEN).reason == reason


class TestForgetting:
    def test_is_the_best_level_so_far_minus_the_level_at_entry(self, segment):
        visits = [
            segment([], entry=entry, terminal=terminal)
            for entry, terminal in [(0.1, 0.8), (0.5, 0.6), (0.9, 0.7)]
        ]
        score = entry_forgetting([visits])

        assert score.detail["per_revisit"] == pytest.approx([0.3, -0.1])
        assert score.value == pytest.approx(0.1)
        assert final_forgetting([visits]).value == pytest.approx(0.1)

    def test_is_a_mean_over_the_revisits_of_all_worlds(self, segment):
        def world(entry):
            return [segment([], entry=0.0, terminal=1.0), segment([], entry=entry, terminal=entry)]

        assert entry_forgetting([world(0.5), world(0.1)]).value == pytest.approx(0.7)
        assert final_forgetting([world(0.5), world(0.1)]).value == pytest.approx(0.7)

    def test_is_never_zero_for_what_was_not_revisited(self, segment):
        assert entry_forgetting([[segment([1.0])]]).reason == "not_revisited"
        assert final_forgetting([[segment([1.0])], [segment([1.0])]]).reason == "not_revisited"

    def test_leaves_out_revisits_without_a_level_and_says_so(self, segment):
        visits = [segment([], entry=1.0, terminal=1.0) for _ in range(3)]
        visits[1] = segment([], entry=None, terminal=None)
        score = entry_forgetting([visits])

        assert (score.value, score.flags, score.detail["n"]) == (0.0, ("null_rewards",), 1)
        assert entry_forgetting([visits[:2]]).reason == "null_reward"


class TestRecovery:
    def test_is_the_way_from_entry_to_the_level_of_the_last_visit(self, segment):
        before = segment([], terminal=1.0)
        score = recovery(segment([0.0, 0.5, 0.89, 0.9]), before, TEN)

        assert (score.value, score.detail["reference"]) == (30, 1.0)

    def test_is_safe_with_negative_rewards(self, segment):
        assert recovery(segment([-2.0, -1.5, -1.05, -1.0]), segment([], terminal=-1.0), TEN).value == 20

    def test_is_zero_when_nothing_was_lost(self, segment):
        assert recovery(segment([0.6, 0.1, 0.1, 0.1]), segment([], terminal=0.5), TEN).value == 0

    def test_is_censored_when_the_level_is_not_reached_again(self, segment):
        score = recovery(segment([0.0] * 4), segment([], terminal=1.0), TEN)

        assert (score.reason, dict(score.detail)) == ("censored", {"censored_at": 40, "reference": 1.0})

    @pytest.mark.parametrize(
        ("windows", "previous", "reason"),
        [([1.0], None, "first_visit"), ([1.0], 0.5, "too_short"), ([0.1] * 4, NAN, "null_reward")],
    )
    def test_says_why_there_is_none(self, segment, windows, previous, reason):
        terminal = None if previous is None or np.isnan(previous) else previous
        before = None if previous is None else segment([], terminal=terminal)

        assert recovery(segment(windows), before, TEN).reason == reason


class TestStability:
    def test_is_the_sample_deviation_of_the_second_half(self, segment):
        assert window_deviation(segment([9, 9, 9, 1, 2, 3]), TEN).value == pytest.approx(1.0)
        assert window_deviation(segment([9, 9, 9, 1, 3]), TEN).value == pytest.approx(np.std([1, 3], ddof=1))

    def test_leaves_windows_without_a_reward_out(self, segment):
        assert window_deviation(segment([9, 9, 9, 1, NAN, 3]), TEN).value == pytest.approx(np.sqrt(2))
        assert window_deviation(segment([9, 9, NAN, 3]), TEN).reason == "null_reward"
        assert worst_drop(segment([1.0, NAN, 0.0, 0.5])).value == 0.5
        assert worst_drop(segment([1.0, NAN, 0.0])).reason == "null_reward"
        assert deepest_drawdown(segment([1.0, NAN, 0.25])).value == 0.75
        assert deepest_drawdown(segment([NAN, NAN])).reason == "null_reward"

    def test_the_worst_changes_are_a_twentieth_rounded_up(self, segment):
        windows = np.cumsum([0.0, -3.0, -1.0, *[1.0] * 19])

        assert worst_drop(segment(windows)).value == -2.0
        assert worst_drop(segment(windows[:4])).value == -3.0

    def test_a_rising_curve_has_no_drawdown(self, segment):
        assert deepest_drawdown(segment([0.1, 0.2, 0.3])).value == 0.0
        assert deepest_drawdown(segment([0.9, 0.2, 0.95, 0.5])).value == pytest.approx(0.7)

    def test_says_when_a_segment_is_too_short(self, segment):
        assert window_deviation(segment([1.0] * 3), TEN).reason == "too_short"
        assert worst_drop(segment([1.0])).reason == "too_short"
        assert deepest_drawdown(segment([])).reason == "too_short"


class TestGap:
    def test_is_what_is_missing_to_the_upper_bound(self, segment):
        gap = gap_remaining(Score.of(0.6), 0.8)

        assert gap.value == pytest.approx(0.2)
        assert gap_normalised(gap, 0.8, 0.4).value == pytest.approx(0.5)
        assert regret([segment([0.6] * 4)], 0.8).value == pytest.approx(8.0)
        assert gap_asymptotic(
            [[segment([], terminal=0.1), segment([], terminal=0.7)]], 0.8
        ).value == pytest.approx(0.1)

    def test_without_a_lower_bound_is_a_share_of_the_upper_ones_size(self):
        score = gap_normalised(Score.of(0.2), -0.8, None)

        assert (score.value, score.flags) == (pytest.approx(0.25), ("no_lower_bound",))

    def test_is_negative_and_flagged_where_the_bound_is_beaten(self):
        gap = gap_remaining(Score.of(0.9), 0.8)

        assert (gap.value, gap.flags) == (pytest.approx(-0.1), ("bound_violated",))
        assert gap_normalised(gap, 0.8, 0.0).flags == ("bound_violated",)

    @pytest.mark.parametrize(("upper", "lower"), [(0.5, 0.5), (0.5, 0.6), (0.0, None), (1e-12, None)])
    def test_is_no_share_of_nothing(self, upper, lower):
        assert gap_normalised(Score.of(0.1), upper, lower).reason == "degenerate_scale"

    def test_is_missing_without_an_upper_bound(self, segment):
        gap = gap_remaining(Score.of(0.6), None)

        assert gap.reason == "no_upper_bound"
        assert gap_normalised(gap, None, 0.1).reason == "no_upper_bound"
        assert regret([segment([1.0])], None).reason == "no_upper_bound"
        assert gap_asymptotic([[segment([1.0])]], None).reason == "no_upper_bound"

    def test_is_missing_without_a_reward(self, segment):
        empty = segment([NAN], nulls=10, total=0.0, terminal=None)

        assert gap_remaining(mean_reward([empty]), 0.8).reason == "no_reward"
        assert regret([empty], 0.8).reason == "no_reward"
        assert gap_asymptotic([[empty]], 0.8).reason == "null_reward"

    def test_says_what_share_of_the_steps_it_covers(self, segment):
        assert step_coverage([segment([1.0] * 3), segment([1.0], identity="B")], {"A"}).value == 0.75
        assert step_coverage([], {"A"}).reason == "no_reward"
