"""Scoring a trace: one pass over its rows, then the six metrics over its segments."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from skyfall_crl.metrics.asked import Asked, asked_for, never_learned
from skyfall_crl.metrics.bounds import (
    LOWER_REFERENCE,
    UPPER_REFERENCE,
    Bounds,
    bounds_from_header,
    checked_bounds,
)
from skyfall_crl.metrics.evaluation import Counts, Evaluation
from skyfall_crl.metrics.identity import (
    OF_A_LEARNER,
    IdentityScores,
    Levels,
    SegmentScores,
    flag,
    score_identity,
    score_segment,
)
from skyfall_crl.metrics.overall import score_run
from skyfall_crl.metrics.parameters import DEFAULT_RHO, LARGEST_WINDOW, Parameters, default_window
from skyfall_crl.metrics.plan import planned_segments, shortest_planned
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import SCORED_PHASE, Segment, SegmentBuilder
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
    metrics: Sequence[Metric] = (),
) -> Evaluation:
    """Score a `.jsonl` or `.jsonl.gz` trace.

    What isn't given comes from the run's own config, which the provenance record holds. Failing that, `window`
    is a twentieth of the shortest segment, between 5 and 64 steps: of the recorded schedule, so that runs of
    one schedule are scored alike, or else of the trace, which then is read twice; `rho` is 0.9; `upper` and
    `lower` are what a `bounds.json` beside the trace says, or else the recorded references `informed` and
    `random`, where there are any. `metrics` see the same
    rows in the same pass. Raises `TraceError` when the trace can't be read or has no row to score,
    `ConfigError` for a parameter or a bound outside its range.
    """
    path = Path(path)
    header = read_header(path)
    asked = asked_for(header)
    measured = _measured(path, header)
    upper_bounds = _bounds(upper, header, UPPER_REFERENCE, asked.bounds, measured[0])
    lower_bounds = _bounds(lower, header, LOWER_REFERENCE, {}, measured[1])
    parameters, window_source = _parameters(path, header, asked, window, rho)
    for metric in metrics:
        metric.begin(header)
    report = ReadReport()
    builder = SegmentBuilder(parameters, path)
    segments = _mark_truncated(_read(path, builder, report, metrics), header)
    scored = _score_segments(segments, upper_bounds, lower_bounds, parameters)
    identities = _score_identities(scored, upper_bounds, lower_bounds)
    overall = score_run(scored, identities, set(upper_bounds.values))
    if never_learned(header):
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
            f"{path}: expected step rows of phase {SCORED_PHASE}, found {others or 'no step row'}"
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
    path: Path, header: Mapping[str, Any], asked: Asked, window: int | None, rho: float | None
) -> tuple[Parameters, str]:
    rho = next(value for value in (rho, asked.rho, DEFAULT_RHO) if value is not None)
    if window is not None:
        return Parameters(window, rho), "given"
    if asked.window is not None:
        return Parameters(asked.window, rho), "from the run's config"
    planned = shortest_planned(header)
    if planned is not None:
        return Parameters(
            default_window(planned), rho
        ), f"from the schedule's shortest segment of {planned} steps"
    first_pass = _read(path, SegmentBuilder(Parameters(LARGEST_WINDOW, rho), path), ReadReport())
    shortest = min(segment.steps for segment in first_pass)
    return Parameters(default_window(shortest), rho), f"from the shortest segment of {shortest} steps"


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


def _score_segments(
    segments: Sequence[Segment], upper: Bounds, lower: Bounds, parameters: Parameters
) -> list[SegmentScores]:
    previous: dict[tuple[str, str], Segment] = {}
    scored = []
    for segment in segments:
        key = segment.world, segment.identity
        levels = Levels(upper.values.get(segment.identity), lower.values.get(segment.identity))
        scored.append(score_segment(segment, previous.get(key), levels, parameters))
        previous[key] = segment
    return scored


def _score_identities(
    segments: Sequence[SegmentScores], upper: Bounds, lower: Bounds
) -> dict[str, IdentityScores]:
    visits: dict[str, list[SegmentScores]] = {}
    for found in segments:
        visits.setdefault(found.segment.identity, []).append(found)
    return {
        identity: score_identity(found, Levels(upper.values.get(identity), lower.values.get(identity)))
        for identity, found in visits.items()
    }


def _counts(segments: Sequence[Segment], builder: SegmentBuilder) -> Counts:
    return Counts(
        worlds=len({segment.world for segment in segments}),
        rows=sum(segment.steps for segment in segments),
        nulls=sum(segment.nulls + segment.drift_nulls for segment in segments),
        drifting=sum(segment.drift_steps for segment in segments),
        gaps=builder.gaps,
        ignored=dict(builder.ignored),
    )
