"""Writing a trace."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace import TraceWriter, read_rows

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.dictionaries(st.text(), plain, max_size=6), max_size=80), batched=st.booleans())
def test_every_row_comes_back_as_it_was_written(tmp_path_factory, rows, batched):
    path = tmp_path_factory.mktemp("run") / "trace.jsonl"
    with TraceWriter(path) as writer:
        if batched:
            writer.write_many(rows)
        else:
            for row in rows:
                writer.write(row)

    assert list(read_rows(path)) == rows


def test_numpy_values_and_read_only_mappings_are_written_as_plain_data(path):
    with TraceWriter(path) as writer:
        writer.write(
            {
                "action": np.arange(3),
                "choice": np.int64(2),
                "reward": np.float32(0.5),
                "scalar": np.float64(0.25),
                "done": np.bool_(True),
                "outcome": MappingProxyType({"accepted": True}),
            }
        )

    assert list(read_rows(path)) == [
        {
            "action": [0, 1, 2],
            "choice": 2,
            "reward": 0.5,
            "scalar": 0.25,
            "done": True,
            "outcome": {"accepted": True},
        }
    ]


def test_a_number_json_does_not_have_becomes_null(path):
    with TraceWriter(path) as writer:
        writer.write({"reward": float("nan"), "value": float("-inf")})

    assert path.read_bytes() == b'{"reward":null,"value":null}\n'


@pytest.mark.parametrize("method", ["write", "write_many"])
def test_a_row_that_is_no_json_is_refused_by_name_and_leaves_the_rest_whole(path, method):
    bad = {"world": "w3", "step": 7, "note": "x" * 5000, "action": object()}
    with TraceWriter(path) as writer:
        writer.write({"step": 0})
        with pytest.raises(TraceError, match=r"world w3, step 7 .* type object has no JSON form"):
            writer.write(bad) if method == "write" else writer.write_many([bad, {"step": 8}])
        writer.write({"step": 1})

    assert list(read_rows(path)) == [{"step": 0}, {"step": 1}]


def test_rows_wait_in_the_buffer_until_there_are_sixty_four(path, monkeypatch):
    monkeypatch.setattr("skyfall_crl.trace.writer.monotonic", lambda: 0.0)
    with TraceWriter(path) as writer:
        for step in range(63):
            writer.write({"step": step})
        waiting = path.stat().st_size
        writer.write({"step": 63})

        assert (waiting, path.stat().st_size) == (0, writer.offset)


def test_a_row_that_comes_a_second_after_the_last_flush_is_handed_over_at_once(path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("skyfall_crl.trace.writer.monotonic", lambda: now[0])
    with TraceWriter(path) as writer:
        writer.write({"step": 0})
        now[0] = 1.0
        writer.write({"step": 1})

        assert path.stat().st_size == writer.offset


def test_the_offset_counts_rows_that_are_still_in_the_buffer(path):
    with TraceWriter(path) as writer:
        writer.write({"step": 0})
        before = writer.offset
        writer.flush()

        assert before == writer.offset == path.stat().st_size == len(b'{"step":0}\n')


def test_appending_goes_on_behind_the_last_row(path):
    with TraceWriter(path) as writer:
        writer.write({"step": 0})
    with TraceWriter(path, append=True) as writer:
        start = writer.offset
        writer.write({"step": 1})

    assert start == len(b'{"step":0}\n')
    assert list(read_rows(path)) == [{"step": 0}, {"step": 1}]


@pytest.mark.parametrize("kept", [b"", b'{"step":0}\n', b'{"note":"' + b"x" * 200_000 + b'"}\n'])
def test_appending_moves_a_torn_last_line_to_a_file_of_its_own(path, kept):
    torn = b'{"step":1,"rew' + b"a" * 150_000
    path.write_bytes(kept + torn)

    with TraceWriter(path, append=True) as writer:
        writer.write({"step": 1})

    assert path.read_bytes() == kept + b'{"step":1}\n'
    assert writer.torn == path.with_name("trace.cut-1.jsonl")
    assert writer.torn.read_bytes() == torn


def test_a_trace_that_exists_is_never_overwritten(path):
    path.write_text("precious\n")

    with pytest.raises(TraceError, match="exists already"):
        TraceWriter(path)

    assert path.read_text() == "precious\n"


@pytest.mark.parametrize("append", [False, True])
def test_a_trace_in_a_directory_that_is_not_there_is_refused(tmp_path, append):
    with pytest.raises(TraceError, match="No such file or directory"):
        TraceWriter(tmp_path / "missing" / "trace.jsonl", append=append)


def test_a_closed_writer_takes_no_rows_and_closes_twice_without_harm(path):
    writer = TraceWriter(path)
    writer.close()
    writer.close()
    writer.write({"step": 0})

    with pytest.raises(TraceError, match="is closed"):
        writer.flush()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.symlink_to("/dev/full")
    writer = TraceWriter(path, append=True)
    writer.write({"step": 0})

    with pytest.raises(TraceError, match="No space left on device"):
        writer.close()


def test_what_was_flushed_survives_a_process_that_is_killed(path):
    program = (
        "import os, signal, sys\n"
        "from skyfall_crl.trace import TraceWriter\n"
        "writer = TraceWriter(sys.argv[1])\n"
        "writer.write({'kind': 'intent', 'step': 0}); writer.flush()\n"
        "writer.write({'kind': 'step', 'step': 0})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    child = subprocess.run([sys.executable, "-c", program, str(path)], check=False, env=os.environ)

    assert child.returncode == -signal.SIGKILL
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"kind": "intent", "step": 0}]
