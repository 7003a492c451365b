"""Gathering the matrix from rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics import evaluate
from skyfall_crl.metrics.matrix import Level, MatrixBuilder, MatrixMetric
from skyfall_crl.ports import Metric
from skyfall_crl.trace import TraceWriter, read_columns


def gathered(path, batch_rows=None):
    builder = MatrixBuilder()
    for batch in read_columns(path, batch_rows):
        builder.add(batch.columns())
    return builder.finish()


def test_rows_of_frozen_policies_belong_to_the_block_before_them(write_trace, evaluated):
    path = write_trace(
        evaluated([("A", 5), ("B", 5)], [{"A": [0, 1]}, {"A": [1, 1], "B": [0]}, {"A": [0.25], "B": [1]}])
    )
    found = gathered(path)

    assert found.trained == ("A", "B")
    assert found.rows == [
        {"A": Level(0.5)},
        {"A": Level(1), "B": Level(0)},
        {"A": Level(0.25), "B": Level(1)},
    ]


def test_of_several_evaluations_in_a_block_the_last_counts(write_trace, evaluated):
    rows = evaluated([("A", 5), ("A", 5)], [{}, {"A": [0.0]}, {"A": [1.0]}])

    assert gathered(write_trace(rows)).rows == [{}, {"A": Level(1)}]


def test_an_evaluation_before_the_end_of_its_block_is_early(write_trace, evaluated):
    rows = evaluated([("A", 5), ("A", 5), ("B", 1)], [{}, {"A": [0.5], "B": [0]}, {"B": [1]}, {}])

    assert gathered(write_trace(rows)).rows[1] == {"A": Level(0.5, early=True), "B": Level(1)}


def test_steps_without_a_reward_are_left_out_and_said_so(write_trace, evaluated):
    rows = evaluated([("A", 5)], [{"A": [None]}, {"A": [1.0, None, 0.0]}])

    assert gathered(write_trace(rows)).rows == [{}, {"A": Level(0.5, nulls=True)}]


def test_the_blocks_are_those_of_the_first_world(write_trace, evaluated):
    rows = evaluated([("A", 2), ("B", 2)], [{}, {"A": [1]}, {"A": [0]}])
    trained = [row for row in rows if "phase" not in row]
    other = [{**row, "world": "w1"} for row in trained]
    mixed = [rows[0], other[0], rows[1], other[1], *rows[2:4], other[2], *rows[4:], other[3]]

    assert gathered(write_trace(mixed)).trained == ("A", "B")
    assert gathered(write_trace(mixed)).rows == gathered(write_trace(rows)).rows


blocks = st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 4)), min_size=1, max_size=4)
levels = st.dictionaries(st.sampled_from("AB"), st.lists(st.floats(-1, 1), min_size=1, max_size=4))


@settings(max_examples=30, deadline=None)
@given(blocks, st.data(), st.integers(100, 2000))
def test_the_size_of_a_batch_changes_nothing(tmp_path_factory, evaluated, blocks, data, block_bytes):
    rows = evaluated(blocks, [data.draw(levels) for _ in range(len(blocks) + 1)])
    path = tmp_path_factory.mktemp("run") / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write_many(rows)
    whole = gathered(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", block_bytes)
        pieces = gathered(path, batch_rows=1)

    assert pieces.trained == whole.trained
    for left, right in zip(pieces.rows, whole.rows, strict=True):
        assert left.keys() == right.keys()
        assert [level.value for level in left.values()] == pytest.approx(
            [level.value for level in right.values()]
        )


def test_plain_columns_do_as_well():
    builder = MatrixBuilder()
    builder.add(
        {
            "world": ["w0", "w0", "e"],
            "phase": ["train", "train", "eval"],
            "regime_identity": ["B", "A", "B"],
            "reward": np.array([0.0, 0.0, 0.5]),
        }
    )
    found = builder.finish()

    assert (found.trained, found.rows) == (("B", "A"), [{}, {}, {"B": Level(0.5)}])


def test_the_matrix_is_a_metric_and_part_of_every_evaluation(write_trace, evaluated):
    path = write_trace(evaluated([("A", 30), ("B", 30)], [{}, {"A": [1.0]}, {"A": [0.5], "B": [0.5]}]))
    metric = MatrixMetric()
    found = evaluate(path, metrics=[metric])
    values = {(value.name, value.identity): value for value in found.extra}

    assert isinstance(metric, Metric)
    assert values["backward_transfer", None].value == -0.5
    assert found.overall["backward_transfer"].value == -0.5
    assert found.identities["A"].scores["backward_transfer"].value == -0.5
    assert found.identities["B"].scores["backward_transfer"].reason == "trained_last"
    assert found.counts.ignored == {"eval": 3}
