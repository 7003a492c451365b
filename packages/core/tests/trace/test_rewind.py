"""Cutting a trace back to where a checkpoint left it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace import cut, next_cut_path


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(st.text(alphabet="ab0", max_size=5), max_size=20), data=st.data())
def test_nothing_is_lost_and_nothing_changes_before_the_offset(tmp_path_factory, lines, data):
    path = tmp_path_factory.mktemp("run") / "trace.jsonl"
    encoded = [line.encode() + b"\n" for line in lines]
    kept = data.draw(st.integers(0, len(lines)))
    path.write_bytes(b"".join(encoded))

    moved = cut(path, len(b"".join(encoded[:kept])))

    assert path.read_bytes() == b"".join(encoded[:kept])
    assert (moved.read_bytes() if moved else b"") == b"".join(encoded[kept:])


def test_cuts_are_numbered_and_keep_what_earlier_ones_moved(path):
    for text in (b"one\n", b"two\n"):
        path.write_bytes(text)
        cut(path, 0)

    assert path.with_name("trace.cut-1.jsonl").read_bytes() == b"one\n"
    assert path.with_name("trace.cut-2.jsonl").read_bytes() == b"two\n"
    assert next_cut_path(path) == path.with_name("trace.cut-3.jsonl")


def test_a_cut_at_the_end_moves_nothing_and_makes_no_file(path):
    path.write_bytes(b"one\n")

    assert cut(path, 4) is None
    assert [entry.name for entry in path.parent.iterdir()] == ["trace.jsonl"]


@pytest.mark.parametrize(
    ("offset", "complaint"), [(9, "has 8 bytes"), (-1, "has 8 bytes"), (5, "not the beginning of a line")]
)
def test_an_offset_that_fits_no_line_is_refused_and_changes_nothing(path, offset, complaint):
    path.write_bytes(b"one\ntwo\n")

    with pytest.raises(TraceError, match=complaint):
        cut(path, offset)

    assert path.read_bytes() == b"one\ntwo\n"
    assert not list(path.parent.glob("*cut*.jsonl"))


def test_rows_cut_earlier_are_never_overwritten(path, tmp_path):
    path.write_bytes(b"one\n")
    taken = tmp_path / "taken.jsonl"
    taken.write_bytes(b"precious\n")

    with pytest.raises(TraceError, match="exists already"):
        cut(path, 0, taken)

    assert taken.read_bytes() == b"precious\n"
    assert path.read_bytes() == b"one\n"


def test_a_trace_that_is_not_there_is_named(path):
    with pytest.raises(TraceError, match="No such file"):
        cut(path, 0)
