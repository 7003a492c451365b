"""How a comparison's numbers are written: a value, its interval, and marks that notes below the table explain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skyfall_crl.metrics.formulas import FLAGS, REASONS
from skyfall_crl.metrics.statistics import Interval
from skyfall_crl.report.wording import change, count, duration, level, spoken
from skyfall_crl.study.comparison import COLUMNS, Compared, Entry, Row, ScenarioTable

FEW = "fewer than 10 seeds: Student's interval, and too few to rely on"
UNBOUNDED = "a bound of the interval is not known"
_STATISTICS = {
    "few_seeds": FEW,
    "missing_seeds": "seeds without a value are left out",
    "unpaired_seeds": "seeds that only one side has are left out",
    "unbounded": UNBOUNDED,
}
_SILENT = ("truncated", "null_rewards", "few_seeds")


@dataclass(frozen=True, slots=True)
class Written:
    """A cell: `text`, `interval` behind or below it, `extra` smaller still, and sentences for below the table."""

    text: str
    interval: str = ""
    extra: str = ""
    notes: tuple[str, ...] = ()
    missing: bool = False


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """Headings and rows of cells of one scenario; `marks` has each note once, with the number that refers to it."""

    name: str
    titles: Sequence[str]
    better: Sequence[str]
    rows: Sequence[Sequence[Written]]
    notes: Sequence[str] = field(default_factory=tuple)
    reference: str | None = None

    @property
    def marks(self) -> dict[str, int]:
        """The notes of all cells in the order they are met, numbered from 1."""
        met = dict.fromkeys(note for row in self.rows for cell in row for note in cell.notes)
        return {note: number for number, note in enumerate(met, start=1)}


def write_table(table: ScenarioTable, tuning: Sequence[str] = ()) -> WrittenTable:
    """Put a scenario's comparison into words; `tuning` are sentences on what was spent before."""
    against = table.reference is not None
    titles = ["variant", *(column.title for column in COLUMNS)]
    better = ["", *(column.better for column in COLUMNS)]
    if against:
        titles += [f"reward above {table.reference}", f"P(better than {table.reference})"]
        better += ["higher", "higher"]
    titles, better = [*titles, "seeds", "wall time"], [*better, "", ""]
    rows = [_row(row, against) for row in table.rows]
    return WrittenTable(table.name, titles, better, rows, (*_rests_on(table), *tuning), table.reference)


def _row(row: Row, against: bool) -> list[Written]:
    name = Written(
        row.variant, notes=("looks inside the world, which no agent can",) if row.privileged else ()
    )
    cells = [name, *(_entry(column, row.entries[column.name], len(row.seeds)) for column in COLUMNS)]
    if against:
        cells += [_interval(row.difference, change), _interval(row.improvement, lambda value: f"{value:.2f}")]
    few = (FEW,) if len(row.seeds) < 10 else ()
    wall = "unknown" if row.wall_seconds is None else duration(row.wall_seconds)
    return [
        *cells,
        Written(count(len(row.seeds)), notes=few),
        Written(wall, missing=row.wall_seconds is None),
    ]


def _entry(column: Compared, entry: Entry, runs: int) -> Written:
    write = count if column.kind == "waiting" else level
    notes = [_flagged(code, found, runs) for code, found in entry.flags.items() if code not in _SILENT]
    if entry.interval.value is not None:
        notes += [_STATISTICS[code] for code in entry.interval.flags if code not in _SILENT]
    extra = ""
    if entry.of is not None:
        extra = f"{count(entry.reached or 0)}/{count(entry.of)} reached"
    elif entry.iqm is not None and entry.iqm.value is not None and entry.spread is not None:
        extra = f"iqm {level(entry.iqm.value)}\n{level(entry.spread.low)} to {level(entry.spread.high)}"
    if entry.interval.value is None:
        code = entry.reason or entry.interval.reason or "no_reward"
        return Written(REASONS.get(code, spoken(code)), extra=extra, notes=tuple(notes), missing=True)
    return Written(write(entry.interval.value), _ends(entry.interval, write), extra, tuple(notes))


def _interval(found: Interval | None, write: Callable[[float], str]) -> Written:
    if found is None:
        return Written("reference", missing=True)
    if found.value is None:
        return Written(spoken(found.reason or "no_seed"), missing=True)
    notes = tuple(_STATISTICS[code] for code in found.flags if code not in _SILENT)
    return Written(write(found.value), _ends(found, write), notes=notes)


def _ends(found: Interval, write: Callable[[float], str]) -> str:
    low, high = ("?" if end is None else write(end) for end in (found.low, found.high))
    return "" if found.low is None and found.high is None else f"[{low}, {high}]"


def _flagged(code: str, found: int, runs: int) -> str:
    words = FLAGS.get(code, spoken(code))
    return words if found == runs else f"{words} (in {found} of {runs} runs)"


def _rests_on(table: ScenarioTable) -> tuple[str, ...]:
    worlds, steps = (" or ".join(map(count, values)) for values in (table.worlds, table.steps))
    notes = [
        f"Each run: {worlds} worlds of {steps} steps. Windows of {' or '.join(map(count, table.windows))} steps."
    ]
    if len(table.windows) > 1 or len(table.steps) > 1 or len(table.worlds) > 1:
        notes.append("Not all runs have the same length, width or window: compare with care.")
    notes += [f"Bounds: {source}." for source in table.bounds]
    if table.coverage is not None:
        notes.append(f"Steps that have an upper bound: {table.coverage:.0%}.")
    notes.append(
        "Means over seeds with 95% intervals: whole seeds drawn with replacement, 10,000 times, or Student's t under "
        "10 seeds. Below: the interquartile mean, and the least and the greatest run. Steps are medians over all "
        "segments that count those in which the level was not reached."
    )
    return tuple(notes)
