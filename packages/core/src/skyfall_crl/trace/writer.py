"""Appending rows to a trace at close to the speed of the encoder."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

import msgspec

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace.rewind import cut, sync_directory

FLUSH_ROWS = 64
FLUSH_SECONDS = 1.0
_TAIL_BYTES = 1 << 16
_NO_JSON = (TypeError, ValueError, OverflowError, RecursionError)


class TraceWriter:
    """Writes one JSON line per row; threads that share one take turns, as those of a session do.

    Rows are encoded at once and reach the operating system every 64 rows, at the first row that comes a
    second after the last flush, and at `flush`, `sync` and `close`; only `sync` and `close` wait for the
    disk. A killed process therefore loses at most the last 63 rows, always whole ones or the end of one
    line.

    Values may be anything JSON has, numpy scalars and arrays, and mappings. JSON has no NaN or infinity:
    such a number is written as null, so a caller to whom the difference matters writes it in words, as the
    session does with `reward_invalid`.

    A new trace must not exist yet; `append=True` goes on at the end of an existing one. The torn last line
    a crash may have left there is moved to a file of its own, named by `torn`.
    """

    def __init__(self, path: Path | str, *, append: bool = False) -> None:
        self.path = Path(path)
        self.torn: Path | None = _set_torn_line_aside(self.path) if append else None
        flags = os.O_WRONLY | os.O_APPEND | (0 if append else os.O_CREAT | os.O_EXCL)
        try:
            self._descriptor = os.open(self.path, flags, 0o666)
            self._written = os.fstat(self._descriptor).st_size
        except FileExistsError:
            raise TraceError(
                f"{self.path}: exists already; resume the run or choose another directory"
            ) from None
        except OSError as error:
            raise TraceError(f"{self.path}: can't be opened for writing: {error.strerror}") from error
        sync_directory(self.path.parent)
        encoder = msgspec.json.Encoder(enc_hook=_plain)
        self._encode_into = encoder.encode_into
        self._encode_lines = encoder.encode_lines
        self._buffer = bytearray()
        self._rows = 0
        self._due = monotonic() + FLUSH_SECONDS
        self._closed = False

    @property
    def offset(self) -> int:
        """The byte at which the next row begins, rows not flushed yet included."""
        return self._written + len(self._buffer)

    def write(self, row: Mapping[str, Any]) -> None:
        """Append one row; a row that can't be written raises TraceError and leaves no trace."""
        buffer = self._buffer
        start = len(buffer)
        try:
            self._encode_into(row, buffer, start)
        except _NO_JSON as error:
            del buffer[start:]
            raise self._refusal(row, error) from error
        buffer += b"\n"
        self._rows += 1
        if self._rows >= FLUSH_ROWS or monotonic() >= self._due:
            self.flush()

    def write_many(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append several rows, all of them or none; cheaper than one call for each."""
        batch = list(rows)
        try:
            self._buffer += self._encode_lines(batch)
        except _NO_JSON as error:
            raise self._refusal(batch[0], error) from error
        self._rows += len(batch)
        if self._rows >= FLUSH_ROWS or monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Hand every row to the operating system; they then survive the death of this process."""
        if self._closed:
            raise TraceError(f"{self.path}: is closed, no row can be added")
        buffer = self._buffer
        while buffer:
            count = self._guard(os.write, self._descriptor, buffer)
            del buffer[:count]
            self._written += count
        self._rows = 0
        self._due = monotonic() + FLUSH_SECONDS

    def sync(self) -> None:
        """Wait until every row is on disk."""
        self.flush()
        self._guard(os.fsync, self._descriptor)

    def close(self) -> None:
        """Write and sync what is left and release the file; a second call does nothing."""
        if self._closed:
            return
        try:
            self.sync()
        finally:
            self._closed = True
            os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _guard(self, call: Callable[..., int | None], *arguments: Any) -> int:
        try:
            return call(*arguments) or 0
        except OSError as error:
            raise TraceError(f"{self.path}: can't be written: {error.strerror}") from error

    def _refusal(self, row: Mapping[str, Any], error: Exception) -> TraceError:
        world, step = row.get("world", "w0"), row.get("step", "?")
        return TraceError(f"{self.path}: the row of world {world}, step {step} is no JSON: {error}")


def _plain(value: object) -> object:
    """Turn numpy values and read-only mappings into what JSON has."""
    tolist = getattr(value, "tolist", None)
    if tolist is not None:
        return tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


def _set_torn_line_aside(path: Path) -> Path | None:
    """Move the bytes after the last line end of a trace into a file of their own."""
    try:
        with path.open("rb") as trace:
            end = position = trace.seek(0, os.SEEK_END)
            while position:
                begin = max(0, position - _TAIL_BYTES)
                trace.seek(begin)
                found = trace.read(position - begin).rfind(b"\n")
                if found >= 0:
                    return cut(path, begin + found + 1) if begin + found + 1 < end else None
                position = begin
    except OSError as error:
        raise TraceError(f"{path}: can't be opened for appending: {error.strerror}") from error
    return cut(path, 0) if end else None
