"""`skyfall-crl bounds`: what the references of a config's worlds earn, measured and kept beside the config."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.metrics.stored_bounds import StoredBounds

INTERRUPTED = 130
SEEDS = 10


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.usage = (
        "skyfall-crl bounds CONFIG [key=value ...] [--upper ID] [--lower ID] [--seeds N] [--out FILE]"
    )
    parser.add_argument(
        "words", nargs="+", metavar="CONFIG [key=value ...]", help="a YAML file, then overrides"
    )
    parser.add_argument("--upper", metavar="ID", help="the policy that bounds from above")
    parser.add_argument("--lower", metavar="ID", help="the policy that bounds from below")
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, metavar="N", help=f"how many seeds (default: {SEEDS})"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="(default: <config>.bounds.json)")
    parser.add_argument(
        "--runs", type=Path, metavar="DIR", help="keep the runs here, and go on with those there"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="runs at a time (default: one a core)")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Measure, write the file, and show the levels; returns the exit code."""
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    from skyfall_crl.cli.commands.sweep import cores
    from skyfall_crl.cli.output_file import check_output_file
    from skyfall_crl.cli.stop import StopRequest
    from skyfall_crl.cli.sweep_progress import sweep_progress
    from skyfall_crl.config import load_config
    from skyfall_crl.ports.errors import ConfigError
    from skyfall_crl.study.bounds import bounds_path, measure, uncovered
    from skyfall_crl.study.single import write_bounds

    if arguments.seeds < 1:
        raise ConfigError(f"--seeds: expected a whole number of at least 1, found {arguments.seeds}")
    check_output_file("--out", arguments.out)
    path = Path(arguments.words[0])
    config = load_config(path, arguments.words[1:])
    jobs = cores() if arguments.jobs is None else arguments.jobs
    with ExitStack() as stack:
        folder = arguments.runs or Path(stack.enter_context(TemporaryDirectory()))
        stop = stack.enter_context(StopRequest(folder))
        observer = stack.enter_context(sweep_progress())
        found = measure(
            config,
            folder,
            observer,
            upper=arguments.upper,
            lower=arguments.lower,
            seeds=arguments.seeds,
            jobs=jobs,
            stop=stop,
        )
    if found is None:
        print(f"interrupted; go on with --runs {arguments.runs}" if arguments.runs else "interrupted")
        return INTERRUPTED
    out = arguments.out or bounds_path(path)
    write_bounds(found, out)
    _show(found)
    without = uncovered(config, found)
    if without:
        print(f"without {', '.join(without)}: not reached within {config.run.steps} steps")
    print(f"bounds  {out}")
    return 0


def _show(bounds: "StoredBounds") -> None:
    for side in ("upper", "lower"):
        reference = getattr(bounds, side)
        for identity, level in reference.levels.items():
            ends = "" if level.low is None else f"  [{level.low:.4f}, {level.high:.4f}]"
            print(f"{side:<6} {identity:<16} {level.value:.4f}{ends}  {reference.policy}")
