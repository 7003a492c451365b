"""Our numbers against those of l2metrics, on the same curves."""

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from agreement import Agreement
from numpy.typing import NDArray

from skyfall_crl.metrics import Evaluation, evaluate
from skyfall_crl.trace import TraceWriter, read_rows

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "packages" / "core" / "tests" / "metrics" / "golden" / "trace_seed0.jsonl.gz"
WINDOW = 20
EXPECTED_TERMINALS = (0.794903, 0.897741, 0.607280, 0.827161, 0.877439, 0.194384)
EXPECTED_RECOVERIES = {3: 22, 4: 76}

Block = tuple[str, str, NDArray[np.float64]]


def task(identity: str) -> str:
    """Return what l2metrics calls an identity: it writes names in small letters, with a variant."""
    return f"{identity.lower()}_1"


def rising(start: float, end: float, pace: float, windows: int, seed: int) -> NDArray[np.float64]:
    """Return the step rewards of a learner that comes from one level to another, with noise."""
    steps = np.arange(windows * WINDOW)
    noise = np.random.default_rng(seed).normal(0, 0.05, len(steps))
    return np.asarray(end + (start - end) * np.exp(-steps / pace) + noise)


def log(folder: Path, name: str, blocks: Sequence[Block]) -> Path:
    """Write blocks of experiences, one for each window of training and each step of an evaluation."""
    from l2logger.l2logger import DataLogger

    about = {"complexity": "1-low", "difficulty": "2-medium", "scenario_type": "permuted"}
    logger = DataLogger(str(folder), name, {"metrics_columns": ["reward"]}, about)
    experience = 0
    for number, (kind, identity, rewards) in enumerate(blocks):
        values = rewards.reshape(-1, WINDOW).mean(axis=1) if kind == "train" else rewards
        for value in values:
            logger.log_record(
                {
                    "block_num": number,
                    "block_type": kind,
                    "task_name": task(identity),
                    "task_params": {},
                    "worker_id": "worker",
                    "exp_num": experience,
                    "exp_status": "complete",
                    "reward": float(value),
                }
            )
            experience += 1
    logger.close()
    return Path(logger.scenario_dir)


def theirs(folder: Path, name: str, blocks: Sequence[Block]):
    """Return the report of l2metrics on blocks, without smoothing and without normalisation."""
    from l2metrics.report import MetricsReport

    report = MetricsReport(
        log_dir=log(folder, name, blocks),
        smoothing_method="none",
        normalization_method="none",
        maintenance_method="mrlep",
        transfer_method="ratio",
    )
    report.calculate()
    return report


def ours(folder: Path, name: str, blocks: Sequence[Block], **arguments: object) -> Evaluation:
    """Return our evaluation of the same blocks."""
    path = folder / f"{name}.jsonl"
    step = 0
    with TraceWriter(path) as writer:
        for number, (kind, identity, rewards) in enumerate(blocks):
            row = {"regime_id": identity, "regime_identity": identity}
            if kind == "train":
                writer.write_many(
                    {"step": step + n, **row, "reward": float(r)} for n, r in enumerate(rewards)
                )
                step += len(rewards)
            else:
                row |= {"world": f"eval/{number}/{identity}", "phase": "eval"}
                writer.write_many({"step": n, **row, "reward": float(r)} for n, r in enumerate(rewards))
    return evaluate(path, window=WINDOW, rho=1.0, **arguments)


def golden_blocks() -> list[Block]:
    """Return the segments of a golden trace as blocks."""
    rows = [row for row in read_rows(GOLDEN) if row.get("kind", "step") == "step"]
    ids = list(dict.fromkeys(row["regime_id"] for row in rows))
    return [
        ("train", name[0], np.array([row["reward"] for row in rows if row["regime_id"] == name]))
        for name in ids
    ]


def terminal_levels_and_recovery(agreement: Agreement, folder: Path) -> None:
    """Compare block by block on a golden trace, and with what was published of it."""
    blocks = golden_blocks()
    table, own = theirs(folder, "golden", blocks)._metrics_df, ours(folder, "golden", blocks)
    for place, found in enumerate(own.segments):
        what = f"terminal level of block {place}"
        agreement.check(what, found.segment.terminal, table["term_perf"].iloc[place])
        agreement.check(f"{what}, recorded", found.segment.terminal, EXPECTED_TERMINALS[place], 5e-7)
    for place, recorded in EXPECTED_RECOVERIES.items():
        steps = own.segments[place].scores["recovery_steps"].value
        experiences = None if steps is None else steps / WINDOW
        agreement.check(f"recovery of block {place}", experiences, float(table["recovery_time"].iloc[place]))
        agreement.check(f"recovery of block {place}, recorded", experiences, recorded)


