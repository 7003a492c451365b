"""One run to its end: trained, scored into metrics.json, shown in report.html."""

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from threadpoolctl import threadpool_limits

from skyfall_crl.config import RunConfig, load_config
from skyfall_crl.metrics import evaluate
from skyfall_crl.metrics.stored_bounds import BOUNDS_FILE, StoredBounds
from skyfall_crl.ports.document import read_yaml
from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.ports.metric import Metric
from skyfall_crl.registry import load
from skyfall_crl.report import write_report
from skyfall_crl.study.traces import stored_trace
from skyfall_crl.train.arguments import build_part
from skyfall_crl.train.directory import RunDirectory, write_atomically
from skyfall_crl.train.run import Observer, RunResult, resume, run


def run_once(
    config: RunConfig | None,
    out: Path,
    *,
    observe: Observer | None = None,
    stop: Callable[[], bool] = lambda: False,
    bounds: StoredBounds | None = None,
    report: bool = True,
) -> RunResult:
    """Run a config into `out`, or resume what is there when `config` is None, then score and report it.

    `bounds` are kept in the directory and scored against; without `report` there is no page. One BLAS thread:
    numbers then do not depend on how many cores a machine has.
    """
    metrics = _metrics(config or load_config(RunDirectory.existing(out).config))
    with threadpool_limits(limits=1):
        if config is None:
            result = resume(out, observe=observe, stop=stop)
        else:
            result = run(config, out, observe=observe, stop=stop)
    if bounds is not None:
        store_bounds(bounds, out)
    finish(result, metrics, report=report)
    return result


def store_bounds(bounds: StoredBounds, directory: Path) -> bool:
    """Put measured bounds into a run's directory; False when the same are there already."""
    directory.mkdir(parents=True, exist_ok=True)
    return write_bounds(bounds, directory / BOUNDS_FILE)


def write_bounds(bounds: StoredBounds, path: Path) -> bool:
    """Write measured bounds to a file; False when it holds the same already."""
    content = msgspec.json.format(msgspec.json.encode(bounds), indent=2)
    if path.is_file() and path.read_bytes() == content:
        return False
    write_atomically(path, content)
    return True


def rescore(directory: Path, *, report: bool = True) -> None:
    """Score and report a finished run again, after its bounds have changed."""
    found = RunDirectory.existing(directory)
    finished = found.read_provenance().get("finished") or {}
    config = load_config(found.config)
    finish(
        RunResult(directory, finished["status"], finished["step"], config.run.steps),
        _metrics(config),
        report=report,
    )


def run_or_resume(
    config: RunConfig,
    out: Path,
    *,
    observe: Observer | None = None,
    stop: Callable[[], bool] = lambda: False,
    report: bool = True,
) -> RunResult:
    """Run a config into `out`, or go on with the part of the same run that is there.

    A run whose world can't be put back starts over; a completed one is left as it is. Raises `CheckpointError`
    when `out` holds a run of another config.
    """
    directory = RunDirectory(out)
    if not directory.config.is_file():
        return run_once(config, out, observe=observe, stop=stop, report=report)
    if read_yaml(directory.config) != config.to_document():
        raise CheckpointError(
            f"{out}: expected a run of the same config, found one of another; use another directory"
        )
    finished = directory.finished()
    if finished is not None and directory.metrics.is_file():
        return RunResult(out, "completed", finished, finished)
    if finished is None and not _outlives(directory) and not any(directory.checkpoints.glob("step-*")):
        _clear(directory)
        return run_once(config, out, observe=observe, stop=stop, report=report)
    return run_once(None, out, observe=observe, stop=stop, report=report)


def _outlives(directory: RunDirectory) -> bool:
    """Say whether a run's worlds went on without it, so that no row of it may be given up."""
    if not directory.provenance.is_file():
        return False
    found = directory.read_provenance().get("capabilities") or {}
    return bool(found.get("outlives") and not found.get("snapshots"))


def _clear(directory: RunDirectory) -> None:
    """Remove what a run left that can't be gone on with."""
    shutil.rmtree(directory.checkpoints, ignore_errors=True)
    for path in (
        directory.trace,
        directory.provenance,
        directory.metrics,
        directory.report,
        directory.config,
    ):
        path.unlink(missing_ok=True)


def finish(result: RunResult, metrics: Sequence[Metric] = (), *, report: bool = True) -> None:
    """Write metrics.json and report.html of a run that is over, however it ended; without a row there is no score."""
    directory = RunDirectory(result.directory)
    if result.step:
        trace = stored_trace(result.directory) or directory.trace
        scored = evaluate(trace, metrics=metrics).to_mapping()
        write_atomically(directory.metrics, msgspec.json.format(msgspec.json.encode(scored), indent=2))
    if report and directory.trace.is_file():
        write_report(result.directory, status=result.status)


def _metrics(config: RunConfig) -> list[Metric]:
    """Build the metrics a config asks for beside the six, so that an unknown one is an error before the run."""
    return [
        build_part(load("metrics", name), {}, f"metrics.ids[{n}]")
        for n, name in enumerate(config.metrics.ids)
    ]


def default_directory(config: Path) -> Path:
    """Return where a run goes that was given no `--out`: `runs/<config name>-<time>`."""
    return Path("runs") / f"{config.stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
