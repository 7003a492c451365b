"""One run in a process of its own: `python -m skyfall_crl.study.child CONFIG DIRECTORY [--no-report]`.

Standard output has one JSON line for each window. The end of standard input is the wish to stop after the current
step; it also comes when the parent dies.
"""

import os
import signal
import sys
import threading
from pathlib import Path

INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run, or go on, and return the exit code: 0 completed, 130 stopped, 1 and 2 as on the command line."""
    import msgspec

    from skyfall_crl.config import load_config
    from skyfall_crl.ports.errors import CrlError
    from skyfall_crl.study.executor import NO_REPORT, Tick
    from skyfall_crl.study.single import run_or_resume
    from skyfall_crl.train.windows import Progress

    config, out = map(Path, arguments[:2])
    report = NO_REPORT not in arguments
    stop = _stop_at_end_of_input()
    tick = msgspec.json.Encoder().encode

    def observe(now: Progress) -> None:
        try:
            os.write(1, tick(Tick(now.step, now.steps, now.worlds)) + b"\n")
        except OSError:  # nobody listens any more
            stop.set()

    try:
        result = run_or_resume(load_config(config), out, observe=observe, stop=stop.is_set, report=report)
    except CrlError as error:
        print(f"error: {error.boundary}: {error}", file=sys.stderr)
        return error.exit_code
    if result.status == "completed":
        return 0
    print(f"error: run: {result.status} at step {result.step} of {result.steps}", file=sys.stderr)
    return INTERRUPTED if result.status == "interrupted" else 1


def _stop_at_end_of_input() -> threading.Event:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def wait() -> None:
        # not sys.stdin, whose lock a thread that still waits would hold when the interpreter ends
        while os.read(0, 1):
            pass
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    return stop


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
