"""Reading a trace as columns."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace import ReadReport, TraceWriter, read_columns

rows_of_any_kind = st.lists(
    st.fixed_dictionaries(
        {"step": st.integers(0, 10**6), "regime_id": st.sampled_from(["A", "B", "C"])},
        optional={
            "kind": st.sampled_from(["step", "note", "shift", "of-a-plugin"]),
            "world": st.sampled_from(["w0", "w1"]),
            "phase": st.sampled_from(["train", "eval", "of-a-plugin"]),
            "regime_identity": st.sampled_from(["A", "B"]) | st.none(),
            "reward": st.none() | st.floats(-1, 1),
            "drift_progress": st.none() | st.floats(0, 1),
        },
    ),
    max_size=60,
)


def write_rows(path, *rows):
    with TraceWriter(path) as writer:
        writer.write_many(rows)


def as_rows(batches):
    return [
        tuple(None if value != value else value for value in row)
        for batch in batches
        for row in zip(*batch.columns().values(), strict=True)
    ]


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_any_kind, batch_rows=st.integers(1, 30), block_bytes=st.integers(40, 3000))
def test_columns_hold_what_the_step_rows_hold(tmp_path_factory, rows, batch_rows, block_bytes):
    path = tmp_path_factory.mktemp("run") / "trace.jsonl"
    write_rows(path, *rows)
    expected = [
        (
            row["step"],
            row.get("world", "w0"),
            row.get("phase", "train"),
            row["regime_id"],
            row.get("regime_identity") or row["regime_id"],
            row.get("drift_progress"),
            row.get("reward"),
        )
        for row in rows
        if row.get("kind", "step") == "step"
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", block_bytes)
        assert as_rows(read_columns(path, batch_rows)) == expected


def test_a_row_without_a_regime_is_unlabelled(path):
    write_rows(path, {"step": 0, "reward": 1.0}, {"step": 1, "regime_id": None, "reward": 1})
    (batch,) = read_columns(path)

    assert list(batch.regime_id) == list(batch.regime_identity) == ["unlabelled", "unlabelled"]


def test_batches_hold_about_as_many_rows_as_asked_for(path, monkeypatch):
    monkeypatch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", 1000)
    write_rows(path, *({"step": step, "regime_id": "A", "reward": 0.5} for step in range(1000)))
    sizes = [len(batch) for batch in read_columns(path, 100)]

    assert sum(sizes) == 1000
    assert all(100 <= size < 130 for size in sizes[:-1])


def test_a_resume_record_divides_batches(path):
    rows = [{"step": 0}, {"kind": "note"}, {"step": 1}, {"kind": "resume", "step": 1}, {"step": 1}]
    write_rows(path, *rows)
    batches = list(read_columns(path))

    assert [(batch.step.tolist(), batch.resumed) for batch in batches] == [([0, 1], False), ([1], True)]


def test_kinds_nobody_knows_are_skipped_whatever_their_fields_mean(path):
    write_rows(
        path, {"step": 0, "reward": 0.5}, {"kind": "of-a-plugin", "step": "x", "reward": []}, {"step": 1}
    )
    (batch,) = read_columns(path)

    assert batch.step.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"step": 1, "reward": "high"}', "Expected `float | null`"),
        ('{"reward": 1.0}', "integer `step`"),
        ('{"step": 1' + "0" * 30 + "}", "Expected `int` <= 9007199254740992"),
        ('{"step": 1, "reward": 1' + "0" * 400 + "}", "Number out of range"),
        ('{"step": 1, "rew', "truncated"),
        ("nonsense", "malformed"),
        ("[]", "Expected `object`"),
    ],
)
def test_a_row_that_cannot_be_scored_is_named(path, line, complaint):
    path.write_text('{"step": 0, "kind": "of-a-plugin", "reward": []}\n' + line + '\n{"step": 2}\n')

    with pytest.raises(TraceError, match=r"trace\.jsonl line 2: .*" + complaint.replace("|", r"\|")):
        list(read_columns(path))


def test_a_torn_last_line_is_left_out_and_reported(path):
    path.write_text('{"step": 0, "reward": 1}\n{"step": 1, "reward": 1')
    report = ReadReport()
    (batch,) = read_columns(path, report=report)

    assert batch.reward.tolist() == [1.0]
    assert report.torn is not None
    assert (report.torn.line, report.torn.offset) == (2, 25)


def test_a_compressed_trace_reads_like_a_plain_one(path):
    write_rows(path, *({"step": step, "reward": step / 7} for step in range(100)))
    packed = path.with_name("trace.jsonl.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))

    assert as_rows(read_columns(packed)) == as_rows(read_columns(path))


def test_labels_are_a_sequence_of_names(path):
    write_rows(path, *({"step": step, "regime_id": "ABB"[step]} for step in range(3)))
    (batch,) = read_columns(path)

    assert (len(batch.regime_id), batch.regime_id[-1], list(batch.regime_id[:2])) == (3, "B", ["A", "B"])


def test_rows_without_a_known_outcome_are_counted_apart_from_other_missing_rewards(tmp_path):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write({"step": 0, "reward": None, "outcome": "uncertain"})
        writer.write({"step": 1, "reward": None, "outcome": {"accepted": False}})
        writer.write({"step": 2, "reward": None})
        writer.write({"step": 3, "reward": 1.0, "outcome": "uncertain"})
        writer.write({"kind": "intent", "step": 4, "outcome": "uncertain"})

    assert [batch.uncertain for batch in read_columns(path)] == [1]


def test_a_batch_tells_between_which_policy_versions_it_lies(tmp_path):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write_many({"step": step, "policy_version": step // 4} for step in range(12))

    assert [batch.versions for batch in read_columns(path)] == [(0, 2)]
