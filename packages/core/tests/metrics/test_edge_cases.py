"""Each situation in which a metric must not pretend: a value, a flag or a reason."""

import gymnasium
import numpy as np
import pytest

from skyfall_crl.config.schema import RunConfig
from skyfall_crl.metrics import evaluate
from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace import read_rows
from skyfall_crl.train.run import run


def noise(level, steps=200, seed=0, size=0.02):
    return (level + size * np.random.default_rng(seed).normal(size=steps)).tolist()


def rise(start, end, steps=200, pace=20):
    return (end + (start - end) * np.exp(-np.arange(steps) / pace)).tolist()


def versioned(rows, version):
    return [{**row, "policy_version": version(place)} for place, row in enumerate(rows)]


def test_segment_too_short(write_trace, stays):
    found = evaluate(write_trace(stays(("A", [0.5] * 40), ("B", [0.7] * 39), ("A", [0.5] * 39))), window=10)
    short = found.segments[2].scores

    assert found.identities["B"].scores["reward_mean"].value == pytest.approx(0.7)
    for name in (
        "adaptation_steps",
        "adaptation_steps_self_asymptote",
        "recovery_steps",
        "stability_std",
        "stability_detrended",
    ):
        assert (short[name].value, short[name].reason) == (None, "too_short"), name


def test_identity_never_revisited(write_trace, stays):
    found = evaluate(write_trace(stays(("A", rise(0, 1)), ("B", rise(0, 1)))), window=10)

    assert [one.scores["recovery_steps"].reason for one in found.segments] == ["first_visit"] * 2
    for name in ("forgetting_entry", "forgetting_final", "recovery_steps"):
        assert found.identities["A"].scores[name].reason == "not_revisited"


def test_threshold_never_reached(write_trace, stays):
    levels = {"A": 1.0, "B": 1.0, "C": 1.0}
    rows = stays(
        ("A", [1.0] * 100), ("B", rise(0, 1, pace=10)), ("C", [0.1] * 100), ("B", rise(0, 1, pace=30))
    )
    found = evaluate(write_trace(rows), window=10, upper=levels, lower=dict.fromkeys(levels, 0.0))
    censored = found.segments[2].scores["adaptation_steps"]

    assert (censored.value, censored.reason, censored.detail["censored_at"]) == (None, "censored", 100)
    overall = found.overall["adaptation_steps"]
    assert (overall.detail["statistic"], overall.detail["n"], overall.detail["censored"]) == ("median", 2, 1)
    assert overall.value == max(one.scores["adaptation_steps"].value or 0 for one in found.segments)


def test_upper_bound_missing(write_trace, stays):
    found = evaluate(write_trace(stays(("A", [0.5] * 60), ("B", [0.1] * 40))), window=10, upper={"A": 1.0})

    assert found.identities["B"].scores["gap_remaining"].reason == "no_upper_bound"
    assert found.overall["gap_remaining"].value == pytest.approx(0.5)
    assert found.overall["gap_step_coverage"].value == pytest.approx(0.6)


def test_reward_above_the_bound(write_trace, stays):
    found = evaluate(write_trace(stays(("A", [0.5] * 60))), window=10, upper={"A": 0.4}, lower={"A": 0.0})

    for name in ("gap_remaining", "gap_normalised"):
        score = found.identities["A"].scores[name]
        assert score.value < 0
        assert "bound_violated" in score.flags


@pytest.mark.parametrize(("upper", "lower"), [(0.4, {"A": 0.4}), (1e-12, None)])
def test_bounds_equal_or_upper_bound_near_zero(write_trace, stays, upper, lower):
    found = evaluate(write_trace(stays(("A", [0.5] * 60))), window=10, upper={"A": upper}, lower=lower)

    assert found.identities["A"].scores["gap_normalised"].reason == "degenerate_scale"


def test_nothing_was_learned(write_trace, stays):
    stay = noise(0.26, seed=1), noise(0.3), noise(0.26, seed=2)
    rows = stays(*zip("ABA", stay, strict=True))
    found = evaluate(write_trace(rows), window=5, lower={"A": 0.25, "B": 0.25})

    for name in ("forgetting_entry", "forgetting_final", "recovery_steps", "stability_std"):
        assert "not_learned" in found.identities["A"].scores[name].flags, name
        assert "not_learned" not in found.identities["B"].scores[name].flags, name
        assert "not_learned" in found.overall[name].flags, name


