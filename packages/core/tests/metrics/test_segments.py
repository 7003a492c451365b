"""Cutting rows into segments."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics import Parameters, SegmentBuilder
from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace import TraceWriter, read_columns

IDENTITIES = {"A": "A", "A2": "A", "B": "B", "C": "C"}


def segments(path, window=2, batch_rows=None):
    builder = SegmentBuilder(Parameters(window), path)
    for batch in read_columns(path, batch_rows):
        builder.add(batch)
    return builder.finish()


stay = st.tuples(
    st.sampled_from(list(IDENTITIES)),
    st.integers(0, 4),
    st.lists(st.none() | st.floats(-1, 1), min_size=1, max_size=30),
)
worlds = st.lists(st.lists(stay, min_size=1, max_size=4), min_size=1, max_size=3)


def rows_of(world, stays):
    rows = []
    for regime, drift, rewards in stays:
        for place, reward in enumerate(rewards):
            progress = (place + 1) / drift if place < drift else None
            rows.append(
                {
                    "step": len(rows),
                    "world": world,
                    "regime_id": regime,
                    "regime_identity": IDENTITIES[regime],
                    "drift_progress": progress,
                    "reward": reward,
                }
            )
    return rows


def interleaved(columns):
    return [row for rows in itertools.zip_longest(*columns) for row in rows if row is not None]


def mean(values):
    return None if not values or None in values else math.fsum(values) / len(values)


def by_hand(rows, window):
    """Cut one world's rows with plain lists."""
    found = []
    for identity, group in itertools.groupby(rows, key=lambda row: row["regime_identity"]):
        visit = list(group)
        settled = [
            row["reward"] for row in visit if row["drift_progress"] is None or row["drift_progress"] == 1
        ]
        whole = len(settled) // window
        tail = max(window, math.ceil(len(settled) / 10))
        found.append(
            {
                "identity": identity,
                "steps": len(visit),
                "drift_steps": len(visit) - len(settled),
                "nulls": settled.count(None),
                "total": math.fsum(reward for reward in settled if reward is not None),
                "windows": [mean(settled[window * k : window * (k + 1)]) for k in range(whole)],
                "entry": mean(settled[:window]),
                "terminal": mean(settled[-tail:]),
            }
        )
    return found


def as_plain(segment):
    return {
        "identity": segment.identity,
        "steps": segment.steps,
        "drift_steps": segment.drift_steps,
        "nulls": segment.nulls,
        "total": pytest.approx(segment.total, abs=1e-9),
        "windows": [None if np.isnan(level) else pytest.approx(level, abs=1e-9) for level in segment.windows],
        "entry": None if segment.entry is None else pytest.approx(segment.entry, abs=1e-9),
        "terminal": None if segment.terminal is None else pytest.approx(segment.terminal, abs=1e-9),
    }


@settings(max_examples=80, deadline=None)
@given(
    stays=worlds, window=st.integers(1, 6), batch_rows=st.integers(1, 40), block_bytes=st.integers(100, 4000)
)
def test_segments_are_those_that_plain_lists_give_however_the_stream_is_batched(
    tmp_path_factory, stays, window, batch_rows, block_bytes
):
    path = tmp_path_factory.mktemp("run") / "trace.jsonl"
    columns = [rows_of(f"w{index}", world) for index, world in enumerate(stays)]
    with TraceWriter(path) as writer:
        writer.write_many(interleaved(columns))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", block_bytes)
        found = segments(path, window, batch_rows)

    for index, rows in enumerate(columns):
        assert by_hand(rows, window) == [as_plain(one) for one in found if one.world == f"w{index}"]


def test_the_way_a_stream_is_batched_leaves_no_trace_at_all(write_trace, stays):
    rewards = np.random.default_rng(0).normal(size=500).tolist()
    path = write_trace(stays(("A", rewards[:300]), ("B", rewards[300:])))
    one, other = segments(path, 7), segments(path, 7, batch_rows=1)

    for left, right in zip(one, other, strict=True):
        assert np.array_equal(left.windows, right.windows)
        assert (left.total, left.entry, left.terminal) == (right.total, right.entry, right.terminal)


