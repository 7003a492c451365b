"""Reading a trace line by line."""

import gzip
import json

import pytest

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace import ReadReport, TornLine, read_header, read_rows

HEADER = {"v": 1, "kind": "provenance", "seed": 3}


def write_lines(path, *lines):
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))


def test_the_header_is_the_first_line_when_it_is_a_provenance_record(path):
    write_lines(path, HEADER, {"step": 0})

    assert read_header(path) == HEADER


@pytest.mark.parametrize("lines", [(), ({"step": 0},), ("\n", {"step": 0})])
def test_a_trace_without_a_provenance_record_has_an_empty_header(path, lines):
    write_lines(path, *lines)

    assert read_header(path) == {}


def test_a_torn_last_line_is_left_out_and_reported(path):
    whole = json.dumps({"step": 0}) + "\n"
    write_lines(path, whole, '{"step": 1, "rew')
    report = ReadReport()

    assert list(read_rows(path, report)) == [{"step": 0}]
    assert report == ReadReport(TornLine(line=2, offset=len(whole), size=16))


def test_a_whole_last_line_without_a_line_end_is_read(path):
    write_lines(path, {"step": 0}, '{"step": 1}')
    report = ReadReport()

    assert list(read_rows(path, report)) == [{"step": 0}, {"step": 1}]
    assert report == ReadReport(torn=None)


@pytest.mark.parametrize("line", ['{"step": 1, "rew\n', "[1]\n", '{"reward": NaN}\n'])
def test_a_malformed_line_in_the_middle_is_named(path, line):
    write_lines(path, {"step": 0}, line, {"step": 2})

    with pytest.raises(TraceError, match=r"trace\.jsonl line 2: expected a trace row"):
        list(read_rows(path))


def test_a_malformed_line_is_counted_over_blocks(path, monkeypatch):
    monkeypatch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", 32)
    write_lines(path, *({"step": step} for step in range(40)), "nonsense\n", {"step": 41})

    with pytest.raises(TraceError, match="line 41"):
        list(read_rows(path))


def test_a_line_longer_than_a_block_is_read_whole(path, monkeypatch):
    monkeypatch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", 16)
    rows = [{"step": 0}, {"note": "x" * 200}, {"step": 1}]
    write_lines(path, *rows)

    assert list(read_rows(path)) == rows


def test_a_compressed_trace_reads_like_a_plain_one(tmp_path):
    path = tmp_path / "trace.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"kind": "provenance"}\n{"step": 0}\n'))

    assert read_header(path) == {"kind": "provenance"}
    assert list(read_rows(path)) == [{"kind": "provenance"}, {"step": 0}]


def test_a_compressed_trace_cut_short_is_refused(tmp_path):
    path = tmp_path / "trace.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"step": 0}\n' * 1000)[:-20])

    with pytest.raises(TraceError, match="can't be read as a trace"):
        list(read_rows(path))


def test_a_trace_that_is_not_there_is_named(path):
    with pytest.raises(TraceError, match=r"trace\.jsonl: can't be read"):
        read_header(path)