def test_weights_never_change(write_trace, stays):
    rows = stays(("A", rise(0, 1)), ("B", rise(0, 1)), ("A", rise(0, 1)))
    config = {"config": {"policy": {"id": "mlp"}, "algorithm": {"id": "ppo"}}}
    frozen = evaluate(write_trace(versioned(rows, lambda place: 7), config), window=10)
    learning = evaluate(write_trace(versioned(rows, lambda place: place // 64), config), window=10)
    unknown = evaluate(write_trace(rows), window=10)

    assert frozen.overall["forgetting_entry"].value is not None
    for name in ("adaptation_steps_self_asymptote", "forgetting_entry", "forgetting_final", "recovery_steps"):
        assert "not_learning" in frozen.overall[name].flags, name
        assert "not_learning" not in learning.overall[name].flags, name
        assert "not_learning" not in unknown.overall[name].flags, name
    assert "not_learning" not in frozen.overall["reward_macro"].flags


def test_adjacent_alias(write_trace, stays):
    rows = stays(("A", rise(0, 1)), ("A2", "A", rise(0, 1)), ("B", rise(0, 1)))
    found = evaluate(write_trace(rows), window=10)

    assert [one.segment.regime_ids for one in found.segments] == [("A", "A2"), ("B",)]
    assert found.identities["A"].visits == 1


def test_cyclic_schedule_with_one_regime(write_trace, stays):
    regimes = [{"regime_id": "A", "identity": "A", "duration_steps": 50}]
    header = {"steps": 200, "schedule": {"shift_mode": "cyclic", "regimes": regimes}}
    found = evaluate(write_trace(stays(*[("A", [0.5] * 50)] * 4), header))

    assert len(found.segments) == 1
    assert found.overall["recovery_steps"].reason == "not_revisited"


def test_linear_drift(write_trace, stays):
    rows = stays(("A", [0.5] * 50), ("B", [1.0] * 100))
    for place, row in enumerate(rows[50:80]):
        row.update(drift_progress=(place + 1) / 31, reward=0.0)
    found = evaluate(write_trace(rows), window=10, upper={"A": 1, "B": 1}, lower={"A": 0, "B": 0})

    assert found.identities["B"].scores["reward_mean"].value == 1
    assert (found.overall["reward_drift"].value, found.overall["reward_drift"].detail["n"]) == (0, 30)
    assert found.segments[1].segment.first_step == 50
    assert found.segments[1].scores["adaptation_steps"].value == 30


@pytest.mark.parametrize("edge", [50, 53])
def test_shift_on_a_window_edge_or_inside_one(write_trace, stays, edge):
    found = evaluate(write_trace(stays(("A", [0.0] * edge), ("B", [1.0] * 50))), window=10)

    assert [set(one.segment.windows) for one in found.segments] == [{0.0}, {1.0}]
    assert [len(one.segment.windows) for one in found.segments] == [5, 5]


def test_last_segment_cut(write_trace, stays):
    regimes = [{"regime_id": name, "duration_steps": 100} for name in "AB"]
    header = {"steps": 200, "schedule": {"shift_mode": "abrupt", "regimes": regimes}}
    found = evaluate(write_trace(stays(("A", [0.5] * 100), ("B", [0.5] * 60)), header), window=10)

    assert [one.segment.truncated for one in found.segments] == [False, True]
    assert all("truncated" in score.flags for score in found.segments[1].scores.values())


def test_reward_that_is_no_finite_number(write_trace, stays):
    rows = stays(("A", [1.0] * 100))
    rows[55] = {**rows[55], "reward": None, "reward_invalid": "inf"}
    found = evaluate(write_trace(rows), window=10)

    assert (found.counts.nulls, np.isnan(found.segments[0].segment.windows).tolist().index(True)) == (1, 5)
    assert found.overall["reward_macro"].value == 1
    written = evaluate(write_trace([*rows[:50], {**rows[50], "reward": float("nan")}]), window=10)
    assert written.counts.nulls == 1


def test_steps_repeated_or_decreasing(write_trace, stays):
    rows = stays(("A", [0.5] * 50))
    resume = {"kind": "resume", "step": 40}
    with pytest.raises(TraceError, match="found step 49 after step 49 without a resume record"):
        evaluate(write_trace([*rows, rows[-1]]))
    with pytest.raises(TraceError, match="found step 3 after step 49"):
        evaluate(write_trace([*rows, rows[3]]))

    found = evaluate(write_trace([*rows, resume, *rows[40:]]), window=5)
    assert (found.counts.rows, found.counts.resumes) == (60, 1)


def test_auto_reset_dummy_rows(tmp_path):
    """Every reward of CartPole is 1; a row that only carries a reset would be the one that is 0."""
    config = RunConfig.model_validate(
        {
            "env": {"id": "CartPole-v1"},
            "policy": {"id": "builtin/random"},
            "run": {"steps": 120, "auto_reset": True},
        }
    )
    run(config, tmp_path / "run")
    rows = [row for row in read_rows(tmp_path / "run/trace.jsonl") if row["kind"] == "step"]

    assert len(rows) == 120
    assert sum(row["terminated"] for row in rows) > 1
    assert {row["reward"] for row in rows} == {1.0}
    assert gymnasium.spec("CartPole-v1").max_episode_steps == 500


def test_several_worlds(write_trace, stays):
    worlds = [stays(("A", rise(0, 1)), ("B", rise(0, 1)), world=f"w{n}") for n in range(3)]
    mixed = [row for rows in zip(*worlds, strict=True) for row in rows]
    found = evaluate(write_trace(mixed), window=10)

    assert (found.counts.worlds, len(found.segments)) == (3, 6)
    assert [one.segment.world for one in found.segments] == ["w0", "w0", "w1", "w1", "w2", "w2"]


def test_world_state_hangover(write_trace, stays):
    """The backlog halves everybody's reward after a shift; only the rest of the drop is the learner's."""
    own = write_trace(stays(("A", [0.9] * 100), ("B", [0.1] * 10 + [0.9] * 90)))
    reference = write_trace(stays(("A", [0.9] * 100), ("B", [0.45] * 10 + [0.9] * 90)))
    alone, beside = evaluate(own, window=10), evaluate(own, window=10, reference=reference)

    assert alone.overall["entry_gap"].reason == "no_reference"
    assert beside.overall["entry_gap"].value == pytest.approx(0.35)
    assert beside.segments[0].scores["entry_gap"].reason == "no_shift"


def test_action_whose_outcome_is_uncertain(write_trace, stays):
    rows = stays(("A", [0.5] * 60))
    rows[20] = {**rows[20], "reward": None, "outcome": "uncertain"}
    rows[30] = {**rows[30], "reward": None, "outcome": {"accepted": True}}
    found = evaluate(write_trace(rows), window=10)

    assert (found.counts.nulls, found.counts.uncertain) == (2, 1)
    assert found.overall["reward_macro"].value == 0.5


def test_sustained_levels(write_trace, stays):
    """A first passage by noise doesn't count once it has to last."""
    curve = [0.0] * 20 + [1.0] * 10 + [0.0] * 20 + [1.0] * 50
    path = write_trace(stays(("B", [0.0] * 50), ("A", curve)))
    bounds = {"upper": {"A": 1.0, "B": 1.0}, "lower": {"A": 0.0, "B": 0.0}}
    found = [evaluate(path, window=10, sustain=m, **bounds).segments[1].scores for m in (1, 2, 5, 6)]

    assert [scores["adaptation_steps"].value for scores in found] == [20, 50, 50, None]
    assert found[-1]["adaptation_steps"].reason == "censored"


def test_burn_in(write_trace, stays):
    """The first steps of a revisit show what is still under way, and forgetting may leave them out."""
    path = write_trace(stays(("A", [1.0] * 60), ("B", [1.0] * 60), ("A", [0.0] * 15 + [0.8] * 45)))
    plain, late, too_late = (evaluate(path, window=10, burn_in=steps) for steps in (0, 15, 60))

    assert plain.overall["forgetting_entry"].value == 1
    assert late.overall["forgetting_entry"].value == pytest.approx(0.2)
    assert late.segments[2].segment.entry == 0
    assert too_late.overall["forgetting_entry"].reason == "null_reward"
    assert late.to_mapping()["parameters"]["burn_in"] == 15


def test_recovery_across_identities(write_trace, stays):
    """A's end is half of A's range; half of B's range is 0.6, which the third window has."""
    rows = stays(("A", [0.5] * 60), ("B", [0.2] * 20 + [0.6] * 40), ("C", [0.5] * 60))
    bounds = {"upper": {"A": 1.0, "B": 1.0, "C": 1.0}, "lower": {"A": 0.0, "B": 0.2}}
    found = [
        one.scores["recovery_steps_cross_identity"]
        for one in evaluate(write_trace(rows), window=10, **bounds).segments
    ]

    assert [score.reason for score in found] == ["no_shift", None, "no_lower_bound"]
    assert (found[1].value, found[1].flags) == (20, ("cross_identity",))
    assert found[1].detail["reference"] == pytest.approx(0.6)
