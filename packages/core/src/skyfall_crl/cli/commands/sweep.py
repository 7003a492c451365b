"""`skyfall-crl sweep`: many runs from one document, several at a time."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.study.sweep import SweepResult

INTERRUPTED = 130


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("sweep", type=Path, metavar="SWEEP", help="a YAML file that describes a sweep")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the sweep's directory (default: runs/<sweep>-<time>)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="runs at a time (default: one a core)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the sweep in DIR; complete runs stay"
    )
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Run the sweep and say what became of it; returns the exit code."""
    from skyfall_crl.cli.stop import StopRequest
    from skyfall_crl.cli.sweep_progress import sweep_progress
    from skyfall_crl.ports.errors import ConfigError
    from skyfall_crl.registry import load
    from skyfall_crl.study.single import default_directory
    from skyfall_crl.study.sweep import Sweep
    from skyfall_crl.study.sweep_document import read_sweep
    from skyfall_crl.study.sweep_plan import SweepPlan
    from skyfall_crl.study.sweep_record import open_directory
    from skyfall_crl.train.arguments import build_part

    if arguments.resume and arguments.out is None:
        raise ConfigError("sweep --resume: expected --out DIR, the sweep to go on with")
    jobs = cores() if arguments.jobs is None else arguments.jobs
    if jobs < 1:
        raise ConfigError(f"--jobs: expected a whole number of at least 1, found {jobs}")
    document = read_sweep(arguments.sweep)
    plan = SweepPlan(document, arguments.sweep)
    plan.check()
    section = document.executor
    executor = build_part(load("run_executors", section.id), section.kwargs, "executor.kwargs")
    out = arguments.out or default_directory(arguments.sweep)
    open_directory(out, resume=arguments.resume)
    with StopRequest(out) as stop, sweep_progress() as observer:
        result = Sweep(plan, out, executor, observer, jobs=jobs, stop=stop).run()
    return _tell(result, arguments.sweep)


def _tell(result: "SweepResult", sweep: Path) -> int:
    done = sum(outcome.state in ("completed", "already there") for outcome in result.outcomes)
    print(f"{done} of {len(result.outcomes)} runs are complete")
    for outcome in result.failures:
        print(f"failed   {outcome.directory}: {outcome.error}")
    print(f"runs     {result.out}")
    print(f"compare  skyfall-crl compare {result.out}")
    if result.stopped or result.failures:
        print(f"resume   skyfall-crl sweep {sweep} --out {result.out} --resume")
    if result.stopped:
        return INTERRUPTED
    return 1 if result.failures else 0


def cores() -> int:
    """Return how many cores this process may use."""
    import os

    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
