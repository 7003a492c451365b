"""Scoring whole traces."""

import json

import msgspec
import numpy as np
import pytest

from skyfall_crl.metrics import FORMULAS, evaluate
from skyfall_crl.ports import ConfigError, Metric, MetricValue, TraceError


def learning(start, end, steps=200, pace=20, noise=0.0, seed=0):
    """A curve that rises from one level to another, as a learner's does."""
    curve = end + (start - end) * np.exp(-np.arange(steps) / pace)
    return (curve + noise * np.random.default_rng(seed).normal(size=steps)).tolist()


CYCLE = [("A", learning(0.1, 0.8)), ("B", learning(0.2, 0.9)), ("A", learning(0.5, 0.8))]
SCHEDULE = {
    "steps": 600,
    "schedule": {
        "shift_mode": "cyclic",
        "regimes": [
            {"regime_id": name, "identity": name, "duration_steps": steps}
            for name, steps in (("A", 200), ("B", 200))
        ],
    },
}


def test_the_run_begins_in_its_first_segment_which_is_no_adaptation_to_a_shift(write_trace, stays):
    found = evaluate(
        write_trace(stays(*CYCLE)), window=10, upper={"A": 0.8, "B": 0.9}, lower={"A": 0, "B": 0}
    )
    times = [one.scores["adaptation_steps"].value for one in found.segments]

    assert times == [40, 40, 30]
    assert found.overall["adaptation_steps"].value == 35
    assert found.identities["A"].scores["adaptation_steps"].value == 30
    assert found.overall["adaptation_steps_self_asymptote"].detail["n"] == 3


def test_without_a_shift_there_is_reward_and_stability_and_nothing_else(write_trace, stays):
    found = evaluate(write_trace(stays(("A", learning(0.1, 0.8)))), window=10, upper={"A": 0.8})
    reasons = {name: score.reason for name, score in found.overall.items() if score.reason is not None}

    assert reasons == {
        "adaptation_steps": "no_shift",
        "recovery_steps": "not_revisited",
        "forgetting_entry": "not_revisited",
        "forgetting_final": "not_revisited",
        "recovery_steps_cross_identity": "no_shift",
        "performance_recovery": "few_revisits",
        "reward_drift": "no_drift",
        "jumpstart": "no_shift",
        "relative_performance": "no_scratch",
        "forward_transfer_auc": "no_scratch",
        "entry_gap": "no_shift",
        "average_performance": "no_evaluation",
        "backward_transfer": "no_evaluation",
        "forward_transfer": "no_evaluation",
        "forgetting_max_final": "no_evaluation",
        "performance_maintenance": "no_evaluation",
    }


def test_a_label_change_between_aliases_is_no_shift(write_trace, stays):
    found = evaluate(
        write_trace(stays(("A", [0.5] * 50), ("A2", "A", [0.5] * 50))), window=10, upper={"A": 0.8}
    )

    assert len(found.segments) == 1
    assert found.overall["adaptation_steps"].reason == "no_shift"


def test_worlds_are_cut_apart_and_pooled(write_trace, stays):
    one, other = stays(*CYCLE), stays(*CYCLE, world="w1")
    interleaved = [row for pair in zip(one, other, strict=True) for row in pair]
    single, double = evaluate(write_trace(one), window=10), evaluate(write_trace(interleaved), window=10)

    assert (single.counts.worlds, double.counts.worlds) == (1, 2)
    assert double.identities["A"].visits == 4
    for name, score in single.overall.items():
        assert double.overall[name].value == (pytest.approx(score.value) if score.value is not None else None)


def test_a_drift_counts_for_the_lifetime_and_for_the_time_to_adapt_alone(write_trace, stays):
    rows = stays(("A", [0.5] * 40), ("B", [0.0] * 60))
    for place, row in enumerate(rows[40:]):
        row["drift_progress"] = min(1.0, (place + 1) / 11)
    for row in rows[60:]:
        row["reward"] = 1.0
    found = evaluate(write_trace(rows), window=10, upper={"A": 1.0, "B": 1.0})

    assert found.identities["B"].scores["reward_mean"].value == pytest.approx(40 / 50)
    assert found.overall["reward_lifetime"].value == pytest.approx((20 + 40) / 100)
    assert found.identities["B"].scores["adaptation_steps"].value == 20
    assert found.counts.drifting == 10


