"""Comparing runs: for each scenario and each variant, every column as an interval over seeds."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from skyfall_crl.metrics.statistics import (
    Interval,
    bootstrap,
    kaplan_meier_median_by_seed,
    mean_interval,
    paired_difference,
    probability_of_improvement,
    run_range,
)
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import nearest
from skyfall_crl.study.gather import FoundRun, ScoreRow, SegmentRow


@dataclass(frozen=True, slots=True)
class Compared:
    """A column: the formula it shows, its heading, and how seeds become one number.

    `mean` is the mean over seeds; `waiting` the median over all segments of all seeds that `counts` says yes to,
    of which some ended before the event.
    """

    name: str
    title: str
    better: Literal["higher", "lower"]
    kind: Literal["mean", "waiting"] = "mean"
    counts: Callable[[SegmentRow], bool] = lambda _: True


HEADLINE = "reward_lifetime"

COLUMNS = (
    Compared(HEADLINE, "lifetime reward", "higher"),
    Compared("reward_macro", "macro reward", "higher"),
    Compared("gap_normalised", "gap remaining", "lower"),
    Compared("adaptation_steps", "adaptation steps", "lower", "waiting", lambda segment: segment.ordinal > 0),
    Compared("recovery_steps", "recovery steps", "lower", "waiting", lambda segment: segment.visit > 0),
    Compared("forgetting_entry", "forgetting, entry", "lower"),
    Compared("forgetting_final", "forgetting, final", "lower"),
    Compared("stability_std", "stability sd", "lower"),
    Compared("reward_worst_window", "worst window", "higher"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One number of the table; `reached` of `of` events took place where waiting times are compared.

    `flags` counts, by code, the runs that carry it; `reason` says why there is no number, for most runs.
    """

    interval: Interval
    iqm: Interval | None = None
    spread: Interval | None = None
    reached: int | None = None
    of: int | None = None
    flags: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One variant in one scenario; the last two are None for the variant that others are compared with."""

    variant: str
    seeds: tuple[int, ...]
    privileged: bool
    entries: Mapping[str, Entry]
    wall_seconds: float | None
    difference: Interval | None = None
    improvement: Interval | None = None


@dataclass(frozen=True, slots=True)
class ScenarioTable:
    """All variants in one scenario, and what their numbers rest on.

    `bounds` are the sources of upper and lower bounds in use, `coverage` the smallest share of steps that have an
    upper one, `windows` the window lengths; more than one of either means that rows aren't alike.
    """

    name: str
    rows: Sequence[Row]
    reference: str | None
    steps: tuple[int, ...]
    worlds: tuple[int, ...]
    windows: tuple[int, ...]
    bounds: tuple[str, ...]
    coverage: float | None


def compare(runs: Sequence[FoundRun], reference: str | None = None) -> list[ScenarioTable]:
    """Compare runs scenario by scenario; differences are taken to `reference`, on the seeds both have.

    Raises `ConfigError` when no scenario has the reference.
    """
    scenarios: dict[str, list[FoundRun]] = {}
    for run in runs:
        scenarios.setdefault(run.scenario, []).append(run)
    variants = list(dict.fromkeys(run.variant for run in runs))
    if reference is not None and reference not in variants:
        raise ConfigError(f"--reference: unknown name {reference!r}{nearest(reference, variants)}")
    return [_table(name, found, reference) for name, found in scenarios.items()]


def _table(name: str, runs: Sequence[FoundRun], reference: str | None) -> ScenarioTable:
    by_variant: dict[str, dict[int, FoundRun]] = {}
    for run in runs:
        seeds = by_variant.setdefault(run.variant, {})
        if run.seed in seeds:
            raise ConfigError(
                f"{run.directory}: expected each seed of {run.variant} once, found seed {run.seed} also in "
                f"{seeds[run.seed].directory}"
            )
        seeds[run.seed] = run
    base = by_variant.get(reference) if reference is not None else None
    coverages = [value for run in runs if (value := _value(run, "gap_step_coverage")) is not None]
    return ScenarioTable(
        name=name,
        rows=[
            _row(variant, seeds, None if variant == reference else base)
            for variant, seeds in by_variant.items()
        ],
        reference=reference if base is not None else None,
        steps=_distinct([run.config["run"]["steps"] for run in runs]),
        worlds=_distinct([run.config["run"]["num_envs"] for run in runs]),
        windows=_distinct([run.evaluation.parameters["window"] for run in runs]),
        bounds=tuple(dict.fromkeys(_sources(run) for run in runs)),
        coverage=min(coverages, default=None),
    )


def _row(variant: str, runs: Mapping[int, FoundRun], base: Mapping[int, FoundRun] | None) -> Row:
    walls = [run.wall_seconds for run in runs.values() if run.wall_seconds is not None]
    headline = _values(runs, HEADLINE)
    return Row(
        variant=variant,
        seeds=tuple(sorted(runs)),
        privileged=any(run.privileged for run in runs.values()),
        entries={column.name: _entry(column, runs) for column in COLUMNS},
        wall_seconds=fmean(walls) if walls else None,
        difference=None if base is None else paired_difference(headline, _values(base, HEADLINE)),
        improvement=None if base is None else probability_of_improvement(headline, _values(base, HEADLINE)),
    )


def _entry(column: Compared, runs: Mapping[int, FoundRun]) -> Entry:
    if column.kind == "waiting":
        return _waiting(column, runs)
    scores = [_score(run, column.name) for run in runs.values()]
    flags = Counter(flag for score in scores for flag in dict.fromkeys(score.flags))
    reasons = Counter(score.reason for score in scores if score.reason is not None)
    values = _values(runs, column.name)
    return Entry(
        interval=mean_interval(values),
        iqm=bootstrap(values, "iqm"),
        spread=run_range(values),
        flags=dict(flags),
        reason=reasons.most_common(1)[0][0]
        if len(reasons) and not any(v is not None for v in values.values())
        else None,
    )


def _waiting(column: Compared, runs: Mapping[int, FoundRun]) -> Entry:
    times: dict[int, list[float]] = {}
    cut: dict[int, list[float]] = {}
    flags: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed, run in runs.items():
        scores = [s.scores[column.name] for s in run.evaluation.segments if column.counts(s)]
        times[seed] = [score.value for score in scores if score.value is not None]
        cut[seed] = [score.censored_at for score in scores if score.censored_at is not None]
        flags.update(dict.fromkeys(_score(run, column.name).flags, 1))
        reasons.update(score.reason for score in scores if score.reason not in (None, "censored"))
        if not scores and (reason := _score(run, column.name).reason) is not None:
            reasons[reason] += 1
    reached = sum(map(len, times.values()))
    of = reached + sum(map(len, cut.values()))
    if not of:
        reason = reasons.most_common(1)[0][0] if reasons else "no_shift"
        return Entry(
            Interval.missing(reason, "kaplan_meier_bootstrap", len(runs)), flags=dict(flags), reason=reason
        )
    found = kaplan_meier_median_by_seed(times, cut)
    return Entry(found, reached=reached, of=of, flags=dict(flags), reason=found.reason)


def _values(runs: Mapping[int, FoundRun], name: str) -> dict[int, float | None]:
    return {seed: _value(run, name) for seed, run in sorted(runs.items())}


def _value(run: FoundRun, name: str) -> float | None:
    return _score(run, name).value


def _score(run: FoundRun, name: str) -> ScoreRow:
    """Return a score, or that an earlier version scored the run, which did not have it."""
    return run.evaluation.overall.get(name, ScoreRow(reason="not_scored"))


def _sources(run: FoundRun) -> str:
    bounds = run.evaluation.bounds
    return f"upper {bounds.upper.source}; lower {bounds.lower.source}"


def _distinct(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values)))
