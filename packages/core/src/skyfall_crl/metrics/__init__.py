"""Scores of a trace: six continual-learning metrics, each a value or the reason why there is none."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.metrics.bounds import Bounds, bounds_from_header, read_bounds
    from skyfall_crl.metrics.evaluation import Evaluation
    from skyfall_crl.metrics.formulas import FORMULAS, REASONS, Formula
    from skyfall_crl.metrics.parameters import Parameters
    from skyfall_crl.metrics.score import Score
    from skyfall_crl.metrics.scoring import evaluate
    from skyfall_crl.metrics.segments import Segment, SegmentBuilder

_HOMES = {
    "Bounds": "bounds",
    "Evaluation": "evaluation",
    "FORMULAS": "formulas",
    "Formula": "formulas",
    "Parameters": "parameters",
    "REASONS": "formulas",
    "Score": "score",
    "Segment": "segments",
    "SegmentBuilder": "segments",
    "bounds_from_header": "bounds",
    "evaluate": "scoring",
    "read_bounds": "bounds",
}

__all__ = [
    "FORMULAS",
    "REASONS",
    "Bounds",
    "Evaluation",
    "Formula",
    "Parameters",
    "Score",
    "Segment",
    "SegmentBuilder",
    "bounds_from_header",
    "evaluate",
    "read_bounds",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
