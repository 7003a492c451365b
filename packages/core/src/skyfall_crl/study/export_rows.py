"""The steps of a run as a flat table: one row for each, as CSV or Parquet."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.study.traces import stored_trace
from skyfall_crl.trace.reader import read_rows

BATCH_ROWS = 50_000
TERM = "reward_terms."
_FIELDS: Mapping[str, str] = {
    "world": "text",
    "step": "whole",
    "world_time": "number",
    "episode": "whole",
    "phase": "text",
    "regime_id": "text",
    "regime_identity": "text",
    "drift_progress": "number",
    "reward": "number",
    "terminated": "flag",
    "truncated": "flag",
    "action": "text",
    "accepted": "flag",
    "reason": "text",
    "policy_version": "whole",
    "wall_ms": "whole",
}


def trace_of(run: Path) -> Path:
    """Return the trace of a run directory, or the trace itself; raises `ConfigError` where there is none."""
    found = stored_trace(run) if run.is_dir() else run if run.is_file() else None
    if found is None:
        raise ConfigError(f"{run}: expected a trace, or a run directory with one, found none")
    return found


def flat_rows(trace: Path) -> tuple[dict[str, str], Iterator[dict[str, Any]]]:
    """Return the columns of a trace with their kinds, and its step rows with those columns.

    A column `reward_terms.<name>` holds each term; `action` is JSON where it is no number. The trace is read twice.
    """
    terms: dict[str, None] = {}
    for row in _steps(trace):
        terms.update(dict.fromkeys(row.get("reward_terms") or ()))
    columns = {**_FIELDS, **{f"{TERM}{name}": "number" for name in terms}}
    return columns, (_flat(row, list(terms)) for row in _steps(trace))


def write_csv(trace: Path, path: Path) -> int:
    """Write a CSV file with a line of headings and return the number of steps; nothing stands for null."""
    columns, rows = flat_rows(trace)
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            count += 1
    return count


def write_parquet(trace: Path, path: Path) -> int:
    """Write a Parquet file and return the number of steps; raises `ConfigError` without pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            '--parquet: expected pyarrow to be installed, found none; pip install "skyfall-crl[parquet]"'
        ) from None
    kinds = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "number": pyarrow.float64(),
        "flag": pyarrow.bool_(),
    }
    columns, rows = flat_rows(trace)
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(list(batch), schema=schema))
            count += len(batch)
    return count


def _steps(trace: Path) -> Iterator[dict[str, Any]]:
    return (row for row in read_rows(trace) if row.get("kind", "step") == "step")


def _flat(row: Mapping[str, Any], terms: Sequence[str]) -> dict[str, Any]:
    outcome, found = row.get("outcome"), row.get("reward_terms") or {}
    told = outcome if isinstance(outcome, Mapping) else {}
    flat = {name: row.get(name) for name in _FIELDS}
    flat |= {
        "world": row.get("world", "w0"),
        "phase": row.get("phase", "train"),
        "episode": row.get("episode", 0),
    }
    flat["accepted"], flat["reason"] = told.get("accepted"), told.get("reason")
    action = row.get("action")
    flat["action"] = None if action is None else msgspec.json.encode(action).decode()
    if row.get("world_time") is not None:
        flat["world_time"] = float(row["world_time"])
    return flat | {f"{TERM}{name}": found.get(name) for name in terms}


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch
