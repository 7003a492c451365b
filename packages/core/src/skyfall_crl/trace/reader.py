"""Reading a trace line by line: rows as dictionaries, the header, and what was torn at the end."""

import gzip
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.errors import TraceError

BLOCK_BYTES = 4 << 20


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
    """What a reader found besides rows; filled while reading and complete at its end."""

    lines: int = 0
    torn: TornLine | None = None


def read_rows(path: Path | str, report: ReadReport | None = None) -> Iterator[dict[str, Any]]:
    """Yield every line of a `.jsonl` or `.jsonl.gz` trace, the header included, as it stands.

    A torn last line is left out and noted in `report`. Raises TraceError, naming the line, at anything else
    that isn't a JSON object.
    """
    decoder = msgspec.json.Decoder(dict[str, Any])
    for first_line, block in read_blocks(path, BLOCK_BYTES, report):
        try:
            rows = decoder.decode_lines(block)
        except msgspec.DecodeError:
            raise locate(Path(path), first_line, block, decoder) from None
        yield from rows


def read_header(path: Path | str) -> dict[str, Any]:
    """Return the provenance record of a trace, or an empty mapping when it begins with something else."""
    with closing(read_blocks(path, BLOCK_BYTES, None)) as blocks:
        _, block = next(blocks, (1, b""))
    line = block.partition(b"\n")[0]
    try:
        header = msgspec.json.decode(line, type=dict[str, Any]) if line.strip() else {}
    except msgspec.DecodeError as error:
        raise TraceError(f"{path} line 1: expected a JSON object: {error}") from error
    return header if header.get("kind") == "provenance" else {}


def read_blocks(
    path: Path | str, block_bytes: int, report: ReadReport | None
) -> Generator[tuple[int, bytes], None, None]:
    """Yield (number of the first line, whole lines) in pieces of about `block_bytes`."""
    path = Path(path)
    report = ReadReport() if report is None else report
    rest, offset = b"", 0
    try:
        with _open(path) as trace:
            while chunk := trace.read(block_bytes):
                end = chunk.rfind(b"\n") + 1
                if not end:
                    rest += chunk
                    continue
                block, rest = rest + chunk[:end], chunk[end:]
                first_line = report.lines + 1
                report.lines += block.count(b"\n")
                offset += len(block)
                yield first_line, block
    except (OSError, EOFError, zlib.error) as error:
        raise TraceError(f"{path}: can't be read as a trace: {error}") from error
    if rest.strip():
        if _is_json(rest):
            report.lines += 1
            yield report.lines, rest
        else:
            report.torn = TornLine(report.lines + 1, offset, len(rest))


def locate(path: Path, first_line: int, block: bytes, decoder: "msgspec.json.Decoder[Any]") -> TraceError:
    """Find the line of a block that `decoder` refuses and say what is wrong with it."""
    for number, line in enumerate(block.split(b"\n"), first_line):
        try:
            if line.strip():
                decoder.decode(line)
        except msgspec.DecodeError as error:
            return TraceError(f"{path} line {number}: expected a trace row as a JSON object: {error}")
    return TraceError(f"{path} line {first_line}: expected one JSON object per line")


def _open(path: Path) -> BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return False
    return True
