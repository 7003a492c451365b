"""`skyfall-crl run`: a config, or an interrupted run, to its end."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

INTERRUPTED = 130


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.usage = "skyfall-crl run CONFIG [key=value ...] [--out DIR]\n       skyfall-crl run --resume DIR"
    parser.add_argument(
        "words", nargs="*", metavar="CONFIG [key=value ...]", help="a YAML file, then overrides"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="a new run directory (default: runs/<config>-<time>)"
    )
    parser.add_argument("--resume", type=Path, metavar="DIR", help="go on with the run in DIR")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Run, show progress, and say where the results are; returns the exit code."""
    from skyfall_crl.cli.progress import progress
    from skyfall_crl.cli.stop import StopRequest
    from skyfall_crl.config import load_config
    from skyfall_crl.ports.errors import ConfigError
    from skyfall_crl.study.bounds import bounds_of
    from skyfall_crl.study.single import default_directory, run_once

    words: list[str] = arguments.words
    if arguments.resume is not None:
        if words or arguments.out is not None:
            raise ConfigError(
                "run --resume DIR: expected no config, no override and no --out; the run has its own"
            )
        config, out, bounds = None, arguments.resume, None
    else:
        if not words:
            raise ConfigError("run: expected a config file, found none; or --resume DIR")
        config = load_config(words[0], words[1:])
        out = arguments.out or default_directory(Path(words[0]))
        bounds = bounds_of(Path(words[0]), config)
    with StopRequest(out) as stop, progress(out) as observe:
        result = run_once(config, out, observe=observe, stop=stop, bounds=bounds)
    _tell(result.directory, result.status, result.step, result.steps)
    for problem in result.problems:
        print(f"warning  {problem}")
    return {"completed": 0, "interrupted": INTERRUPTED}.get(result.status, 1)


def _tell(directory: Path, status: str, step: int, steps: int) -> None:
    print(f"{status} at step {step} of {steps}")
    print(f"report   {directory / 'report.html'}")
    print(f"trace    {directory / 'trace.jsonl'}")
    print(f"metrics  skyfall-crl eval {directory}")
    if (directory / "bundle").is_dir():
        print(f"bundle   {directory / 'bundle'}")
    if status != "completed":
        print(f"resume   skyfall-crl run --resume {directory}")
