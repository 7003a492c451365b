"""What the quickstart's learner achieves: against random in every regime, and around each shift, over several seeds."""

import argparse
import statistics
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from skyfall_crl.config import load_config
from skyfall_crl.study import run_once
from skyfall_crl.trace import read_rows

CONFIG = Path(__file__).resolve().parents[2] / "docs" / "examples" / "quickstart.yaml"
STUDENT_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
EDGE = 256
RANDOM = ["policy.id=builtin/random", "policy.kwargs={}", "algorithm=null"]


def rewards(overrides: list[str], folder: Path) -> tuple[np.ndarray, list[str]]:
    """Run the quickstart and return the mean reward over worlds for each step, and each step's regime."""
    run_once(load_config(CONFIG, overrides), folder)
    by_step: dict[int, list[float]] = {}
    regimes: dict[int, str] = {}
    for row in read_rows(folder / "trace.jsonl"):
        if row["kind"] == "step":
            by_step.setdefault(row["step"], []).append(row["reward"])
            regimes[row["step"]] = row["regime_id"]
    return np.array([statistics.fmean(by_step[step]) for step in sorted(by_step)]), [
        regimes[step] for step in sorted(regimes)
    ]


def interval(values: list[float]) -> tuple[float, float, float]:
    """Return mean and 95 % t-interval."""
    mean = statistics.fmean(values)
    half = STUDENT_95[len(values)] * statistics.stdev(values) / len(values) ** 0.5
    return mean, mean - half, mean + half


def boundaries(regimes: list[str]) -> list[int]:
    """Return the steps at which the regime changes."""
    return [step for step in range(1, len(regimes)) if regimes[step] != regimes[step - 1]]


def main() -> None:
    """Print both comparisons; the seeds are the runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, choices=range(2, 11), metavar="2..10")
    seeds = parser.parse_args().seeds
    curves: dict[str, list[np.ndarray]] = {"ppo": [], "random": []}
    regimes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(seeds):
            for name, overrides in (("ppo", []), ("random", RANDOM)):
                curve, regimes = rewards([*overrides, f"run.seed={seed}"], Path(folder) / f"{name}-{seed}")
                curves[name].append(curve)
    print(
        f"quickstart: {seeds} seeds, {len(regimes)} steps, mean reward per step [95 % t-interval over seeds]"
    )
    labels = np.array(regimes)
    for regime in sorted(set(regimes)):
        ours = interval([float(curve[labels == regime].mean()) for curve in curves["ppo"]])
        other = interval([float(curve[labels == regime].mean()) for curve in curves["random"]])
        verdict = "disjoint" if ours[1] > other[2] else "OVERLAP"
        print(
            f"regime {regime}: ppo {ours[0]:.3f} [{ours[1]:.3f}, {ours[2]:.3f}]  "
            f"random {other[0]:.3f} [{other[1]:.3f}, {other[2]:.3f}]  {verdict}"
        )
    print(
        f"around each shift, mean of {EDGE} steps: before, after (drop), and at the end of the segment (recovery)"
    )
    steps = [*boundaries(regimes), len(regimes)]
    for begin, end in pairwise(steps):
        rows = [
            (
                curve[begin - EDGE : begin].mean(),
                curve[begin : begin + EDGE].mean(),
                curve[end - EDGE : end].mean(),
            )
            for curve in curves["ppo"]
        ]
        before, after, final = (statistics.fmean(float(row[i]) for row in rows) for i in range(3))
        drop = interval([float(row[0] - row[1]) for row in rows])
        regain = interval([float(row[2] - row[1]) for row in rows])
        print(
            f"step {begin} to {regimes[begin]}: {before:.3f} -> {after:.3f} -> {final:.3f}; "
            f"drop {drop[0]:+.3f} [{drop[1]:+.3f}, {drop[2]:+.3f}], regained {regain[0]:+.3f} "
            f"[{regain[1]:+.3f}, {regain[2]:+.3f}]"
        )


if __name__ == "__main__":
    main()
