"""Columns, cells and notes of a table, and how a score is put into a cell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from string import ascii_lowercase

from skyfall_crl.metrics.formulas import FLAGS, REASONS
from skyfall_crl.metrics.score import Score
from skyfall_crl.report.wording import spoken


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, what it means, and which way is better (`higher`, `lower` or nothing)."""

    title: str
    meaning: str = ""
    better: str = ""
    number: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a table; `detail` stands smaller below it, `missing` marks a reason in place of a value.

    `swatch` is a colour, `bar` a share in [0, 1] drawn under the text, `notes` are sentences for below the table.
    """

    text: str
    detail: str = ""
    missing: bool = False
    swatch: str = ""
    bar: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows; `total` says whether the last row sums up the others."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    total: bool = False

    @property
    def footnotes(self) -> dict[str, str]:
        """The notes of all cells, each once and with the letter that cells refer to it by."""
        notes = dict.fromkeys(note for row in self.rows for cell in row for note in cell.notes)
        return dict(zip(notes, cycle(ascii_lowercase), strict=False))


def score_cell(score: Score, write: Callable[[float], str]) -> Cell:
    """A value as `write` puts it, or the reason why there is none; what qualifies it becomes notes."""
    notes = tuple(FLAGS.get(code, spoken(code)) for code in score.flags)
    censored, reached = score.detail.get("censored"), score.detail.get("n")
    detail = ""
    if isinstance(censored, int) and isinstance(reached, int):
        detail = f"{censored} of {censored + reached} never"
    if score.value is None:
        reason = score.reason or "no_reward"
        return Cell(REASONS.get(reason, spoken(reason)), detail, missing=True, notes=notes)
    return Cell(write(score.value), detail, notes=notes)


def normalised(gap: Score) -> Score:
    """Turn the normalised gap into the score it leaves: 0 as random, 1 as the upper reference."""
    return gap if gap.value is None else Score(1 - gap.value, flags=gap.flags, detail=gap.detail)


def glossary(table: Table) -> list[tuple[str, str]]:
    """Every column with a meaning, and that meaning with the direction."""
    better = {"higher": " Higher is better.", "lower": " Lower is better.", "": ""}
    return [
        (column.title, column.meaning + better[column.better]) for column in table.columns if column.meaning
    ]
