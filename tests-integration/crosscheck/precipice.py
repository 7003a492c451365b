"""Our statistics over seeds against those of rliable, arch and scipy, on the same scores."""

import sys

import numpy as np
from agreement import Agreement
from arch.bootstrap import IIDBootstrap
from rliable import library, metrics
from scipy import stats

from skyfall_crl.metrics.statistics import (
    bootstrap,
    interquartile_mean,
    probability_of_improvement,
    t_interval,
)

SEEDS, IDENTITIES, REPETITIONS = 20, 5, 10_000


def main() -> int:
    """Run every comparison; returns 1 when one is off."""
    agreement = Agreement()
    generator = np.random.default_rng(11)
    a = generator.normal(0.77, 0.1, (SEEDS, IDENTITIES))
    b = generator.normal(0.72, 0.1, (SEEDS - 7, IDENTITIES))
    for name, scores in (("a", a), ("b", b)):
        agreement.check(
            f"interquartile mean of {name}", interquartile_mean(scores), metrics.aggregate_iqm(scores)
        )
    agreement.check(
        "probability of improvement",
        probability_of_improvement(a.tolist(), b.tolist()).value,
        metrics.probability_of_improvement(a, b),
    )
    _intervals(agreement, a)
    _cell_by_cell(a)
    return int(agreement.failed)


def _intervals(agreement: Agreement, scores: np.ndarray) -> None:
    """Compare whole-seed intervals; two generators agree up to the noise of 10,000 draws."""
    theirs = IIDBootstrap(scores, seed=np.random.default_rng(0))
    for statistic, function in (("mean", np.mean), ("iqm", metrics.aggregate_iqm)):
        low, high = theirs.conf_int(function, reps=REPETITIONS, method="percentile").ravel()
        ours = bootstrap(scores.tolist(), statistic)
        agreement.check(f"low end of the {statistic}", ours.low, low, 2e-3)
        agreement.check(f"high end of the {statistic}", ours.high, high, 2e-3)
    means = scores.mean(axis=1)
    found = t_interval(means.tolist())
    low, high = stats.t.interval(0.95, len(means) - 1, means.mean(), stats.sem(means))
    agreement.check("low end of Student's interval", found.low, low)
    agreement.check("high end of Student's interval", found.high, high)


def _cell_by_cell(scores: np.ndarray) -> None:
    """Print, for the record, what rliable's own interval is, which draws every cell for itself."""
    np.random.seed(0)
    _, ends = library.get_interval_estimates(
        {"a": scores}, lambda drawn: np.array([metrics.aggregate_iqm(drawn)]), reps=5000
    )
    print(f"         rliable's interval, cell by cell: {ends['a'].ravel().tolist()}")


if __name__ == "__main__":
    sys.exit(main())
