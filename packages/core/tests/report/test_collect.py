"""Streaming a trace into segments and windows."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.report.collect import MAX_WINDOWS, collect
from skyfall_crl.report.series import NOT_REPORTED, Outcome, RunSeries
from skyfall_crl.trace.reader import read_rows

WriteRun = Callable[..., Path]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def step(number: int, reward: float | None = 0.5, **fields: Any) -> dict[str, Any]:
    return {"kind": "step", "step": number, "reward": reward, **fields}


def mean_of(series: RunSeries) -> float:
    tallies = [tally for window in series.windows for tally in window.rewards.values()]
    return sum(tally.total for tally in tallies) / sum(tally.count for tally in tallies)


def test_windows_keep_every_reward_and_never_cross_a_shift(write_run: WriteRun) -> None:
    """The windows' sums are the trace's, and each window lies in one segment."""
    trace = write_run(worlds=3, steps=500, regimes=(("A", 130), ("B", 90)), score=False) / "trace.jsonl"
    series = collect(trace, width=20)
    rewards = [row["reward"] for row in read_rows(trace) if row["kind"] == "step"]
    assert mean_of(series) == pytest.approx(fmean(rewards), abs=1e-12)
    assert series.rows == sum(window.rows for window in series.windows) == 1500
    for window in series.windows:
        assert window.segment.first <= window.first <= window.last <= window.segment.last
        assert window.last - window.first < 20


def test_segments_are_the_schedule(write_run: WriteRun) -> None:
    """Every visit has its label, its identity and its first and last step."""
    regimes = (("A", 100), ("B", 60), ("A2", 100))
    series = collect(write_run(worlds=2, steps=260, regimes=regimes, score=False) / "trace.jsonl", width=20)
    assert [(s.regime_id, s.identity, s.first, s.last) for s in series.segments] == [
        ("A", "A", 0, 99),
        ("B", "B", 100, 159),
        ("A2", "A", 160, 259),
    ]
    assert series.identities == ["A", "B"]
    assert series.same_shifts


def test_a_long_run_gets_wider_windows_and_not_more_of_them(tmp_path: Path) -> None:
    """The number of windows stays bounded, and no reward is lost when they are joined."""
    trace = write(tmp_path / "t.jsonl", [step(number, float(number)) for number in range(5000)])
    series = collect(trace, width=2)
    assert MAX_WINDOWS / 2 < len(series.windows) <= MAX_WINDOWS + 2
    assert series.width == 16
    assert mean_of(series) == fmean(range(5000))


@settings(max_examples=30, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=12),
    width=st.integers(1, 64),
    worlds=st.integers(1, 3),
)
def test_any_schedule_is_partitioned(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], width: int, worlds: int
) -> None:
    """Windows cover each step of each world exactly once, whatever the schedule."""
    labels = [f"r{place}" for place, length in enumerate(lengths) for _ in range(length)]
    rows = [
        step(number, 1.0, world=f"w{world}", regime_id=label)
        for number, label in enumerate(labels)
        for world in range(worlds)
    ]
    series = collect(write(tmp_path_factory.mktemp("trace") / "t.jsonl", rows), width=width)
    covered = [number for window in series.windows for number in range(window.first, window.last + 1)]
    assert covered == list(range(len(labels)))
    assert [window.rows for window in series.windows] == [
        worlds * (window.last - window.first + 1) for window in series.windows
    ]


def test_a_non_finite_reward_empties_its_worlds_window_only(tmp_path: Path) -> None:
    """The window of that world has no mean; the other world's and the next window's have theirs."""
    rows = [step(number, world=world) for number in range(4) for world in ("w0", "w1")]
    rows[0] |= {"reward": None, "reward_invalid": "nan"}
    first, second = collect(write(tmp_path / "t.jsonl", rows), width=2).windows
    assert [tally.mean for tally in first.rewards.values()] == [None, 0.5]
    assert [tally.mean for tally in second.rewards.values()] == [0.5, 0.5]


def test_an_uncertain_step_is_counted_and_left_out_of_the_mean(tmp_path: Path) -> None:
    """A row without a reward changes no mean and is an outcome of its own."""
    rows = [step(0, 1.0, outcome={"accepted": True}), step(1, None, outcome="uncertain"), step(2, 0.0)]
    series = collect(write(tmp_path / "t.jsonl", rows), width=5)
    assert mean_of(series) == 0.5
    assert dict(series.outcomes) == {Outcome(True, None): 1, Outcome(None, "uncertain"): 1, NOT_REPORTED: 1}


def test_a_bare_trace_is_enough(tmp_path: Path) -> None:
    """Rows of step and reward alone make one unlabelled segment of one world."""
    series = collect(
        write(tmp_path / "t.jsonl", [{"step": 0, "reward": 1}, {"step": 1, "reward": 2}]), width=5
    )
    assert series.worlds == ["w0"]
    assert not series.labelled
    assert mean_of(series) == 1.5


def test_evaluations_and_other_kinds_are_counted_apart(tmp_path: Path) -> None:
    """Rows of frozen policies and records that are no steps reach no window."""
    rows = [
        {"kind": "shift", "step": 0, "applied": False},
        step(0),
        step(0, 9.0, phase="eval", world="e0"),
        {"kind": "resume", "step": 1},
        {"kind": "something_new"},
        step(1),
    ]
    series = collect(write(tmp_path / "t.jsonl", rows), width=5)
    assert (series.rows, series.evaluation_rows, series.shifts_not_applied) == (2, 1, 1)
    assert series.kinds["resume"] == 1
    assert mean_of(series) == 0.5


def test_a_drift_lasts_until_its_progress_is_whole(write_run: WriteRun) -> None:
    """The drifting part of a segment ends with the last step whose progress is below 1."""
    directory = write_run(worlds=1, steps=300, regimes=(("A", 100), ("B", 100)), drift_window=25, score=False)
    segments = collect(directory / "trace.jsonl", width=20).segments
    assert [segment.drift_last for segment in segments] == [None, 123, 223]


@pytest.mark.parametrize(("first", "shift"), [("A", 2), ("C", 3)])
def test_worlds_that_shift_differently_are_told(tmp_path: Path, first: str, shift: int) -> None:
    """Worlds whose sequences or shifts differ are noticed, and every row still counts once."""
    rows = [step(n, world="w0", regime_id="A" if n < 3 else "B") for n in range(6)]
    rows += [step(n, world="w1", regime_id=first if n < shift else "B") for n in range(6)]
    series = collect(write(tmp_path / "t.jsonl", rows), width=2)
    assert not series.same_shifts
    assert sum(window.rows for window in series.windows) == 12


def test_a_torn_line_is_left_out_and_told(tmp_path: Path) -> None:
    """What a killed process left of its last line is not read."""
    trace = write(tmp_path / "t.jsonl", [step(0), step(1)])
    with trace.open("a") as file:
        file.write('{"kind": "step", "step": 2, "rew')
    series = collect(trace, width=5)
    assert series.torn
    assert series.rows == 2


@pytest.mark.parametrize("content", ['{"step": "x"}\n', '{"reward": 1}\n', "[]\n", "nonsense\n{}\n"])
def test_what_is_no_trace_is_an_error(tmp_path: Path, content: str) -> None:
    """Rows without a whole step number and lines that are no objects are refused with the file's name."""
    trace = tmp_path / "t.jsonl"
    trace.write_text(content)
    with pytest.raises(TraceError, match=r"t\.jsonl"):
        collect(trace, width=5)


def test_memory_does_not_grow_with_the_number_of_rows(tmp_path: Path) -> None:
    """Ten times the rows keep less than twice as much."""

    def kept(count: int) -> int:
        trace = tmp_path / f"{count}.jsonl"
        rows = (json.dumps(step(n, 0.5, action=n % 5, outcome={"accepted": True})) for n in range(count))
        trace.write_text("\n".join(rows) + "\n")
        tracemalloc.start()
        series = collect(trace, width=2)
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert series.rows == count
        return size

    assert kept(20_000) < 2 * kept(2_000)
