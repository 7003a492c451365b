"""What a sweep keeps of itself in its directory: which runs it is made of, and what they are called."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.document import read_yaml
from skyfall_crl.ports.errors import ConfigError, TraceError
from skyfall_crl.study.sweep_document import SweepDocument
from skyfall_crl.study.sweep_plan import PlannedRun, stored_digest
from skyfall_crl.train.directory import RunDirectory, write_atomically

SWEEP_FILE = "sweep.json"
SWEEP_VERSION = 1


class RecordedRun(msgspec.Struct):
    """One run by its labels; `directory` is relative to the sweep's, `digest` that of its config."""

    role: str
    scenario: str
    variant: str
    seed: int
    directory: str
    digest: str


class SweepRecord(msgspec.Struct):
    """The whole of `sweep.json`."""

    version: int
    source: str
    reference: str | None
    bounds: dict[str, str] | None
    checks: dict[str, Any]
    runs: list[RecordedRun]


def record_of(sweep: SweepDocument, source: Path, runs: Sequence[PlannedRun]) -> SweepRecord:
    """Return the record of a sweep with these runs."""
    return SweepRecord(
        version=SWEEP_VERSION,
        source=str(source),
        reference=sweep.reference,
        bounds=None if sweep.bounds is None else sweep.bounds.model_dump(),
        checks=sweep.checks.model_dump(),
        runs=[
            RecordedRun(run.role, run.scenario, run.variant, run.seed, run.directory, run.digest)
            for run in runs
        ],
    )


def write_record(out: Path, record: SweepRecord) -> None:
    """Write `sweep.json`."""
    write_atomically(out / SWEEP_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2))


def read_record(out: Path) -> SweepRecord | None:
    """Read `sweep.json`, None where there is none; raises `TraceError` for a file that is none."""
    path = out / SWEEP_FILE
    if not path.is_file():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=SweepRecord)
    except (OSError, msgspec.DecodeError) as error:
        raise TraceError(f"{path}: expected the record of a sweep: {error}") from error
    if found.version != SWEEP_VERSION:
        raise TraceError(f"{path}: expected version {SWEEP_VERSION}, found {found.version}")
    return found


def open_directory(out: Path, *, resume: bool) -> None:
    """Make a sweep's directory, or take it up again; raises `ConfigError` when the other was asked for."""
    there = (out / SWEEP_FILE).is_file()
    if there and not resume:
        raise ConfigError(
            f"--out {out}: expected a new directory, found a sweep; go on with it with --resume"
        )
    if resume and not there:
        raise ConfigError(f"--out {out}: expected a sweep to go on with, found none; leave --resume out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {out}: can't be made: {error.strerror or error}") from None


def refuse_other_configs(out: Path, runs: Sequence[PlannedRun]) -> None:
    """Raise `ConfigError` when a run's directory holds a run of another config than the sweep asks for now."""
    changed = []
    for run in runs:
        path = RunDirectory(out / run.directory).config
        if path.is_file():
            found = read_yaml(path)
            if not isinstance(found, dict) or stored_digest(run, found) != run.digest:
                changed.append(run.directory)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise ConfigError(
            f"{out}: expected runs of the sweep as it is now, found another config in {changed[0]}{more}; "
            "remove what changed, or use a new --out"
        )
