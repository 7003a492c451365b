"""All metrics over a long trace in memory, against bare numpy that computes a handful of the same columns."""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics import Bounds, Parameters, SegmentBuilder
from skyfall_crl.metrics.companion import Companions
from skyfall_crl.metrics.matrix import MatrixBuilder, score_matrix
from skyfall_crl.metrics.overall import score_run
from skyfall_crl.metrics.pooling import score_identities, score_segments
from skyfall_crl.trace.batch import Batch, Labels
from skyfall_crl.trace.columns import BATCH_ROWS

TARGET_RATIO = 1.5
WINDOW = 100
SEGMENTS, REGIMES = 40, 8

Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


def make_columns(rows: int) -> Columns:
    """Return regime codes, rewards and latencies of a learner in eight regimes that come round."""
    generator = np.random.default_rng(0)
    length = max(rows // SEGMENTS, 1000)
    place = np.arange(rows)
    regimes = place // length % REGIMES
    learnt = 1 - np.exp(-(place % length) / 800)
    return regimes, 0.2 * regimes + learnt + generator.normal(0, 0.3, rows), 20 + generator.random(rows) * 5


def bare(columns: Columns) -> object:
    """Compute means, a rolling mean, recovery, forgetting, regret and two percentiles with whole-column operations."""
    regimes, rewards, latencies = columns
    edges = np.flatnonzero(np.diff(regimes)) + 1
    begins, ends = np.concatenate(([0], edges)), np.concatenate((edges, [len(rewards)]))
    sums = np.concatenate(([0.0], np.cumsum(rewards)))
    rolling = np.concatenate((np.full(WINDOW - 1, np.nan), (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW))
    means = np.add.reduceat(rewards, begins) / (ends - begins)
    last, first = (sums[ends] - sums[ends - WINDOW]) / WINDOW, (sums[begins + WINDOW] - sums[begins]) / WINDOW
    recovery = []
    for begin, end, level in zip(begins, ends, last, strict=True):
        there = rolling[begin + WINDOW - 1 : end] >= 0.9 * level
        recovery.append(int(there.argmax()) + WINDOW - 1 if there.any() else int(end - begin))
    forgetting, left, best = [], {}, np.full(REGIMES, -np.inf)
    for place, regime in enumerate(regimes[begins].tolist()):
        if regime in left:
            forgetting.append(last[left[regime]] - first[place])
        left[regime], best[regime] = place, max(best[regime], last[place])
    regret = float((best[regimes] - rewards).sum())
    ranks = len(rewards) // 2, int(len(rewards) * 0.95)
    return means, recovery, forgetting, regret, np.partition(latencies, ranks)[list(ranks)], rewards.mean()


def batches(columns: Columns) -> list[Batch]:
    """Return the same columns as batches, as a trace is read."""
    regimes, rewards, _ = columns
    names = tuple("ABCDEFGH")

    def cut() -> Iterator[Batch]:
        for begin in range(0, len(rewards), BATCH_ROWS):
            rows = slice(begin, begin + BATCH_ROWS)
            codes = regimes[rows]
            same = np.zeros(len(codes), np.int64)
            yield Batch(
                step=np.arange(begin, begin + len(codes)),
                world=Labels(same, ("w0",)),
                phase=Labels(same, ("train",)),
                regime_id=Labels(codes, names),
                regime_identity=Labels(codes, names),
                drift_progress=np.full(len(codes), np.nan),
                reward=rewards[rows],
            )

    return list(cut())


def scored(read: list[Batch]) -> object:
    """Compute every metric."""
    parameters = Parameters(WINDOW)
    builder, matrix = SegmentBuilder(parameters, Path("memory")), MatrixBuilder()
    for batch in read:
        builder.add(batch)
        matrix.add(batch.columns())
    upper, lower = Bounds(dict.fromkeys("ABCDEFGH", 2.0)), Bounds(dict.fromkeys("ABCDEFGH", 0.0))
    segments = score_segments(builder.finish(), upper, lower, parameters, Companions())
    identities = score_identities(segments, upper, lower, Companions())
    return score_run(segments, identities, set("ABCDEFGH")), score_matrix(matrix.finish())


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time of one call, which others on the machine disturb less than wall time."""
    started = time.process_time()
    call()
    return time.process_time() - started


def compare(rows: int, rounds: int) -> None:
    """Print the ratio of interleaved rounds."""
    columns = make_columns(rows)
    read = batches(columns)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(seconds(lambda: bare(columns)))
        ours.append(seconds(lambda: scored(read)))
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    verdict = "met" if min(ratios) <= TARGET_RATIO else "missed"
    print(
        f"all metrics / bare numpy, {rows:,} rows, {rounds} interleaved rounds: median "
        f"{statistics.median(ratios):.2f} x, range {min(ratios):.2f} to {max(ratios):.2f}; target {TARGET_RATIO}: "
        f"{verdict}"
    )


def main() -> None:
    """Print the ratios for a million rows, and for more when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="at least 7 (default: %(default)s)")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000], help="(default: one million)")
    arguments = parser.parse_args()
    for rows in arguments.rows:
        compare(rows, max(7, arguments.rounds))


if __name__ == "__main__":
    main()
