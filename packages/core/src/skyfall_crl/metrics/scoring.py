"""Scoring a trace: one pass over its rows, then the six metrics over its segments."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from skyfall_crl.metrics.asked import Asked, asked_for, has_no_algorithm
from skyfall_crl.metrics.bounds import (
    LOWER_REFERENCE,
    UPPER_REFERENCE,
    Bounds,
    bounds_from_header,
    checked_bounds,
)
from skyfall_crl.metrics.companion import Companions
from skyfall_crl.metrics.evaluation import Counts, Evaluation
from skyfall_crl.metrics.identity import KEPT, OF_A_LEARNER, IdentityScores, flag
from skyfall_crl.metrics.matrix.metric import MatrixMetric
from skyfall_crl.metrics.matrix.transfer import MatrixScores
from skyfall_crl.metrics.overall import score_run
from skyfall_crl.metrics.parameters import LARGEST_WINDOW, Parameters, default_window
from skyfall_crl.metrics.plan import planned_segments, shortest_planned
from skyfall_crl.metrics.pooling import score_identities, score_segments
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import UNSCORED_PHASE, Segment, SegmentBuilder
from skyfall_crl.metrics.stored_bounds import bounds_beside
from skyfall_crl.ports.errors import TraceError
from skyfall_crl.ports.metric import Metric
from skyfall_crl.trace.columns import read_columns
from skyfall_crl.trace.reader import ReadReport, read_header


def evaluate(
    path: Path | str,
    *,
    window: int | None = None,
    rho: float | None = None,
    upper: Mapping[str, float] | Bounds | None = None,
    lower: Mapping[str, float] | Bounds | None = None,
    sustain: int | None = None,
    burn_in: int | None = None,
    scratch: Path | str | None = None,
    reference: Path | str | None = None,
    metrics: Sequence[Metric] = (),
) -> Evaluation:
    """Score a `.jsonl` or `.jsonl.gz` trace.

    What isn't given comes from the run's own config, which the provenance record holds. Failing that, `window`
    is a twentieth of the shortest segment, between 5 and 64 steps: of the recorded schedule, so that runs of
    one schedule are scored alike, or else of the trace, which then is read twice; `rho` is 0.9, `sustain` 1
    window and `burn_in` 0 steps; `upper` and `lower` are what a `bounds.json` beside the trace says, or else the
    recorded references `informed` and `random`, where there are any. `scratch` and `reference` are traces on the
    same schedule, of a learner that starts over at every shift and of a policy that knows the regimes. `metrics`
    see the same rows in the same pass. Raises `TraceError` when a trace can't be read or has no row to score,
    `ConfigError` for a parameter or a bound outside its range.
    """
    path = Path(path)
    header = read_header(path)
    asked = asked_for(header)
    measured = _measured(path, header)
    upper_bounds = _bounds(upper, header, UPPER_REFERENCE, asked.bounds, measured[0])
    lower_bounds = _bounds(lower, header, LOWER_REFERENCE, {}, measured[1])
    asked = asked.with_given(window=window, rho=rho, sustain=sustain, burn_in=burn_in)
    parameters, window_source = _parameters(path, header, asked, given=window is not None)
    companions = Companions(_companion(scratch, parameters), _companion(reference, parameters))
    matrix = MatrixMetric()
    for metric in metrics:
        metric.begin(header)
    report = ReadReport()
    builder = SegmentBuilder(parameters, path)
    segments = _mark_truncated(_read(path, builder, report, (matrix, *metrics)), header)
    scored = score_segments(segments, upper_bounds, lower_bounds, parameters, companions)
    identities = score_identities(scored, upper_bounds, lower_bounds, companions)
    overall = score_run(scored, identities, set(upper_bounds.values))
    _add_matrix(matrix.scores(), overall, identities)
    if has_no_algorithm(header) or builder.constant_version:
        _flag_as_frozen(overall, identities)
    extra = [value for metric in metrics for value in metric.end()]
    return Evaluation(
        str(path),
        parameters,
        window_source,
        upper_bounds,
        lower_bounds,
        _counts(segments, builder),
        overall,
        identities,
        scored,
        report.torn,
        extra,
    )


def _flag_as_frozen(overall: dict[str, Score], identities: Mapping[str, IdentityScores]) -> None:
    for scores in (overall, *(found.scores for found in identities.values())):
        flag(scores, OF_A_LEARNER, "not_learning")


def _add_matrix(
    found: MatrixScores, overall: dict[str, Score], identities: Mapping[str, IdentityScores]
) -> None:
    overall.update(found.overall)
    for identity, scores in identities.items():
        scores.scores.update(found.identities[identity])
        for scored in (scores.scores, overall):
            if "not_learned" in scores.scores["forgetting_entry"].flags:
                flag(scored, KEPT, "not_learned")


def _companion(path: Path | str | None, parameters: Parameters) -> list[Segment]:
    if path is None:
        return []
    return _read(Path(path), SegmentBuilder(parameters, Path(path)), ReadReport())


def _read(
    path: Path, builder: SegmentBuilder, report: ReadReport, metrics: Sequence[Metric] = ()
) -> list[Segment]:
    for batch in read_columns(path, report=report):
        builder.add(batch)
        for metric in metrics:
            metric.rows(batch.columns())
    segments = builder.finish()
    if not segments:
        others = ", ".join(f"{count} of phase {phase}" for phase, count in builder.ignored.items())
        raise TraceError(
            f"{path}: expected step rows of another phase than {UNSCORED_PHASE}, found {others or 'no step row'}"
        )
    return segments


def _bounds(
    given: Mapping[str, float] | Bounds | None,
    header: Mapping[str, Any],
    reference: str,
    asked: Mapping[str, float],
    measured: Bounds | None,
) -> Bounds:
    if isinstance(given, Bounds):
        return given
    if given is not None:
        return checked_bounds(given, "given")
    if asked:
        return checked_bounds(asked, "the run's config")
    return bounds_from_header(header, reference) if measured is None else measured


def _measured(path: Path, header: Mapping[str, Any]) -> tuple[Bounds | None, Bounds | None]:
    stored = bounds_beside(path, header)
    if stored is None:
        return None, None
    return stored.bounds("upper", header.get("seed")), stored.bounds("lower", header.get("seed"))


def _parameters(
    path: Path, header: Mapping[str, Any], asked: Asked, *, given: bool
) -> tuple[Parameters, str]:
    if asked.window is not None:
        return asked.parameters(asked.window), "given" if given else "from the run's config"
    planned = shortest_planned(header)
    if planned is not None:
        source = f"from the schedule's shortest segment of {planned} steps"
        return asked.parameters(default_window(planned)), source
    first_pass = _read(path, SegmentBuilder(asked.parameters(LARGEST_WINDOW), path), ReadReport())
    shortest = min(segment.steps for segment in first_pass)
    return (
        asked.parameters(default_window(shortest)),
        f"from the shortest segment of {shortest} steps",
    )


def _mark_truncated(segments: list[Segment], header: Mapping[str, Any]) -> list[Segment]:
    """Mark each world's last segment that ended before its schedule or its run foresaw."""
    marked = []
    for _, stay in groupby(segments, key=lambda segment: segment.world):
        *complete, last = stay
        planned = next(islice(planned_segments(header), last.ordinal, None), None)
        cut = False
        if planned is not None and planned.identity == last.identity:
            steps = header.get("steps")
            rows = sum(segment.steps for segment in complete) + last.steps
            cut = last.steps < (planned.steps or 0) or (isinstance(steps, int) and rows < steps)
        marked += [*complete, replace(last, truncated=cut)]
    return marked


def _counts(segments: Sequence[Segment], builder: SegmentBuilder) -> Counts:
    return Counts(
        worlds=len({segment.world for segment in segments}),
        rows=sum(segment.steps for segment in segments),
        nulls=sum(segment.nulls + segment.drift_nulls for segment in segments),
        drifting=sum(segment.drift_steps for segment in segments),
        gaps=builder.gaps,
        uncertain=builder.uncertain,
        resumes=builder.resumes,
        ignored=dict(builder.ignored),
    )
