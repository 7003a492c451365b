"""Reading a trace as columns: only the fields that metrics need, decoded a block at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace.batch import Batch, Labels
from skyfall_crl.trace.reader import ReadReport, line_number, malformed, read_blocks

UNLABELLED = "unlabelled"
BATCH_ROWS = 65536
_Step: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class _Row(msgspec.Struct, gc=False):
    kind: Literal["step", "provenance", "intent", "shift", "resume", "note"] = "step"
    step: _Step | None = None
    world: str = "w0"
    phase: Literal["train", "eval", "serve", "harness"] = "train"
    regime_id: str | None = None
    regime_identity: str | None = None
    drift_progress: float | None = None
    reward: float | None = None
    policy_version: object = None


class _AnyPhaseRow(msgspec.Struct, gc=False):
    kind: str = "step"
    step: _Step | None = None
    world: str = "w0"
    phase: str = "train"
    regime_id: str | None = None
    regime_identity: str | None = None
    drift_progress: float | None = None
    reward: float | None = None
    policy_version: object = None


class _Outcome(msgspec.Struct):
    kind: str = "step"
    reward: object = None
    outcome: msgspec.Raw = msgspec.Raw(b"null")


class _Kind(msgspec.Struct):
    kind: str = "step"
    step: object = None


_Rows: TypeAlias = Sequence[_Row | _AnyPhaseRow]

_ROW = msgspec.json.Decoder(_Row)
_ANY_PHASE_ROW = msgspec.json.Decoder(_AnyPhaseRow)
_KIND = msgspec.json.Decoder(_Kind)
_OUTCOME = msgspec.json.Decoder(_Outcome)


def read_columns(
    path: Path | str, batch_rows: int | None = None, report: ReadReport | None = None
) -> Iterator[Batch]:
    """Yield the step rows of a `.jsonl` or `.jsonl.gz` trace in batches of about `batch_rows`.

    A batch has 65536 rows unless told otherwise; memory doesn't grow with the trace. Kinds nobody knows are
    skipped; a torn last line is left out and noted in `report`. Raises TraceError, naming the line, at a
    malformed line or a step row without a step.
    """
    path = Path(path)
    batch_rows = BATCH_ROWS if batch_rows is None else batch_rows
    collector = _Collector()
    for offset, block in read_blocks(path, report):
        known = collector.nulls
        for rows, resumed in _split_at_resumes(_decode(path, offset, block)):
            if resumed:
                yield from collector.take()
                collector.resumed = True
            if not collector.add(rows):
                raise _missing_step(path, offset, block)
        if collector.nulls > known:
            collector.uncertain += _uncertain(block)
        if collector.rows >= batch_rows:
            yield from collector.take()
    yield from collector.take()


def _decode(path: Path, offset: int, block: memoryview | bytes) -> _Rows:
    try:
        return _ROW.decode_lines(block)
    except msgspec.DecodeError:
        return _decode_each(path, offset, block)


def _decode_each(path: Path, offset: int, block: memoryview | bytes) -> list[_AnyPhaseRow]:
    """Decode lines one by one, passing over kinds whose fields mean something else."""
    rows = []
    for place, line in enumerate(bytes(block).split(b"\n")):
        if not line.strip():
            continue
        try:
            if _KIND.decode(line).kind in {"step", "resume"}:
                rows.append(_ANY_PHASE_ROW.decode(line))
        except msgspec.DecodeError as error:
            raise malformed(path, line_number(path, offset) + place, error) from None
    return rows


def _split_at_resumes(rows: _Rows) -> Iterator[tuple[_Rows, bool]]:
    """Yield runs of step rows, each with whether a resume record precedes it."""
    kinds = [row.kind for row in rows]
    if kinds.count("step") == len(kinds):
        yield rows, False
        return
    begin, resumed = 0, False
    for index in [*(index for index, kind in enumerate(kinds) if kind == "resume"), len(rows)]:
        yield [row for row in rows[begin:index] if row.kind == "step"], resumed
        begin, resumed = index, True


def _uncertain(block: memoryview | bytes) -> int:
    """Count the step rows of a block whose reward is null because nobody knows what became of the action."""
    return sum(
        row.kind == "step" and row.reward is None and bytes(row.outcome) == b'"uncertain"'
        for row in _OUTCOME.decode_lines(block)
    )


def _missing_step(path: Path, offset: int, block: memoryview | bytes) -> TraceError:
    number = line_number(path, offset)
    for line in bytes(block).split(b"\n"):
        if line.strip() and (row := _KIND.decode(line)).kind == "step" and row.step is None:
            break
        number += 1
    return TraceError(f"{path} line {number}: expected a row with an integer `step`, found none")


class _Codes:
    """Numbers names in the order they are first seen."""

    def __init__(self) -> None:
        self._codes: dict[str | None, int] = {None: -1}

    def encode(self, column: list[str | None], instead: Sequence[str | None] = ()) -> Labels:
        """Number a column; for None stands what `instead` has there, and failing that `UNLABELLED`."""
        size, first = len(column), column[0]
        if first == column[size // 3] and column.count(first) == size:
            codes = np.full(size, self._code(first), np.int64)
        else:
            known = self._codes
            try:
                # a plain dict in a comprehension is looked up twice as fast as by any method
                found = [known[name] for name in column]
            except KeyError:
                found = [self._code(name) for name in column]
            codes = np.fromiter(found, np.int64, size)
        for place in np.flatnonzero(codes < 0).tolist():
            name = instead[place] if instead else None
            codes[place] = self._code(UNLABELLED if name is None else name)
        return Labels(codes, ())

    def join(self, parts: Sequence[Labels]) -> Labels:
        """Put a column's pieces together, with the names of all codes so far."""
        names = tuple(name for name in self._codes if name is not None)
        return Labels(np.concatenate([part.codes for part in parts]), names)

    def _code(self, name: str | None) -> int:
        return self._codes.setdefault(name, len(self._codes) - 1)


