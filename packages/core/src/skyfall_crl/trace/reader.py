"""Reading a trace line by line: rows as dictionaries, the header, and what was torn at the end."""

import gzip
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BufferedIOBase, RawIOBase
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.errors import TraceError

BLOCK_BYTES = 512 << 10  # about a thousand rows, which a core's cache holds; larger blocks decode slower


@dataclass(frozen=True, slots=True)
class TornLine:
    """A last line without its end, as a killed process leaves it; it isn't read.

    `line` counts from 1, `offset` is the byte at which it begins in the (uncompressed) trace, `size` its
    bytes.
    """

    line: int
    offset: int
    size: int


@dataclass(slots=True)
class ReadReport:
    """What a reader found besides rows; complete once everything is read."""

    torn: TornLine | None = None


def read_rows(path: Path | str, report: ReadReport | None = None) -> Iterator[dict[str, Any]]:
    """Yield every line of a `.jsonl` or `.jsonl.gz` trace, the header included, as it stands.

    A torn last line is left out and noted in `report`. Raises TraceError, naming the line, at anything else
    that isn't a JSON object.
    """
    decoder = msgspec.json.Decoder(dict[str, Any])
    for offset, block in read_blocks(path, report):
        try:
            rows = decoder.decode_lines(block)
        except msgspec.DecodeError:
            raise _locate(path, offset, bytes(block), decoder) from None
        yield from rows


def read_header(path: Path | str) -> dict[str, Any]:
    """Return the provenance record of a trace, or an empty mapping when it begins with something else."""
    with closing(read_blocks(path)) as blocks:
        line = next((bytes(block).partition(b"\n")[0] for _, block in blocks), b"")
    try:
        header = msgspec.json.decode(line, type=dict[str, Any]) if line.strip() else {}
    except msgspec.DecodeError as error:
        raise malformed(path, 1, error) from error
    return header if header.get("kind") == "provenance" else {}


def read_blocks(
    path: Path | str, report: ReadReport | None = None
) -> Generator[tuple[int, memoryview | bytes], None, None]:
    """Yield (byte offset, whole lines) in pieces of about `BLOCK_BYTES`, valid until the next is asked for."""
    path = Path(path)
    buffer = bytearray(BLOCK_BYTES)
    filled = offset = 0
    try:
        with _open(path) as trace:
            while count := trace.readinto(memoryview(buffer)[filled:]):
                filled += count
                end = buffer.rfind(b"\n", 0, filled) + 1
                if end:
                    yield offset, memoryview(buffer)[:end]
                    buffer[: filled - end] = buffer[end:filled]
                    filled, offset = filled - end, offset + end
                elif filled == len(buffer):
                    buffer = buffer + bytes(
                        filled
                    )  # a new one: the consumer may still hold a view of the old
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise TraceError(f"{path}: can't be read as a trace: {reason}") from error
    rest = bytes(buffer[:filled])
    if rest.strip() and _is_json(rest):
        yield offset, rest
    elif rest.strip() and report is not None:
        report.torn = TornLine(line_number(path, offset), offset, filled)


def malformed(path: Path | str, line: int, error: msgspec.DecodeError) -> TraceError:
    """Return the error for a line that isn't what was expected."""
    return TraceError(f"{path} line {line}: expected a trace row as a JSON object: {error}")


def line_number(path: Path | str, offset: int) -> int:
    """Return the number, from 1, of the line that begins at a byte offset; reads the trace up to there."""
    lines = 1
    for begin, block in read_blocks(path):
        if begin >= offset:
            break
        lines += bytes(block).count(b"\n")
    return lines


def _locate(
    path: Path | str, offset: int, block: bytes, decoder: "msgspec.json.Decoder[dict[str, Any]]"
) -> TraceError:
    """Find the line of a block that `decoder` refuses and say what is wrong with it."""
    number = line_number(path, offset)
    for line in block.split(b"\n"):
        try:
            if line.strip():
                decoder.decode(line)
        except msgspec.DecodeError as error:
            return malformed(path, number, error)
        number += 1
    return TraceError(f"{path}: expected one JSON object per line before line {number}")


def _open(path: Path) -> RawIOBase | BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb", buffering=0)


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return False
    return True
