"""The table of a report that shows how a frozen policy did in every configuration."""

from collections.abc import Mapping

from skyfall_crl.metrics.score import Score
from skyfall_crl.report.cells import Cell, Column, Table, score_cell
from skyfall_crl.report.palette import identity_colours
from skyfall_crl.report.scores import Scores
from skyfall_crl.report.series import RunSeries
from skyfall_crl.report.wording import change, level

_COLUMNS = (
    Column("Configuration", number=False),
    Column("At the end", "Mean reward of the last evaluation.", "higher"),
    Column(
        "Backward transfer",
        "Last evaluation minus the one after the configuration's own last block.",
        "higher",
    ),
    Column(
        "Forward transfer",
        "Evaluation before the configuration's first block minus the one before all training.",
        "higher",
    ),
    Column("Forgetting", "Best evaluation before the last minus the last.", "lower"),
    Column(
        "Maintenance",
        "Evaluations after blocks of other configurations minus the one after its own.",
        "higher",
    ),
)
_NAMES = (
    "average_performance",
    "backward_transfer",
    "forward_transfer",
    "forgetting_max_final",
    "performance_maintenance",
)


def evaluation_table(scores: Scores, series: RunSeries) -> Table | None:
    """One row for each identity, and one over all of them; None where no frozen policy was evaluated."""
    if all(scores.overall.get(name, Score()).value is None for name in _NAMES):
        return None
    colours = identity_colours(series.identities)
    rows = [
        [Cell(identity, swatch=colours.get(identity, "")), *_scored(found.scores)]
        for identity, found in scores.identities.items()
    ]
    total = len(rows) > 1
    if total:
        rows.append([Cell("All", "mean of those that have one"), *_scored(scores.overall)])
    return Table(_COLUMNS, rows, total)


def _scored(scores: Mapping[str, Score]) -> list[Cell]:
    missing = Score(reason="no_evaluation")
    return [
        score_cell(scores.get(name, missing), change if place else level) for place, name in enumerate(_NAMES)
    ]
