"""Finding runs under directories, and reading what a comparison needs of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.metrics.stored_bounds import world_digest
from skyfall_crl.ports.errors import ConfigError, TraceError
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.study.sweep_plan import document_digest
from skyfall_crl.study.sweep_record import SWEEP_FILE, SweepRecord, read_record
from skyfall_crl.train.directory import RunDirectory

SHORT_DIGEST = 8


class ScoreRow(msgspec.Struct):
    """A score of `metrics.json`."""

    value: float | None = None
    reason: str | None = None
    flags: tuple[str, ...] = ()
    censored_at: float | None = None


class SegmentRow(msgspec.Struct):
    """A segment of `metrics.json`."""

    identity: str
    ordinal: int
    visit: int
    scores: dict[str, ScoreRow]


class IdentityRow(msgspec.Struct):
    """An identity of `metrics.json`."""

    scores: dict[str, ScoreRow]
    upper: float | None = None
    lower: float | None = None


class _Source(msgspec.Struct):
    source: str = "none"


class _Bounds(msgspec.Struct):
    upper: _Source
    lower: _Source


class Evaluation(msgspec.Struct):
    """What a comparison reads of `metrics.json`."""

    parameters: dict[str, Any]
    bounds: _Bounds
    overall: dict[str, ScoreRow]
    identities: dict[str, IdentityRow]
    segments: list[SegmentRow]


@dataclass(frozen=True, slots=True)
class FoundRun:
    """One completed run: its labels, where it lies, its config and its scores.

    `wall_seconds` is None if unknown; `references` has the levels that the environment knows, by identity and name.
    """

    scenario: str
    variant: str
    seed: int
    directory: Path
    config: Mapping[str, Any]
    evaluation: Evaluation
    wall_seconds: float | None
    privileged: bool
    references: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Gathered:
    """All runs found, what is missing of sweeps, the sweeps' own records by directory, and folders without a run."""

    runs: Sequence[FoundRun]
    missing: Sequence[str]
    sweeps: Mapping[Path, SweepRecord]
    empty: Sequence[Path]

    def prefix(self, sweep: Path) -> str:
        """Return what stands before the scenarios of a sweep: its folder's name where there are several sweeps."""
        return prefix_of(sweep) if len(self.sweeps) > 1 else ""


def gather(directories: Sequence[Path]) -> Gathered:
    """Read every sweep and every run directory under the ones given.

    Runs of a sweep have its labels; others are called after their algorithm, or their policy where nothing
    learns, and those in the same worlds for the same time share a scenario. Raises `ConfigError` where there is no
    run, and `TraceError` for a run whose scores can't be read.
    """
    runs: list[FoundRun] = []
    missing: list[str] = []
    sweeps: dict[Path, SweepRecord] = {}
    loose: list[Path] = []
    empty: list[Path] = []
    for directory in directories:
        if not directory.is_dir():
            raise ConfigError(
                f"{directory}: expected a run, a sweep, or a folder of runs, found no directory"
            )
        inside = list(_sweeps_and_runs(directory))
        if not inside:
            empty.append(directory)
        for found in inside:
            record = read_record(found)
            if record is None:
                loose.append(found)
                continue
            sweeps[found] = record
            for run in record.runs:
                if run.role in ("report", "bound"):
                    path = found / run.directory
                    if _is_complete(path):
                        runs.append(_read(path, run.scenario, run.variant))
                    else:
                        missing.append(str(path))
    if len(sweeps) > 1:
        runs = [replace(run, scenario=prefix_of(_owner(run, sweeps)) + run.scenario) for run in runs]
    runs += _label(loose, missing)
    if not runs:
        raise ConfigError(
            f"{', '.join(map(str, directories))}: expected at least one completed run, found none"
        )
    return Gathered(runs, missing, sweeps, empty)


def prefix_of(sweep: Path) -> str:
    """Return the name of a sweep's folder as it stands before its scenarios."""
    return f"{sweep.resolve().name}/"


def _owner(run: FoundRun, sweeps: Mapping[Path, SweepRecord]) -> Path:
    return next(path for path in sweeps if path in run.directory.parents)


def wall_seconds(directory: Path) -> float | None:
    """Return how long a run took by the clock, None where it isn't known or the run was resumed."""
    found = RunDirectory(directory)
    if not found.provenance.is_file():
        return None
    record = found.read_provenance()
    created, finished = record.get("created"), (record.get("finished") or {}).get("time")
    if record.get("resumes") or not isinstance(created, str) or not isinstance(finished, str):
        return None
    return (datetime.fromisoformat(finished) - datetime.fromisoformat(created)).total_seconds()


def _sweeps_and_runs(directory: Path) -> Iterator[Path]:
    """Yield the outermost directories that are a sweep or a run, in the order of their names."""
    if (directory / SWEEP_FILE).is_file() or (directory / "provenance.json").is_file():
        yield directory
        return
    for child in sorted(path for path in directory.iterdir() if path.is_dir()):
        yield from _sweeps_and_runs(child)


def _is_complete(path: Path) -> bool:
    directory = RunDirectory(path)
    return directory.metrics.is_file() and directory.finished() is not None


def _label(paths: Sequence[Path], missing: list[str]) -> Iterator[FoundRun]:
    """Read runs that no sweep names, and call them after what they run; equal names of unequal configs get a digest."""
    found: list[tuple[FoundRun, str]] = []
    for path in paths:
        if not _is_complete(path):
            missing.append(str(path))
            continue
        run = _read(path, "", "")
        found.append((run, document_digest({**run.config, "run": {**run.config["run"], "seed": 0}})))
    kinds: dict[str, set[str]] = {}
    for run, digest in found:
        kinds.setdefault(_name(run.config), set()).add(digest)
    for run, digest in found:
        name = _name(run.config)
        variant = name if len(kinds[name]) == 1 else f"{name}-{digest[:SHORT_DIGEST]}"
        length = f"{run.config['run']['num_envs']} x {run.config['run']['steps']}"
        scenario = f"{run.config['env']['id']}, {length}, {world_digest(run.config)[:SHORT_DIGEST]}"
        yield replace(run, scenario=scenario, variant=variant)


def _name(config: Mapping[str, Any]) -> str:
    part = config.get("algorithm") or config["policy"]
    return str(part["id"]).rpartition("/")[2].rpartition(":")[2]


def _read(path: Path, scenario: str, variant: str) -> FoundRun:
    directory = RunDirectory(path)
    provenance = directory.read_provenance()
    try:
        evaluation = msgspec.json.decode(directory.metrics.read_bytes(), type=Evaluation)
    except (OSError, msgspec.DecodeError) as error:
        raise TraceError(f"{directory.metrics}: expected the scores of a run: {error}") from error
    return FoundRun(
        scenario=scenario,
        variant=variant,
        seed=provenance["seed"],
        directory=path,
        config=provenance["config"],
        evaluation=evaluation,
        wall_seconds=wall_seconds(path),
        privileged=bool(provenance.get("privileged")),
        references=provenance.get("references") or {},
    )
