"""The matrix view: how well a frozen policy does in every configuration after each block of training."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.metrics.matrix.blocks import MatrixBuilder
    from skyfall_crl.metrics.matrix.metric import MatrixMetric
    from skyfall_crl.metrics.matrix.performance import Level, PerformanceMatrix
    from skyfall_crl.metrics.matrix.transfer import MatrixScores, score_matrix

_HOMES = {
    "Level": "performance",
    "MatrixBuilder": "blocks",
    "MatrixMetric": "metric",
    "MatrixScores": "transfer",
    "PerformanceMatrix": "performance",
    "score_matrix": "transfer",
}

__all__ = ["Level", "MatrixBuilder", "MatrixMetric", "MatrixScores", "PerformanceMatrix", "score_matrix"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
