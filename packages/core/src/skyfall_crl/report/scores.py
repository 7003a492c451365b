"""Reads `metrics.json` back into scores, and pools what the worlds of a run did in the same visit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import msgspec

from skyfall_crl.metrics.score import Score, mean_score
from skyfall_crl.ports.errors import TraceError

VISIT_SCORES = ("reward_mean", "adaptation_steps", "recovery_steps", "stability_std")


class _Score(msgspec.Struct):
    value: float | None = None
    reason: str | None = None
    flags: tuple[str, ...] = ()
    n: int | None = None
    censored: int | None = None
    censored_at: float | None = None
    statistic: str | None = None

    def score(self) -> Score:
        names = ("n", "censored", "censored_at", "statistic")
        detail = {name: known for name in names if (known := getattr(self, name)) is not None}
        return Score(self.value, self.reason, self.flags, detail)


class _Bounds(msgspec.Struct):
    source: str = "none"


class _BothBounds(msgspec.Struct):
    upper: _Bounds = msgspec.field(default_factory=_Bounds)
    lower: _Bounds = msgspec.field(default_factory=_Bounds)


class _Parameters(msgspec.Struct):
    window: int
    rho: float


class _Identity(msgspec.Struct):
    scores: dict[str, _Score]
    upper: float | None = None
    lower: float | None = None


class _Segment(msgspec.Struct):
    world: str
    identity: str
    ordinal: int
    visit: int
    first_step: int
    steps: int
    scores: dict[str, _Score]
    regime_ids: tuple[str, ...] = ()
    entry: float | None = None
    terminal: float | None = None


class _Evaluation(msgspec.Struct):
    parameters: _Parameters
    overall: dict[str, _Score]
    identities: dict[str, _Identity]
    segments: list[_Segment]
    bounds: _BothBounds = msgspec.field(default_factory=_BothBounds)


@dataclass(frozen=True, slots=True)
class IdentityScores:
    """One identity: its scores by formula name and the bounds they were taken against."""

    scores: Mapping[str, Score]
    upper: float | None
    lower: float | None


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay in one identity, over the worlds that made it at the same place in their sequence.

    `ordinal` counts segments and `visit` visits of the identity, both from 0. `entry`, `terminal` and `change`
    (entry level minus the level the segment before ended at) are means over worlds.
    """

    ordinal: int
    visit: int
    identity: str
    regime_ids: tuple[str, ...]
    first_step: int
    steps: int
    entry: float | None
    terminal: float | None
    change: float | None
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Scores:
    """What a report shows of an evaluation; the sources say who measured the bounds."""

    window: int
    rho: float
    upper_source: str
    lower_source: str
    overall: Mapping[str, Score]
    identities: Mapping[str, IdentityScores]
    visits: Sequence[Visit]

    @property
    def upper_title(self) -> str:
        """What the upper bound is called: the reference it was taken from, where the source names one."""
        return _title(self.upper_source, "upper bound")

    @property
    def lower_title(self) -> str:
        """What the lower bound is called."""
        return _title(self.lower_source, "lower bound")


def read_scores(path: Path) -> Scores | None:
    """Read the evaluation of a run, None where there is none; raises TraceError for a file that is no evaluation."""
    if not path.is_file():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Evaluation)
    except (OSError, msgspec.DecodeError) as error:
        raise TraceError(
            f"{path}: expected the evaluation of a run: {error}; write it again with `eval`"
        ) from error
    return Scores(
        window=found.parameters.window,
        rho=found.parameters.rho,
        upper_source=found.bounds.upper.source,
        lower_source=found.bounds.lower.source,
        overall=_scores(found.overall),
        identities={
            name: IdentityScores(_scores(identity.scores), identity.upper, identity.lower)
            for name, identity in found.identities.items()
        },
        visits=_visits(found.segments),
    )


def _scores(rows: Mapping[str, _Score]) -> dict[str, Score]:
    return {name: row.score() for name, row in rows.items()}


def _visits(segments: Sequence[_Segment]) -> list[Visit]:
    terminals = {(segment.world, segment.ordinal): segment.terminal for segment in segments}
    together: dict[tuple[int, str], list[_Segment]] = {}
    for segment in segments:
        together.setdefault((segment.ordinal, segment.identity), []).append(segment)
    visits = []
    for (ordinal, identity), parts in together.items():
        changes = [
            part.entry - before
            for part in parts
            if part.entry is not None and (before := terminals.get((part.world, ordinal - 1))) is not None
        ]
        visits.append(
            Visit(
                ordinal=ordinal,
                visit=parts[0].visit,
                identity=identity,
                regime_ids=tuple(dict.fromkeys(name for part in parts for name in part.regime_ids)),
                first_step=min(part.first_step for part in parts),
                steps=max(part.steps for part in parts),
                entry=_mean([part.entry for part in parts]),
                terminal=_mean([part.terminal for part in parts]),
                change=fmean(changes) if changes else None,
                scores={
                    name: mean_score(
                        [part.scores[name].score() for part in parts if name in part.scores], "no_reward"
                    )
                    for name in VISIT_SCORES
                },
            )
        )
    return sorted(visits, key=lambda visit: visit.ordinal)


def _title(source: str, otherwise: str) -> str:
    return source.split("`")[1].replace("_", " ") if source.count("`") == 2 else otherwise


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
