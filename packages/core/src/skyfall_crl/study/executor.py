"""Run executors of the core: in this process, or each run in a process of its own."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Protocol, runtime_checkable

import msgspec

from skyfall_crl.config import load_config
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import CrlError
from skyfall_crl.study.single import default_directory, run_or_resume

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
ERROR_FILE = "error.txt"
NO_REPORT = "--no-report"


class Tick(msgspec.Struct):
    """Where a run in another process stands."""

    step: int
    steps: int
    worlds: int = 1


Watch = Callable[[Path, Tick], None]
"""Hears of the run in a directory after each of its windows, from any thread."""


@runtime_checkable
class WatchedExecutor(Protocol):
    """A run executor that tells how far its runs are, and ends them early when asked."""

    def watch(self, observe: Watch, stop: Callable[[], bool]) -> None:
        """Take who hears of windows, and who is asked whether to stop after the current step."""
        ...


class RunFailure(CrlError):
    """A run ended before its last step; the text is what the run itself said."""


class LocalExecutor:
    """Runs a config in this process."""

    def execute(self, config: Path, overrides: Sequence[str] = (), *, out: Path | None = None) -> Path:
        """Run `config` with `key=value` overrides and return the finished run directory.

        An `out` that holds a part of the same run is gone on with.
        """
        return run_or_resume(load_config(config, overrides), out or default_directory(config)).directory


class ProcessExecutor:
    """Runs each config in a child process with one BLAS thread; any number at a time, from as many threads.

    A child whose parent is gone stops after its current step, as does every child when `stop` says so. What a
    child wrote to standard error stands in `error.txt` of its directory if it fails. Without `report` runs have no
    page, which saves about a second each.
    """

    def __init__(self, *, report: bool = True) -> None:
        self._report = report
        self._observe: Watch = _nobody
        self._stop: Callable[[], bool] = lambda: False

    def watch(self, observe: Watch, stop: Callable[[], bool]) -> None:
        """Take who hears of windows, and who is asked whether to stop after the current step."""
        self._observe, self._stop = observe, stop

    def execute(self, config: Path, overrides: Sequence[str] = (), *, out: Path | None = None) -> Path:
        """Run `config` with `key=value` overrides and return the finished run directory.

        An `out` that holds a part of the same run is gone on with. Raises `RunFailure`.
        """
        directory = out or default_directory(config)
        document = load_config(config, overrides).to_document()
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
            resolved = Path(folder) / "config.yaml"
            resolved.write_text(dump_yaml(document), encoding="utf-8")
            code = self._attend(directory, _start(resolved, directory, errors, report=self._report))
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
        _settle(directory, code, said)
        return directory

    def _attend(self, directory: Path, child: "subprocess.Popen[bytes]") -> int:
        """Follow a child to its end, and let go of it when asked to stop."""
        assert child.stdin is not None
        assert child.stdout is not None
        over = threading.Event()
        keeper = threading.Thread(target=self._release, args=(child.stdin, over), daemon=True)
        keeper.start()
        try:
            with child.stdout as lines:
                for line in lines:
                    try:
                        self._observe(directory, msgspec.json.decode(line, type=Tick))
                    except msgspec.DecodeError:
                        continue  # something in the run prints
            return child.wait()
        finally:
            over.set()
            keeper.join()
            if child.poll() is None:
                child.kill()
                child.wait()

    def _release(self, pipe: IO[bytes], over: threading.Event) -> None:
        """Close a child's input when a stop is asked for, which is how the child hears of it."""
        while not over.wait(0.2) and not self._stop():
            pass
        pipe.close()


def _nobody(directory: Path, tick: Tick) -> None:
    """Hear of a window and do nothing."""


def _start(config: Path, directory: Path, errors: IO[bytes], *, report: bool) -> "subprocess.Popen[bytes]":
    """Start a child in a session of its own, so that Ctrl-C reaches it only through its parent."""
    return subprocess.Popen(  # noqa: S603 - this interpreter, on a module of this package
        [
            sys.executable,
            "-m",
            "skyfall_crl.study.child",
            str(config),
            str(directory),
            *([] if report else [NO_REPORT]),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
        start_new_session=True,
    )


def _settle(directory: Path, code: int, said: str) -> None:
    """Keep what a failed child said, and raise it in one line."""
    kept = directory / ERROR_FILE
    if not code:
        kept.unlink(missing_ok=True)
        return
    ending = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    if said:
        directory.mkdir(parents=True, exist_ok=True)
        kept.write_text(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {ending}\n{said}\n", encoding="utf-8")
    raise RunFailure(said.splitlines()[-1].removeprefix("error: ") if said else ending)
