"""What the Session adds to a world step: clock, counters and row, against a bare loop over the same world."""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from skyfall_crl.ports.environment import capabilities
from skyfall_crl.ports.fanout import FanOut
from skyfall_crl.regime import ScheduledRegime
from skyfall_crl.testing.doubles import SwitchingBandit
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.session import Session

TARGET_MICROSECONDS = 60.0
WORLDS = 8
SCHEDULE = {
    "shift_mode": "cyclic",
    "regimes": [
        {"regime_id": "A", "duration_steps": 500},
        {"regime_id": "B", "duration_steps": 500, "axes": {"offset": 1}},
    ],
}


def bare(steps: int) -> float:
    """Return the seconds of `steps` steps of every world with nothing around them."""
    worlds = [SwitchingBandit() for _ in range(WORLDS)]
    for number, world in enumerate(worlds):
        world.reset(seed=number)
    started = time.perf_counter()
    for step in range(steps):
        for world in worlds:
            world.step(step % 3)
    return time.perf_counter() - started


def through_session(steps: int, path: Path) -> float:
    """Return the seconds of the same steps through a session that writes its trace."""
    fanout = FanOut([SwitchingBandit] * WORLDS)
    with TraceWriter(path) as trace:
        clock = RegimeClock(ScheduledRegime(SCHEDULE), capabilities(fanout.environments[0]))
        session = Session(fanout, clock, trace, seeds=range(WORLDS), auto_reset=False, persistent=True)
        session.open()
        started = time.perf_counter()
        for step in range(steps):
            session.step_all([step % 3] * WORLDS)
        session.close("completed")
        taken = time.perf_counter() - started
    fanout.close()
    path.unlink()
    return taken


def main() -> None:
    """Print the overhead in microseconds and as a ratio, median and range of interleaved rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="at least 7 (default: %(default)s)")
    parser.add_argument(
        "--steps", type=int, default=1000, help="steps per world and round (default: %(default)s)"
    )
    arguments = parser.parse_args()
    overheads, ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(max(7, arguments.rounds)):
            floor = bare(arguments.steps)
            taken = through_session(arguments.steps, Path(folder) / f"{number}.jsonl")
            overheads.append((taken - floor) / (arguments.steps * WORLDS) * 1e6)
            ratios.append(taken / floor)
    verdict = "met" if min(overheads) <= TARGET_MICROSECONDS else "missed"
    print(
        f"session overhead per world step: median {statistics.median(overheads):.1f} us, "
        f"range {min(overheads):.1f} to {max(overheads):.1f}; target {TARGET_MICROSECONDS:.0f} us: {verdict}"
    )
    print(
        f"session / bare loop: median {statistics.median(ratios):.2f} x, range {min(ratios):.2f} to {max(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
