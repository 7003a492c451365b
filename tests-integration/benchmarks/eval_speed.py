"""`evaluate` over a trace as `run` writes it, against a loop of `json.loads` over the same file."""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from skyfall_crl.config import load_config
from skyfall_crl.metrics import evaluate
from skyfall_crl.study import run_once
from skyfall_crl.trace import TraceWriter, read_header, read_rows

CONFIG = Path(__file__).resolve().parents[2] / "docs" / "examples" / "quickstart.yaml"
TARGET_RATIO = 0.2
SEGMENT_STEPS = 4000


def make_trace(folder: Path, rows: int) -> Path:
    """Run the quickstart for a short while and repeat its lines, renumbered, until there are `rows` of them."""
    run_once(load_config(CONFIG, ["run.steps=512"]), folder / "run")
    source = folder / "run" / "trace.jsonl"
    header = read_header(source)
    worlds = len(header["worlds"])
    lines = [row for row in read_rows(source) if row["kind"] == "step"]
    path = folder / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write({**header, "steps": rows // worlds})
        for number in range(rows):
            step = number // worlds
            regime = "ABC"[step // SEGMENT_STEPS % 3]
            writer.write(
                {**lines[number % len(lines)], "step": step, "regime_id": regime, "regime_identity": regime}
            )
    return path


def parse(path: Path) -> None:
    """Decode every line with the standard library and throw it away."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)


def seconds(call: Callable[[Path], object], path: Path) -> float:
    """Return the processor time of one call, which others on the machine disturb less than wall time."""
    started = time.process_time()
    call(path)
    return time.process_time() - started


def compare(path: Path, rows: int, rounds: int) -> None:
    """Print the ratio of interleaved rounds."""
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(seconds(parse, path))
        ours.append(seconds(evaluate, path))
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    verdict = "met" if min(ratios) <= TARGET_RATIO else "missed"
    print(
        f"eval / json.loads loop, {rows:,} rows of {path.stat().st_size / rows:.0f} bytes, {rounds} interleaved "
        f"rounds: median {statistics.median(ratios):.3f} x, range {min(ratios):.3f} to {max(ratios):.3f}; "
        f"target {TARGET_RATIO}: {verdict}"
    )
    costs = [statistics.median(values) / rows * 1e6 for values in (ours, theirs)]
    print(f"  eval {costs[0]:.2f} us/row, json.loads loop {costs[1]:.2f} us/row")


def peak_megabytes(path: Path) -> float:
    """Return the peak resident memory of a fresh process that evaluates the trace; Linux only."""
    program = (
        "import re, sys\n"
        "from skyfall_crl.metrics import evaluate\n"
        "evaluate(sys.argv[1])\n"
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024


def main() -> None:
    """Print the ratio of several rounds over a shorter trace, then of one pass over the long one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="at least 7 (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=100_000, help="rows of each round (default: %(default)s)")
    parser.add_argument(
        "--long", type=int, default=1_000_000, help="rows of the single pass; 0 leaves it out"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = make_trace(Path(folder), arguments.rows)
        compare(path, arguments.rows, max(7, arguments.rounds))
    if arguments.long:
        with tempfile.TemporaryDirectory() as folder:
            path = make_trace(Path(folder), arguments.long)
            compare(path, arguments.long, 1)
            if sys.platform == "linux":
                print(f"  peak memory of a process that only evaluates: {peak_megabytes(path):.0f} MB")


if __name__ == "__main__":
    main()
