"""Everything a comparison says of some directories: tables, checks, tuning, and what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.metrics.stored_bounds import BOUNDS_FILE, read_stored
from skyfall_crl.ports.errors import TraceError
from skyfall_crl.study.checks import Check, check
from skyfall_crl.study.comparison import ScenarioTable, compare
from skyfall_crl.study.comparison_cells import WrittenTable, write_table
from skyfall_crl.study.gather import FoundRun, Gathered, gather
from skyfall_crl.study.sweep_plan import document_digest
from skyfall_crl.study.tuning import TUNE_FILE, TuneRecord

MANY_MISSING = 5


@dataclass(frozen=True, slots=True)
class Overview:
    """A whole comparison; `tuning` has what was spent, by sweep directory."""

    runs: Sequence[FoundRun]
    tables: Sequence[ScenarioTable]
    written: Sequence[WrittenTable]
    checks: Sequence[Check]
    cautions: Sequence[str]
    tuning: Mapping[str, TuneRecord]

    def to_mapping(self) -> dict[str, Any]:
        """Return what stands beside the tables as plain data."""
        return {
            "digest": scores_digest(self.runs),
            "bounds": {table.name: _reference_digests(self.runs, table.name) for table in self.tables},
            "checks": [asdict(found) for found in self.checks],
            "cautions": list(self.cautions),
            "tuning": msgspec.to_builtins(self.tuning),
        }


def overview(directories: Sequence[Path], reference: str | None = None) -> Overview:
    """Compare all runs under some directories; without `reference`, a sweep's own is taken."""
    found = gather(directories)
    if reference is None:
        named = [record.reference for record in found.sweeps.values() if record.reference is not None]
        there = {run.variant for run in found.runs}
        reference = next((name for name in named if name in there), None)
    tables = compare(found.runs, reference)
    tuning = {str(path): record for path in found.sweeps if (record := _tuned(path)) is not None}
    spent = [sentence for record in tuning.values() for sentence in _spent(record)]
    checks = [
        c
        for path, record in found.sweeps.items()
        for c in check(tables, record, found.runs, found.prefix(path))
    ]
    written = [write_table(table, spent) for table in tables]
    return Overview(found.runs, tables, written, checks, _cautions(found), tuning)


def scores_digest(runs: Sequence[FoundRun]) -> str:
    """Return a digest of every score of every run, the same for the same numbers in whatever order."""
    rows = sorted(
        (
            run.scenario,
            run.variant,
            run.seed,
            {name: row.value for name, row in run.evaluation.overall.items()},
        )
        for run in runs
    )
    return document_digest({"runs": rows})


def _reference_digests(runs: Sequence[FoundRun], scenario: str) -> dict[str, str] | None:
    """Return the digests of the rows that a scenario's bounds rest on, None where none were measured."""
    for run in runs:
        path = run.directory / BOUNDS_FILE
        if run.scenario == scenario and path.is_file():
            found = read_stored(path)
            return {"upper": found.upper.digest, "lower": found.lower.digest}
    return None


def _tuned(directory: Path) -> TuneRecord | None:
    path = directory / TUNE_FILE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=TuneRecord)
    except (OSError, msgspec.DecodeError) as error:
        raise TraceError(f"{path}: expected the record of tuning: {error}") from error


def _spent(record: TuneRecord) -> list[str]:
    sentences = []
    for variant, tuned in record.variants.items():
        taken = ", ".join(f"{key} {value}" for key, value in tuned.chosen.items())
        sentences.append(
            f"Tuned: {variant} took {taken}, the best {record.metric} of {len(tuned.choices)} choices on "
            f"{len(record.seeds)} other seeds in the first {record.fraction:.0%} of the lifetime; spent "
            f"{tuned.runs} runs, {tuned.environment_steps:,} environment steps, {tuned.seconds:.0f} s."
        )
    return sentences


def _cautions(found: Gathered) -> list[str]:
    cautions = [f"{directory} holds no run and is left out" for directory in found.empty]
    if not found.missing:
        return cautions
    named = ", ".join(found.missing[:MANY_MISSING])
    more = f" and {len(found.missing) - MANY_MISSING} more" if len(found.missing) > MANY_MISSING else ""
    return [*cautions, f"{len(found.missing)} runs are not complete and left out: {named}{more}"]
