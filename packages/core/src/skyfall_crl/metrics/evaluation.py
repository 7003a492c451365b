"""The result of scoring a trace, in a form that can be stored and printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skyfall_crl.metrics.bounds import Bounds
from skyfall_crl.metrics.formulas import FORMULAS
from skyfall_crl.metrics.identity import IdentityScores, SegmentScores
from skyfall_crl.metrics.matrix.metric import metric_value
from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.score import Score
from skyfall_crl.ports.metric import MetricValue
from skyfall_crl.trace.reader import TornLine

EVALUATION_VERSION = 1


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows an evaluation rests on, over all worlds.

    `nulls` are rows without a usable reward, of which `uncertain` have none because nobody knows what became of the
    action, `drifting` those inside a linear drift, `gaps` places where a step number is missing, `ignored` rows of
    other phases by phase, `resumes` the times a live run was taken up again.
    """

    worlds: int
    rows: int
    nulls: int
    drifting: int
    gaps: int
    ignored: Mapping[str, int]
    uncertain: int = 0
    resumes: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything `evaluate` found: scores by formula name overall, per identity and per segment.

    `extra` holds the values of the metrics that were passed in. Worlds of one run share a learner: their
    segments are pooled, and they are no independent seeds.
    """

    trace: str
    parameters: Parameters
    window_source: str
    upper: Bounds
    lower: Bounds
    counts: Counts
    overall: dict[str, Score]
    identities: dict[str, IdentityScores]
    segments: Sequence[SegmentScores]
    torn: TornLine | None = None
    extra: Sequence[MetricValue] = ()

    def values(self) -> list[MetricValue]:
        """Return the scores over all identities, then those of each identity, then those of other metrics."""
        values = [metric_value(name, None, score) for name, score in self.overall.items()]
        for identity, found in self.identities.items():
            values += [metric_value(name, identity, score) for name, score in found.scores.items()]
        return [*values, *self.extra]

    def to_mapping(self) -> dict[str, Any]:
        """Return the evaluation as plain data, ready for JSON."""
        return {
            "version": EVALUATION_VERSION,
            "trace": self.trace,
            "parameters": {
                "window": self.parameters.window,
                "window_source": self.window_source,
                "rho": self.parameters.rho,
                "terminal_fraction": self.parameters.terminal_fraction,
                "min_windows": self.parameters.min_windows,
                "sustain": self.parameters.sustain,
                "burn_in": self.parameters.burn_in,
            },
            "bounds": {"upper": _bounds(self.upper), "lower": _bounds(self.lower)},
            "counts": {
                "worlds": self.counts.worlds,
                "segments": len(self.segments),
                "rows": self.counts.rows,
                "nulls": self.counts.nulls,
                "uncertain": self.counts.uncertain,
                "resumes": self.counts.resumes,
                "drifting": self.counts.drifting,
                "gaps": self.counts.gaps,
                "ignored": dict(self.counts.ignored),
            },
            "torn_line": None if self.torn is None else self.torn.line,
            "overall": _scores(self.overall),
            "identities": {identity: _identity(found) for identity, found in self.identities.items()},
            "segments": [_segment(found) for found in self.segments],
            "other_metrics": [_other(value) for value in self.extra],
        }


def _scores(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {
        name: {
            "value": score.value,
            "reason": score.reason,
            "unit": FORMULAS[name].unit,
            "better": FORMULAS[name].better,
            "version": FORMULAS[name].version,
            "flags": list(score.flags),
            **score.detail,
        }
        for name, score in scores.items()
    }


def _bounds(bounds: Bounds) -> dict[str, Any]:
    return {"source": bounds.source, "values": dict(bounds.values)}


def _identity(found: IdentityScores) -> dict[str, Any]:
    return {
        "visits": found.visits,
        "steps": found.steps,
        "upper": found.levels.upper,
        "lower": found.levels.lower,
        "scores": _scores(found.scores),
    }


def _segment(found: SegmentScores) -> dict[str, Any]:
    segment = found.segment
    return {
        "world": segment.world,
        "identity": segment.identity,
        "regime_ids": list(segment.regime_ids),
        "ordinal": segment.ordinal,
        "visit": segment.visit,
        "first_step": segment.first_step,
        "steps": segment.steps,
        "drift_steps": segment.drift_steps,
        "windows": len(segment.windows),
        "nulls": segment.nulls,
        "truncated": segment.truncated,
        "entry": segment.entry,
        "terminal": segment.terminal,
        "scores": _scores(found.scores),
    }


def _other(value: MetricValue) -> dict[str, Any]:
    return {
        "name": value.name,
        "version": value.version,
        "identity": value.identity,
        "value": value.value,
        "reason": value.reason,
        "unit": value.unit,
        "better": value.better,
        "flags": list(value.flags),
    }
