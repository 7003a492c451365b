"""Spread over seeds: intervals, paired comparisons and medians of waiting times; the unit is always the whole seed."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.metrics.statistics.comparison import paired_difference, probability_of_improvement
    from skyfall_crl.metrics.statistics.interval import Interval
    from skyfall_crl.metrics.statistics.levels import (
        bootstrap,
        interquartile_mean,
        mean_interval,
        run_range,
        t_interval,
    )
    from skyfall_crl.metrics.statistics.waiting import (
        kaplan_meier_median,
        kaplan_meier_median_by_seed,
    )

_HOMES = {
    "Interval": "interval",
    "bootstrap": "levels",
    "interquartile_mean": "levels",
    "kaplan_meier_median": "waiting",
    "kaplan_meier_median_by_seed": "waiting",
    "mean_interval": "levels",
    "paired_difference": "comparison",
    "probability_of_improvement": "comparison",
    "run_range": "levels",
    "t_interval": "levels",
}

__all__ = [
    "Interval",
    "bootstrap",
    "interquartile_mean",
    "kaplan_meier_median",
    "kaplan_meier_median_by_seed",
    "mean_interval",
    "paired_difference",
    "probability_of_improvement",
    "run_range",
    "t_interval",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
