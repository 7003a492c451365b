"""The matrix view as a metric that any trace can be scored with."""

from collections.abc import Mapping, Sequence
from typing import Any

from skyfall_crl.metrics.formulas import FORMULAS
from skyfall_crl.metrics.matrix.blocks import Columns, MatrixBuilder
from skyfall_crl.metrics.matrix.transfer import MatrixScores, score_matrix
from skyfall_crl.metrics.score import Score
from skyfall_crl.ports.metric import MetricValue


class MatrixMetric:
    """Average performance, transfer, forgetting and maintenance from a trace's rows of phase `eval`.

    Without such rows every value is missing, reason `no_evaluation`.
    """

    def __init__(self) -> None:
        self._builder = MatrixBuilder()

    def begin(self, header: Mapping[str, Any]) -> None:
        """Begin anew; the provenance record isn't needed."""
        self._builder = MatrixBuilder()

    def rows(self, batch: Columns) -> None:
        """Take the next rows."""
        self._builder.add(batch)

    def scores(self) -> MatrixScores:
        """Return the scores of everything taken."""
        return score_matrix(self._builder.finish())

    def end(self) -> Sequence[MetricValue]:
        """Return the scores over all identities, then those of each."""
        found = self.scores()
        groups = [(None, found.overall), *found.identities.items()]
        return [
            metric_value(name, identity, score)
            for identity, scores in groups
            for name, score in scores.items()
        ]


def metric_value(name: str, identity: str | None, score: Score) -> MetricValue:
    """Put a score under its formula's name, version, unit and direction."""
    formula = FORMULAS[name]
    return MetricValue(
        name, formula.version, identity, score.value, score.reason, formula.unit, formula.better, score.flags
    )
