"""One run to its end: trained, scored into metrics.json, shown in report.html."""

from collections.abc import Callable
from pathlib import Path

import msgspec
from threadpoolctl import threadpool_limits

from skyfall_crl.config import RunConfig, load_config
from skyfall_crl.metrics import evaluate
from skyfall_crl.report import write_report
from skyfall_crl.train.directory import RunDirectory, write_atomically
from skyfall_crl.train.run import Observer, RunResult, resume, run


def run_once(
    config: RunConfig | None,
    out: Path,
    *,
    observe: Observer | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run a config into `out`, or resume what is there when `config` is None, then score and report it.

    One BLAS thread: numbers then do not depend on how many cores a machine has.
    """
    with threadpool_limits(limits=1):
        if config is None:
            result = resume(out, observe=observe, stop=stop)
        else:
            result = run(config, out, observe=observe, stop=stop)
    finish(result)
    return result


def finish(result: RunResult) -> None:
    """Write metrics.json and report.html of a run that is over, however it ended."""
    directory = RunDirectory(result.directory)
    section = load_config(directory.config).metrics
    scored = evaluate(directory.trace, window=section.window, rho=section.rho, upper=section.bounds or None)
    write_atomically(
        directory.metrics, msgspec.json.format(msgspec.json.encode(scored.to_mapping()), indent=2)
    )
    write_report(result.directory, status=result.status)


def default_directory(config: Path, started: str) -> Path:
    """Return where a run goes that was given no `--out`: `runs/<config name>-<time>`."""
    return Path("runs") / f"{config.stem}-{started}"
