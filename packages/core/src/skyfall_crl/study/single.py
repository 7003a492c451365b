"""One run to its end: trained, scored into metrics.json, shown in report.html."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from threadpoolctl import threadpool_limits

from skyfall_crl.config import RunConfig, load_config
from skyfall_crl.metrics import evaluate
from skyfall_crl.ports.metric import Metric
from skyfall_crl.registry import load
from skyfall_crl.report import write_report
from skyfall_crl.train.arguments import build_part
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
    metrics = _metrics(config or load_config(RunDirectory.existing(out).config))
    with threadpool_limits(limits=1):
        if config is None:
            result = resume(out, observe=observe, stop=stop)
        else:
            result = run(config, out, observe=observe, stop=stop)
    finish(result, metrics)
    return result


def finish(result: RunResult, metrics: Sequence[Metric] = ()) -> None:
    """Write metrics.json and report.html of a run that is over, however it ended; without a row there is no score."""
    directory = RunDirectory(result.directory)
    if result.step:
        scored = evaluate(directory.trace, metrics=metrics).to_mapping()
        write_atomically(directory.metrics, msgspec.json.format(msgspec.json.encode(scored), indent=2))
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
