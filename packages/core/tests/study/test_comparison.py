"""Comparisons of runs whose scores are made up, so that every number of the table is known."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics.formulas import FORMULAS
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.study.checks import check
from skyfall_crl.study.comparison import COLUMNS, compare
from skyfall_crl.study.comparison_cells import write_table
from skyfall_crl.study.comparison_output import latex, text_notes, text_tables, to_mapping
from skyfall_crl.study.gather import Evaluation, FoundRun, IdentityRow, ScoreRow, SegmentRow
from skyfall_crl.study.gather import _Bounds as Bounds
from skyfall_crl.study.gather import _Source as Source
from skyfall_crl.study.sweep_record import SweepRecord


def made_up(
    variant: str,
    seed: int,
    *,
    scenario: str = "S1",
    flags: Sequence[str] = (),
    adaptation: Sequence[tuple[float | None, float | None]] = (),
    missing: Mapping[str, str] | None = None,
    **values: float,
) -> FoundRun:
    """A run whose scores are `values`, 0.5 elsewhere; `adaptation` has (steps, cut short at) of each shift."""
    overall = {name: ScoreRow(values.get(name, 0.5), flags=tuple(flags)) for name in FORMULAS}
    for name, reason in (missing or {}).items():
        overall[name] = ScoreRow(reason=reason, flags=tuple(flags))
    segments = [
        SegmentRow(
            "A", 0, 0, {"adaptation_steps": ScoreRow(1.0), "recovery_steps": ScoreRow(reason="first_visit")}
        )
    ]
    for number, (steps, cut) in enumerate(adaptation, start=1):
        scores = {
            "adaptation_steps": ScoreRow(steps, None if steps is not None else "censored", censored_at=cut),
            "recovery_steps": ScoreRow(reason="first_visit"),
        }
        segments.append(SegmentRow("B", number, 0, scores))
    evaluation = Evaluation(
        {"window": 10}, Bounds(Source("measured: `up`"), Source("measured: `down`")), overall, {}, segments
    )
    config = {"env": {"id": "x"}, "policy": {"id": "p"}, "run": {"steps": 100, "num_envs": 2, "seed": seed}}
    return FoundRun(
        scenario, variant, seed, Path(f"{scenario}/{variant}/{seed}"), config, evaluation, 2.0 + seed, False
    )


@pytest.fixture
def five_seeds() -> list[FoundRun]:
    """Two variants on five seeds; `a` earns 0.1 more than `b` on each."""
    runs = [made_up("b", seed, reward_lifetime=0.2 + 0.01 * seed) for seed in range(5)]
    return runs + [made_up("a", seed, reward_lifetime=0.3 + 0.01 * seed) for seed in range(5)]


def test_a_small_table_has_the_numbers_one_can_work_out(five_seeds: list[FoundRun]) -> None:
    (table,) = compare(five_seeds, "b")
    rows = {row.variant: row for row in table.rows}
    reward = rows["a"].entries["reward_lifetime"]
    half = 2.7764451051977987 * math.sqrt(sum((x - 2) ** 2 for x in range(5)) * 1e-4 / 4) / math.sqrt(5)
    assert reward.interval.value == pytest.approx(0.32, abs=1e-12)
    assert reward.interval.low == pytest.approx(0.32 - half, abs=1e-12)
    assert reward.interval.method == "student_t"
    assert reward.iqm is not None
    assert reward.iqm.value == pytest.approx(0.32, abs=1e-12)
    assert reward.spread is not None
    assert (reward.spread.low, reward.spread.high) == pytest.approx((0.3, 0.34), abs=1e-12)
    difference, improvement = rows["a"].difference, rows["a"].improvement
    assert difference is not None
    assert (difference.value, difference.low) == pytest.approx((0.1, 0.1), abs=1e-12)
    assert improvement is not None
    assert improvement.value == 1.0
    assert rows["b"].difference is None
    assert rows["a"].wall_seconds == 4.0


def test_times_are_pooled_over_seeds_and_those_cut_short_count(five_seeds: list[FoundRun]) -> None:
    runs = [
        made_up("c", 0, adaptation=[(10.0, None), (20.0, None), (None, 40.0)]),
        made_up("c", 1, adaptation=[(30.0, None), (None, 40.0)]),
    ]
    (table,) = compare(runs)
    entry = table.rows[0].entries["adaptation_steps"]
    # survival falls to 4/5, 3/5 and 2/5 at 10, 20 and 30; the first segment follows no shift
    assert entry.interval.value == 30.0
    assert (entry.reached, entry.of) == (3, 5)
    written = write_table(table)
    cell = written.rows[0][written.titles.index("adaptation steps")]
    assert (cell.text, cell.extra) == ("30", "3/5 reached")


def test_what_has_no_value_shows_its_reason_and_flags_say_in_how_many_runs() -> None:
    gone = {"forgetting_entry": "not_revisited"}
    runs = [made_up("a", seed, missing=gone, flags=("not_learned",) if seed else ()) for seed in range(3)]
    (table,) = compare(runs)
    written = write_table(table)
    cell = written.rows[0][written.titles.index("forgetting, entry")]
    assert cell.missing
    assert cell.text == "never revisited"
    assert "hardly better than the lower bound: nothing to forget (in 2 of 3 runs)" in cell.notes
    adaptation = written.rows[0][written.titles.index("adaptation steps")]
    assert adaptation.missing


def test_a_seed_twice_and_an_unknown_reference_are_refused(five_seeds: list[FoundRun]) -> None:
    with pytest.raises(ConfigError, match=r"expected each seed of a once, found seed 0 also in"):
        compare([*five_seeds, made_up("a", 0)])
    with pytest.raises(ConfigError, match=r"--reference: unknown name 'ab'; did you mean"):
        compare(five_seeds, "ab")


def test_scenarios_stay_apart_and_the_reference_may_be_missing_from_one(five_seeds: list[FoundRun]) -> None:
    tables = compare([*five_seeds, made_up("a", 0, scenario="S2")], "b")
    assert [(table.name, table.reference) for table in tables] == [("S1", "b"), ("S2", None)]
    assert "P(better than b)" not in write_table(tables[1]).titles


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(order=st.permutations(range(6)), shift=st.floats(-5, 5))
def test_the_order_of_runs_does_not_matter_and_a_shift_of_all_rewards_shifts_the_mean(
    order: list[int], shift: float
) -> None:
    values = [0.1, 0.5, 0.2, 0.9, 0.4, 0.3]
    runs = [made_up("a", seed, reward_lifetime=value) for seed, value in enumerate(values)]
    moved = [made_up("a", seed, reward_lifetime=values[seed] + shift) for seed in order]
    (plain,), (other,) = compare(runs), compare(moved)
    one = plain.rows[0].entries["reward_lifetime"].interval
    two = other.rows[0].entries["reward_lifetime"].interval
    assert one.value is not None
    assert one.low is not None
    assert (two.value, two.low) == pytest.approx((one.value + shift, one.low + shift), abs=1e-9)


@pytest.fixture
def record() -> Callable[..., SweepRecord]:
    """A sweep's record with some checks."""

    def make(**checks: Any) -> SweepRecord:
        return SweepRecord(1, "s.yaml", None, {"upper": "up", "lower": "down"}, checks, [])

    return make


