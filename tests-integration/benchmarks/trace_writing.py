"""Writing a trace, against encoding the same rows and keeping nothing."""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.trace import TraceWriter

TARGET_THROUGHPUT = 0.8
WORLDS = 8


def rows_of(count: int) -> list[dict[str, Any]]:
    """Make rows of 26 fields, as an enterprise world's are: text, numbers, two small mappings."""
    return [
        {
            "v": 1,
            "kind": "step",
            "step": number // WORLDS,
            "world": f"w{number % WORLDS}",
            "world_time": 30 * number,
            "episode": number // 800,
            "phase": "train",
            "regime_id": "A",
            "regime_identity": "A",
            "drift_progress": None,
            "reward": 0.3 + number % 97 / 140,
            "reward_terms": {"remediation": number % 7 / 7, "financial": number % 11 / 11, "throughput": 0.5},
            "terminated": False,
            "truncated": number % 800 == 799,
            "action": number % 29,
            "outcome": {
                "accepted": True,
                "status": 200,
                "method": "POST",
                "path": "/erp/orders/o-1042/release",
            },
            "policy_version": number // 512,
            "wall_ms": number * 17,
            "open_tickets": number % 40,
            "resolved": number % 5,
            "verified": number % 3 == 0,
            "planned": 10234.5 + number % 100,
            "realised": 9811.25 + number % 90,
            "units": 120 + number % 30,
            "latency_ms": 20.125 + number % 13,
            "log_prob": -1.25 - number % 17 / 19,
        }
        for number in range(count)
    ]


def encode(rows: list[dict[str, Any]]) -> float:
    """Return the seconds of encoding every row."""
    encoder = msgspec.json.Encoder()
    started = time.perf_counter()
    for row in rows:
        encoder.encode(row)
    return time.perf_counter() - started


def write(rows: list[dict[str, Any]], path: Path) -> float:
    """Return the seconds of writing every row, up to the last flush."""
    with TraceWriter(path) as writer:
        started = time.perf_counter()
        for row in rows:
            writer.write(row)
        writer.flush()
        taken = time.perf_counter() - started
    path.unlink()
    return taken


def write_many(rows: list[dict[str, Any]], path: Path) -> float:
    """Return the seconds of writing every row, the rows of one vector step at a time."""
    steps = [rows[begin : begin + WORLDS] for begin in range(0, len(rows), WORLDS)]
    with TraceWriter(path) as writer:
        started = time.perf_counter()
        for step in steps:
            writer.write_many(step)
        writer.flush()
        taken = time.perf_counter() - started
    path.unlink()
    return taken


def main() -> None:
    """Print throughput as a share of the encoder's, median and range of interleaved rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11, help="at least 7 (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=40_000, help="rows of each round (default: %(default)s)")
    arguments = parser.parse_args()
    rows = rows_of(arguments.rows)
    shares: dict[str, list[float]] = {"write": [], "write_many": []}
    costs: dict[str, list[float]] = {"write": [], "write_many": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        for _ in range(max(7, arguments.rounds)):
            encoding = encode(rows)
            for name, call in (("write", write), ("write_many", write_many)):
                taken = call(rows, path)
                shares[name].append(encoding / taken)
                costs[name].append(taken / len(rows) * 1e6)
    for name, values in shares.items():
        verdict = "met" if max(values) >= TARGET_THROUGHPUT else "missed"
        print(
            f"{name}: {statistics.median(values):.2f} x the encoder's throughput, range {min(values):.2f} to "
            f"{max(values):.2f}; {statistics.median(costs[name]):.2f} us/row; target {TARGET_THROUGHPUT}: {verdict}"
        )


if __name__ == "__main__":
    main()
