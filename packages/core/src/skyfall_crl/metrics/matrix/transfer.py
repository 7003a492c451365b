"""What the matrix R says of average performance, transfer, forgetting and maintenance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean

from skyfall_crl.metrics.matrix.performance import Level, PerformanceMatrix
from skyfall_crl.metrics.score import Score, mean_score

NO_EVALUATION = "no_evaluation"


@dataclass(frozen=True, slots=True)
class MatrixScores:
    """Scores by formula name, over all identities and for each."""

    overall: dict[str, Score]
    identities: dict[str, dict[str, Score]]


def average_performance(matrix: PerformanceMatrix, identity: str) -> Score:
    """Return R[N, j]; the mean over identities is ACC of Lopez-Paz and Ranzato 2017."""
    last = matrix.level(-1, identity)
    return Score.missing(NO_EVALUATION) if last is None else _of(last.value, last)


def backward_transfer(matrix: PerformanceMatrix, identity: str) -> Score:
    """Return R[N, i] - R[i, i], where i's own row is that of its last block; Lopez-Paz and Ranzato 2017."""
    refused = _unless_left(matrix, identity)
    if refused is not None:
        return refused
    return _difference(matrix.level(-1, identity), matrix.level(matrix.own_rows(identity)[-1], identity))


def forward_transfer(matrix: PerformanceMatrix, identity: str) -> Score:
    """Return R[i - 1, i] - R[0, i] for i's first block, what others taught before it; Lopez-Paz and Ranzato 2017."""
    own = matrix.own_rows(identity)
    if not own:
        return Score.missing("never_trained")
    if own[0] == 1:
        return Score.missing("trained_first")
    return _difference(matrix.level(own[0] - 1, identity), matrix.level(0, identity))


def forgetting_max_final(matrix: PerformanceMatrix, identity: str) -> Score:
    """Return the best of R[1, j] to R[N - 1, j] minus R[N, j]; Chaudhry et al. 2018. Noise makes the best too good."""
    refused = _unless_left(matrix, identity)
    if refused is not None:
        return refused
    levels = [level for row in matrix.rows[1:-1] if (level := row.get(identity)) is not None]
    best = max(levels, key=lambda level: level.value, default=None)
    return _difference(best, matrix.level(-1, identity))


def performance_maintenance(matrix: PerformanceMatrix, identity: str) -> Score:
    """Return the mean, over evaluations after blocks of others, of their level minus that behind the last own block.

    The reference is the most recent evaluation after learning, as `mrlep` of the lifelong-learning metrics of
    New et al. 2022 has it.
    """
    own = matrix.own_rows(identity)
    if not own:
        return Score.missing("never_trained")
    changes, levels = [], []
    for row in range(own[0], len(matrix.rows)):
        reference = matrix.level(max(place for place in own if place <= row), identity)
        level = matrix.level(row, identity)
        if row not in own and level is not None and reference is not None:
            changes.append(level.value - reference.value)
            levels += [level, reference]
    if changes:
        return _of(fmean(changes), *levels).with_detail(n=len(changes))
    return Score.missing("trained_last" if own[0] == len(matrix.rows) - 1 else NO_EVALUATION)


_PER_IDENTITY: dict[str, Callable[[PerformanceMatrix, str], Score]] = {
    "average_performance": average_performance,
    "backward_transfer": backward_transfer,
    "forward_transfer": forward_transfer,
    "forgetting_max_final": forgetting_max_final,
    "performance_maintenance": performance_maintenance,
}


def score_matrix(matrix: PerformanceMatrix) -> MatrixScores:
    """Score a matrix: each identity, and the mean over those that have a value.

    Where one lacks its value only because it wasn't evaluated, the mean is flagged `evaluations_missing`.
    """
    identities = {
        identity: {name: score(matrix, identity) for name, score in _PER_IDENTITY.items()}
        for identity in matrix.identities
    }
    overall = {name: _mean(matrix, name, identities) for name in _PER_IDENTITY}
    return MatrixScores(overall, identities)


def _mean(matrix: PerformanceMatrix, name: str, identities: Mapping[str, Mapping[str, Score]]) -> Score:
    if not matrix.evaluated:
        return Score.missing(NO_EVALUATION)
    if name != "average_performance" and len(matrix.trained) < 2:
        return Score.missing("no_shift")
    scores = [found[name] for found in identities.values()]
    gaps = any(score.reason == NO_EVALUATION for score in scores)
    mean = mean_score(scores, NO_EVALUATION)
    if mean.value is None:
        return Score.missing(NO_EVALUATION) if gaps else mean
    return mean.flagged("evaluations_missing") if gaps else mean


def _unless_left(matrix: PerformanceMatrix, identity: str) -> Score | None:
    """Return why nothing of an identity can have been lost by the end, None where something can."""
    own = matrix.own_rows(identity)
    if not own:
        return Score.missing("never_trained")
    return Score.missing("trained_last") if own[-1] == len(matrix.trained) else None


def _difference(level: Level | None, reference: Level | None) -> Score:
    if level is None or reference is None:
        return Score.missing(NO_EVALUATION)
    return _of(level.value - reference.value, level, reference)


def _of(value: float, *levels: Level) -> Score:
    score = Score.of(value)
    if any(level.early for level in levels):
        score = score.flagged("early_evaluation")
    return score.flagged("null_rewards") if any(level.nulls for level in levels) else score