def test_checks_hold_where_they_should_and_fail_where_they_should(record: Callable[..., SweepRecord]) -> None:
    gone = dict.fromkeys(("forgetting_entry", "forgetting_final"), "not_revisited")
    runs = [made_up("up", seed, gap_normalised=0.0, reward_lifetime=0.9) for seed in range(3)]
    runs += [made_up("down", seed, gap_normalised=0.7, reward_lifetime=0.1) for seed in range(3)]
    runs += [made_up("heavy", seed, flags=("not_learned",) if seed else ()) for seed in range(3)]
    runs += [made_up("a", seed, scenario="S0", missing=gone) for seed in range(3)]
    runs += [made_up("b", 0, scenario="S0", missing=gone, adaptation=[(5.0, None)])]
    found = {c.says: c for c in check(compare(runs), record(control="S0", not_learned=["heavy"]), runs)}
    holds = {says: c.holds for says, c in found.items()}
    assert holds == {
        "S1: the gap of up is 0 within its interval": True,
        "S1: the gap of down is 1, its normalised reward 0, within its interval": False,
        "S1: the intervals of up and down lie apart": True,
        "S1: heavy is flagged `not_learned`": False,
        "S0: without a shift, what is measured at shifts has no value but a reason": False,
    }
    assert found["S1: heavy is flagged `not_learned`"].found == "2 of 3 runs"
    assert "b: adaptation_steps 5.0" in found[list(holds)[-1]].found


def test_rising_variants_are_compared_seed_by_seed_and_a_ceiling_in_every_configuration(
    record: Callable[..., SweepRecord],
) -> None:
    def run(variant: str, seed: int, reward: float) -> FoundRun:
        found = made_up(variant, seed, reward_lifetime=reward)
        found.evaluation.identities["A"] = IdentityRow({"reward_mean": ScoreRow(reward)})
        return replace(found, references={"A": {"bound": 0.8}})

    # `a` has the higher mean, but on the one seed both have it is below `b`
    runs = [run("b", 0, 0.5), run("a", 0, 0.4), run("a", 1, 0.9)]
    found = check(compare(runs), record(rising=["b", "a"], ceiling="bound"), runs)
    assert [(c.holds, c.found) for c in found] == [
        (False, "-0.1000"),
        (True, "closest is a in A, -0.1500 from 0.8000"),
    ]
    (high,) = check(compare([run("a", 1, 0.9)]), record(ceiling="bound"), [run("a", 1, 0.9)])
    assert not high.holds


def test_terminal_latex_and_data_show_the_same_rows(five_seeds: list[FoundRun]) -> None:
    tables = compare(five_seeds, "b")
    written = write_table(tables[0], ["Tuned: nothing."])
    narrow = list(text_tables(written, {"higher": "+", "lower": "-"}, 60))
    assert len(narrow) > 3
    assert all(part.columns[0].header.plain == "variant" for part in narrow)
    notes = text_notes(written)
    assert notes[0] == "[1] fewer than 10 seeds: Student's interval, and too few to rely on"
    assert notes[-1] == "Tuned: nothing."
    text = latex([written])
    assert text.count(r"\\") == 3
    assert r"a & 0.320 {\footnotesize [0.300, 0.340]}" in text
    data = to_mapping(tables, {"checks": []})
    assert [row["variant"] for row in data["scenarios"][0]["rows"]] == ["b", "a"]
    assert set(data["scenarios"][0]["rows"][0]["columns"]) == {column.name for column in COLUMNS}
