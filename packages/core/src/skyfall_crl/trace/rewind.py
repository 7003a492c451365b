"""Cutting a trace back to a byte offset without losing what came after it."""

import os
import re
from contextlib import suppress
from pathlib import Path

from skyfall_crl.ports.errors import TraceError

_COPY_BYTES = 4 << 20


def next_cut_path(path: Path | str) -> Path:
    """Return the first unused name `<stem>.cut-<n>.jsonl` beside a trace, counting from 1."""
    path = Path(path)
    pattern = re.compile(re.escape(path.stem) + r"\.cut-(\d+)\.jsonl")
    taken = [int(found[1]) for entry in path.parent.iterdir() if (found := pattern.fullmatch(entry.name))]
    return path.with_name(f"{path.stem}.cut-{max(taken, default=0) + 1}.jsonl")


def cut(path: Path | str, offset: int, moved_to: Path | str | None = None) -> Path | None:
    """Move everything after byte `offset` of a trace into a file of its own and shorten the trace.

    `moved_to` defaults to `next_cut_path(path)` and must not exist. The moved bytes are on disk under their
    final name before the trace shrinks, so that a crash in between leaves them in both files and a second
    call repairs it. Returns the new file, or None when nothing lies behind `offset`. Raises TraceError when
    the trace is shorter than `offset`, when `offset` is not the beginning of a line, or when a file can't
    be written.
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        if offset < 0 or offset > size:
            raise TraceError(
                f"{path}: can't be cut at byte {offset}, the file has {size} bytes; "
                "the checkpoint belongs to another trace"
            )
        if offset == size:
            return None
        target = next_cut_path(path) if moved_to is None else Path(moved_to)
        _move_tail(path, offset, target)
    except OSError as error:
        raise TraceError(f"{path}: can't be cut at byte {offset}: {error}") from error
    return target


def _move_tail(path: Path, offset: int, target: Path) -> None:
    if target.exists():
        raise TraceError(f"{target}: exists already; rows cut from a trace go to a new file")
    partial = target.with_name(target.name + ".partial")
    with path.open("r+b") as trace, partial.open("wb") as copy:
        if offset:
            trace.seek(offset - 1)
            if trace.read(1) != b"\n":
                raise TraceError(f"{path}: byte {offset} is not the beginning of a line")
        while block := trace.read(_COPY_BYTES):
            copy.write(block)
        copy.flush()
        os.fsync(copy.fileno())
        partial.replace(target)
        sync_directory(target.parent)
        trace.truncate(offset)
        os.fsync(trace.fileno())


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable, where the platform can."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
