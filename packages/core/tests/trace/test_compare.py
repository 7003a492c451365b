"""Comparing two traces, clock fields aside."""

import pytest

from skyfall_crl.trace import Difference, TraceWriter, first_difference, rows_equal, without_clock

ROWS = [{"step": step, "reward": step / 4, "wall_ms": step * 1.5} for step in range(3)]


def write(path, header, rows):
    with TraceWriter(path) as writer:
        writer.write({"kind": "provenance", **header})
        writer.write_many(rows)
    return path


def test_traces_that_differ_by_the_clock_alone_are_equal(tmp_path):
    left = write(tmp_path / "left.jsonl", {"started_at": "now"}, ROWS)
    right = write(tmp_path / "right.jsonl", {"started_at": "then"}, [{**row, "wall_ms": 0.0} for row in ROWS])

    assert first_difference(left, right) is None


def test_the_first_differing_row_is_returned_with_the_fields_that_differ(tmp_path):
    other = [ROWS[0], {"step": 1, "reward": 0.26, "note": "x"}, ROWS[2]]
    left = write(tmp_path / "left.jsonl", {}, ROWS)
    right = write(tmp_path / "right.jsonl", {}, other)

    assert first_difference(left, right) == Difference(
        index=1, left={"step": 1, "reward": 0.25}, right=other[1], fields=("reward", "note")
    )


def test_a_trace_that_ends_early_differs_where_it_ends(tmp_path):
    left = write(tmp_path / "left.jsonl", {}, ROWS)
    right = write(tmp_path / "right.jsonl", {}, ROWS[:2])

    assert first_difference(left, right) == Difference(2, without_clock(ROWS[2]), None, ())


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        ({"reward": 1.0, "step": 0}, False),
        ({"step": 0, "reward": 1}, False),
        ({"step": 0, "reward": 1.0}, True),
        ({"step": 0, "wall_ms": 3.0, "reward": 1.0}, True),
    ],
)
def test_rows_are_equal_when_their_bytes_are(other, equal):
    assert rows_equal({"step": 0, "reward": 1.0, "wall_ms": 7.0}, other) is equal
