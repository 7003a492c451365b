"""How long `--version` and `--help` take against the bare interpreter, where skyfall-crl is installed."""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

TARGETS = {"--version": 3.0, "--help": 6.0}


def main() -> None:
    """Print, for each option, the ratio of interleaved rounds with its range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="at least 7 (default: %(default)s)")
    rounds = max(7, parser.parse_args().rounds)
    bare = [sys.executable, "-c", "pass"]
    ours = {option: [*shell(), option] for option in TARGETS}
    for command in (bare, *ours.values()):
        seconds(command)
    ratios: dict[str, list[float]] = {option: [] for option in TARGETS}
    floor = []
    for _ in range(rounds):
        floor.append(seconds(bare))
        for option, command in ours.items():
            ratios[option].append(seconds(command) / floor[-1])
    print(f"startup: python {sys.version.split()[0]}, {rounds} rounds, {' '.join(shell())}")
    print(f"bare interpreter: {1e3 * statistics.median(floor):.1f} ms")
    for option, found in ratios.items():
        target = TARGETS[option]
        verdict = "met" if min(found) <= target else "missed"
        spread = f"median {statistics.median(found):.2f} x, range {min(found):.2f} to {max(found):.2f}"
        print(f"{option} / bare: {spread}; target {target:.0f} x: {verdict}")


def shell() -> list[str]:
    """Return the installed command, or its module where only the sources are on the path."""
    script = Path(sys.executable).with_name("skyfall-crl")
    return [str(script)] if script.exists() else [sys.executable, "-m", "skyfall_crl.cli.main"]


def seconds(command: list[str]) -> float:
    """Run a command and return how long it took by the wall clock."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