def test_a_missing_reward_is_left_out_counted_and_never_zero(write_trace, stays):
    rows = stays(("A", [0.5] * 60))
    rows[3] = {**rows[3], "reward": None, "reward_invalid": "nan"}
    found = evaluate(write_trace(rows), window=10)

    assert found.counts.nulls == 1
    assert found.overall["reward_macro"].value == 0.5
    assert found.overall["reward_macro"].flags == ("null_rewards",)
    assert found.segments[0].scores["adaptation_steps_self_asymptote"].reason == "null_reward"


def test_the_last_segment_of_a_run_that_was_cut_is_marked(write_trace, stays):
    whole = evaluate(write_trace(stays(*CYCLE), SCHEDULE))
    cut = evaluate(write_trace(stays(*CYCLE)[:-20], SCHEDULE))
    stopped_early = evaluate(write_trace(stays(*CYCLE), {**SCHEDULE, "steps": 800}))

    assert [found.segment.truncated for found in whole.segments] == [False, False, False]
    assert [found.segment.truncated for found in cut.segments] == [False, False, True]
    assert [found.segment.truncated for found in stopped_early.segments] == [False, False, True]
    assert "truncated" in cut.segments[-1].scores["recovery_steps"].flags


def test_what_barely_beats_the_lower_bound_has_not_learned_what_it_could_forget(write_trace, stays):
    flat = [
        ("A", learning(0.26, 0.26, noise=0.05)),
        ("B", [0.9] * 100),
        ("A", learning(0.26, 0.26, noise=0.05, seed=1)),
    ]
    found = evaluate(write_trace(stays(*flat)), window=10, lower={"A": 0.25, "B": 0.2})

    assert "not_learned" in found.identities["A"].scores["forgetting_entry"].flags
    assert "not_learned" in found.overall["stability_std"].flags
    assert "not_learned" not in found.identities["B"].scores["stability_std"].flags


@pytest.mark.parametrize(
    ("config", "flagged"),
    [({"policy": {}}, True), ({"policy": {}, "algorithm": {"id": "builtin/ppo"}}, False), ({}, False)],
)
def test_a_policy_without_an_algorithm_never_learned(write_trace, stays, config, flagged):
    found = evaluate(write_trace(stays(*CYCLE), {"config": config}), window=10)

    assert ("not_learning" in found.overall["forgetting_entry"].flags) is flagged
    assert "not_learning" not in found.overall["reward_macro"].flags


def test_without_a_window_the_schedule_decides_and_without_one_the_trace(write_trace, stays):
    rows = stays(*CYCLE, ("B", [0.5] * 7))
    planned, bare = evaluate(write_trace(rows, SCHEDULE)), evaluate(write_trace(rows))

    assert (planned.parameters.window, planned.window_source) == (
        10,
        "from the schedule's shortest segment of 200 steps",
    )
    assert (bare.parameters.window, bare.window_source) == (5, "from the shortest segment of 7 steps")


def test_what_is_not_given_comes_from_the_run_itself(write_trace, stays):
    header = {
        "config": {"metrics": {"ids": [], "window": 8, "rho": 0.5, "bounds": {"A": 0.7}}},
        "references": {"A": {"informed": 0.9, "random": 0.1}},
    }
    path = write_trace(stays(*CYCLE), header)
    found = evaluate(path)
    given = evaluate(path, window=10, rho=0.8, upper={"A": 1.0}, lower={"A": 0.0})

    assert (found.parameters.window, found.parameters.rho, found.window_source) == (
        8,
        0.5,
        "from the run's config",
    )
    assert (dict(found.upper.values), found.upper.source) == ({"A": 0.7}, "the run's config")
    assert (dict(found.lower.values), found.lower.source) == ({"A": 0.1}, "the trace's reference `random`")
    assert (given.parameters.window, given.parameters.rho, given.upper.values["A"]) == (10, 0.8, 1.0)
    assert given.lower.values["A"] == 0.0