def performance_recovery(agreement: Agreement, folder: Path) -> None:
    """Compare how recovery changes over four visits."""
    paces = {"A": (150, 300, 250, 150), "B": (100, 500, 350, 320)}
    blocks = [
        (
            "train",
            name,
            rising(0.1 if not visit else 0.4, 0.8, paces[name][visit], 100, 7 * visit + ord(name)),
        )
        for visit in range(4)
        for name in "AB"
    ]
    table, own = theirs(folder, "visits", blocks)._metrics_df, ours(folder, "visits", blocks)
    for name in "AB":
        value = own.identities[name].scores["performance_recovery"].value
        (their,) = table[table["task_name"] == task(name)]["perf_recovery"].dropna()
        agreement.check(f"performance recovery of {name}", None if value is None else value / WINDOW, their)


def maintenance_and_transfer(agreement: Agreement, folder: Path) -> None:
    """Compare what evaluations around blocks of training say."""
    levels = {"A": (0.2, 0.85, 0.6, 0.5, 0.9), "B": (0.3, 0.4, 0.8, 0.7, 0.65)}
    trained: list[Block] = [
        ("train", name, rising(0.2, 0.8, 200, 50, seed)) for seed, name in enumerate("ABCA")
    ]
    noise = np.random.default_rng(5)
    blocks: list[Block] = []
    for place in range(5):
        blocks += [("test", name, noise.normal(levels[name][place], 0.05, 12)) for name in "AB"]
        blocks += trained[place : place + 1]
    table, own = theirs(folder, "tests", blocks)._metrics_df, ours(folder, "tests", blocks)
    for name in "AB":
        (their,) = table[table["task_name"] == task(name)]["perf_maintenance_mrlep"].dropna()
        agreement.check(
            f"maintenance of {name}", own.identities[name].scores["performance_maintenance"].value, their
        )
    matrix = matrix_of(folder / "tests.jsonl")
    for column, (row, name) in {
        "forward_transfer_ratio": (1, "B"),
        "backward_transfer_ratio": (2, "A"),
    }.items():
        before, after = matrix.level(row - 1, name), matrix.level(row, name)
        ratio = None if before is None or after is None else after.value / before.value
        found = table[table["task_name"] == task(name)][column].dropna().iloc[0]
        agreement.check(column.replace("_", " "), ratio, next(iter(found.values())))


def relative_performance(agreement: Agreement, folder: Path) -> None:
    """Compare with experts that learned one task alone."""
    from l2metrics.util import store_ste_data

    blocks: list[Block] = [
        ("train", name, rising(0.2, 0.8, 300 + 50 * place, 60, place)) for place, name in enumerate("ABCABC")
    ]
    experts: list[Block] = [
        ("train", name, rising(0.1, 0.9, 200, 100, 20 + place)) for place, name in enumerate("ABC")
    ]
    os.environ["L2DATA"] = str(folder / "l2data")
    for expert in experts:
        store_ste_data(log(folder, f"expert-{expert[1]}", [expert]))
    table = theirs(folder, "experts", blocks)._metrics_df
    ours(folder, "scratch", experts)
    own = ours(folder, "relative", blocks, scratch=folder / "scratch.jsonl")
    for name in "ABC":
        (their,) = table[table["task_name"] == task(name)]["ste_rel_perf"].dropna()
        agreement.check(
            f"relative performance of {name}",
            own.identities[name].scores["relative_performance"].value,
            float(np.mean(their)),
        )


def matrix_of(path: Path):
    """Return the matrix of levels of a trace."""
    from skyfall_crl.metrics.matrix import MatrixBuilder
    from skyfall_crl.trace import read_columns

    builder = MatrixBuilder()
    for batch in read_columns(path):
        builder.add(batch.columns())
    return builder.finish()


def main() -> int:
    """Run every comparison; returns 1 when one is off."""
    agreement = Agreement()
    comparisons: tuple[Callable[[Agreement, Path], None], ...] = (
        terminal_levels_and_recovery,
        performance_recovery,
        maintenance_and_transfer,
        relative_performance,
    )
    for compare in comparisons:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["L2DATA"] = folder
            compare(agreement, Path(folder))
    return int(agreement.failed)


if __name__ == "__main__":
    sys.exit(main())