class _Collector:
    """Gathers the columns of blocks until they make a batch."""

    def __init__(self) -> None:
        self.rows = 0
        self.resumed = False
        self.nulls = 0
        self.uncertain = 0
        self._versions: dict[object, None] = {}
        self._worlds = _Codes()
        self._phases = _Codes()
        self._ids = _Codes()
        self._identities = _Codes()
        self._parts: list[Batch] = []

    def add(self, rows: _Rows) -> bool:
        """Add the columns of step rows; False when one of them has no step."""
        if not rows:
            return True
        try:
            steps = np.fromiter([row.step for row in rows], np.int64, len(rows))
        except TypeError:
            return False
        ids = [row.regime_id for row in rows]
        identities = [row.regime_identity for row in rows]
        part = Batch(
            step=steps,
            world=self._worlds.encode([row.world for row in rows]),
            phase=self._phases.encode([row.phase for row in rows]),
            regime_id=self._ids.encode(ids),
            regime_identity=self._identities.encode(identities, ids),
            drift_progress=_floats([row.drift_progress for row in rows]),
            reward=_floats([row.reward for row in rows]),
        )
        self._parts.append(part)
        self.nulls += int(np.count_nonzero(np.isnan(part.reward)))
        self._versions.update(dict.fromkeys((rows[0].policy_version, rows[-1].policy_version)))
        self.rows += len(rows)
        return True

    def take(self) -> Iterator[Batch]:
        """Yield what was gathered, if anything, and begin anew."""
        if not self.rows:
            return
        parts, self._parts, self.rows = self._parts, [], 0
        resumed, self.resumed = self.resumed, False
        uncertain, self.uncertain = self.uncertain, 0
        versions, self._versions = tuple(self._versions), {}
        yield Batch(
            step=np.concatenate([part.step for part in parts]),
            world=self._worlds.join([part.world for part in parts]),
            phase=self._phases.join([part.phase for part in parts]),
            regime_id=self._ids.join([part.regime_id for part in parts]),
            regime_identity=self._identities.join([part.regime_identity for part in parts]),
            drift_progress=np.concatenate([part.drift_progress for part in parts]),
            reward=np.concatenate([part.reward for part in parts]),
            resumed=resumed,
            uncertain=uncertain,
            versions=versions,
        )


def _floats(column: list[float | None]) -> NDArray[np.float64]:
    """Make a column of floats, NaN where there is no number."""
    if column[0] is None and column.count(None) == len(column):
        return np.full(len(column), np.nan)
    try:
        return np.fromiter(column, np.float64, len(column))
    except TypeError:
        return np.array(column, np.float64)