def test_references_of_the_trace_are_its_bounds(write_trace, stays):
    header = {"references": {"A": {"informed": 0.9, "random": 0.1}}, "config": {"metrics": "nonsense"}}
    found = evaluate(write_trace(stays(*CYCLE), header), window=10)

    assert (found.upper.source, found.identities["A"].levels.upper) == (
        "the trace's reference `informed`",
        0.9,
    )
    assert found.identities["B"].scores["gap_remaining"].reason == "no_upper_bound"
    assert found.overall["gap_step_coverage"].value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "parameters", [{"window": 0}, {"window": 10, "rho": 0.0}, {"window": 10, "rho": 1.1}]
)
def test_a_parameter_outside_its_range_is_a_config_error(write_trace, stays, parameters):
    with pytest.raises(ConfigError, match="expected a"):
        evaluate(write_trace(stays(*CYCLE)), **parameters)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], "no step row"),
        ([{"kind": "note"}], "no step row"),
        ([{"step": 0, "phase": "eval"}], "1 of phase eval"),
    ],
)
def test_a_trace_with_nothing_to_score_is_refused(write_trace, rows, found):
    with pytest.raises(TraceError, match=f"expected step rows of another phase than eval, found {found}"):
        evaluate(write_trace(rows))


@pytest.mark.parametrize("phase", ["serve", "harness"])
def test_a_served_policy_and_an_outside_agent_are_scored_like_a_learner(write_trace, stays, phase):
    rows = stays(*CYCLE)
    learnt = evaluate(write_trace(rows, SCHEDULE)).to_mapping()
    other = evaluate(write_trace([{**row, "phase": phase} for row in rows], SCHEDULE)).to_mapping()

    assert other["overall"] == learnt["overall"]
    assert other["segments"] == learnt["segments"]


def test_the_result_is_plain_data_with_unit_direction_and_version(write_trace, stays):
    found = evaluate(write_trace(stays(*CYCLE), SCHEDULE), upper={"A": 0.8}).to_mapping()

    assert json.loads(msgspec.json.encode(found)) == found
    groups = [found["overall"], *(one["scores"] for one in found["identities"].values())]
    groups += [one["scores"] for one in found["segments"]]
    for group in groups:
        for name, score in group.items():
            assert (score["value"] is None) is (score["reason"] is not None), name
            assert (score["unit"], score["better"], score["version"]) == (
                FORMULAS[name].unit,
                FORMULAS[name].better,
                FORMULAS[name].version,
            )


class RowCount:
    """A metric of somebody else's."""

    def begin(self, header):
        self.kind, self.rows_seen, self.names = header.get("kind"), 0, set()

    def rows(self, batch):
        self.rows_seen += len(batch["reward"])
        self.names |= set(batch["regime_id"])

    def end(self):
        return [MetricValue("row_count", 1, None, self.rows_seen, None, "rows", "higher")]


def test_another_metric_sees_the_same_rows_in_the_same_pass(write_trace, stays):
    metric = RowCount()
    found = evaluate(write_trace(stays(*CYCLE), SCHEDULE), metrics=[metric])

    assert isinstance(metric, Metric)
    assert (metric.kind, metric.names) == ("provenance", {"A", "B"})
    assert found.values()[-1] == MetricValue("row_count", 1, None, 600, None, "rows", "higher")
    assert found.to_mapping()["other_metrics"][0]["value"] == 600


def test_values_name_the_identity_and_qualify_themselves(write_trace, stays):
    values = evaluate(write_trace(stays(*CYCLE)), window=10, upper={"A": 0.5, "B": 0.9}).values()
    (gap,) = [value for value in values if (value.name, value.identity) == ("gap_remaining", "A")]

    assert gap.flags == ("bound_violated",)
    assert {value.identity for value in values} == {None, "A", "B"}