def test_a_change_of_label_among_aliases_does_not_end_a_segment(write_trace, stays):
    path = write_trace(stays(("A", [1.0] * 4), ("A2", "A", [0.0] * 4), ("B", [0.5] * 4), ("A", [1.0] * 4)))

    assert [(found.regime_ids, found.identity, found.steps, found.visit) for found in segments(path)] == [
        (("A", "A2"), "A", 8, 0),
        (("B",), "B", 4, 0),
        (("A",), "A", 4, 1),
    ]


def test_a_window_never_crosses_the_end_of_a_segment(write_trace, stays):
    path = write_trace(stays(("A", [1.0] * 5), ("B", [0.0] * 5)))

    assert [found.windows.tolist() for found in segments(path, window=2)] == [[1.0, 1.0], [0.0, 0.0]]


def test_rows_inside_a_drift_are_counted_apart(write_trace):
    path = write_trace(
        {"step": step, "regime_id": "B", "drift_progress": progress, "reward": reward}
        for step, (progress, reward) in enumerate(
            [(0.25, 9.0), (0.5, 9.0), (0.75, None), (1.0, 1.0), (1.0, 3.0)]
        )
    )
    (found,) = segments(path)

    assert (found.steps, found.drift_steps, found.drift_total, found.drift_nulls) == (5, 3, 18.0, 1)
    assert (found.settled_steps, found.scored_steps, found.total, found.entry) == (2, 2, 4.0, 2.0)


def test_rows_of_other_phases_are_ignored_and_counted(write_trace, stays):
    evaluation = [{**row, "phase": "eval", "world": "e0"} for row in stays(("B", [0.0] * 3))]
    path = write_trace([*stays(("A", [1.0] * 4)), *evaluation])
    builder = SegmentBuilder(Parameters(2), path)
    for batch in read_columns(path):
        builder.add(batch)

    assert [found.identity for found in builder.finish()] == ["A"]
    assert builder.ignored == {"eval": 3}


@pytest.mark.parametrize("again", [4, 2])
def test_steps_that_repeat_or_go_back_are_refused(write_trace, stays, again):
    path = write_trace([*stays(("A", [1.0] * 5)), *stays(("A", [1.0] * 2), first_step=again)])

    with pytest.raises(
        TraceError, match=rf"world w0: .* found step {again} after step 4 without a resume record"
    ):
        segments(path)


def test_steps_may_go_back_after_a_resume_record(write_trace, stays):
    rows = [*stays(("A", [1.0] * 5)), {"kind": "resume", "step": 2}, *stays(("A", [0.0] * 5), first_step=2)]
    (found,) = segments(write_trace(rows))

    assert (found.steps, found.total) == (10, 5.0)


def test_missing_steps_are_counted(write_trace, stays):
    path = write_trace([*stays(("A", [1.0] * 3)), *stays(("A", [1.0] * 3), first_step=7)])
    builder = SegmentBuilder(Parameters(2), path)
    for batch in read_columns(path, 2):
        builder.add(batch)

    assert (builder.gaps, builder.finish()[0].steps) == (1, 6)


def test_memory_holds_windows_and_the_last_tenth_but_not_the_rows():
    builder = SegmentBuilder(Parameters(50), Path("trace"))
    world = None
    for start in range(0, 100_000, 1000):
        builder.add(constant_batch(start, 1000))
        (world,) = builder._worlds.values()
    curve = world._open._settled

    assert sum(len(part) for part in curve._tail) < 12_000
    assert sum(len(part) for part in curve._sums) == 2000
    assert len(curve._rest) < 50


def constant_batch(start, size):
    from skyfall_crl.trace import Batch, Labels

    def label(name):
        return Labels(np.zeros(size, np.int64), (name,))

    return Batch(
        step=np.arange(start, start + size),
        world=label("w0"),
        phase=label("train"),
        regime_id=label("A"),
        regime_identity=label("A"),
        drift_progress=np.full(size, np.nan),
        reward=np.full(size, 0.5),
    )
