"""A comparison on a terminal, as LaTeX and as plain data."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skyfall_crl.metrics.statistics import Interval
from skyfall_crl.study.comparison import Entry, ScenarioTable
from skyfall_crl.study.comparison_cells import Written, WrittenTable

if TYPE_CHECKING:
    from rich.table import Table

COMPARISON_VERSION = 1
_PADDING = 3
_LATEX = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}"}
_LATEX |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "\u2212": "$-$"}


def text_tables(table: WrittenTable, arrows: Mapping[str, str], width: int) -> "Iterator[Table]":
    """Lay a table out for a terminal of so many columns, in as many parts as that takes.

    `arrows` has a sign for `higher` and one for `lower`.
    """
    marks = table.marks
    cells = [[_lines(cell, marks) for cell in row] for row in table.rows]
    heads = [
        f"{title} {arrows[b]}" if b else title for title, b in zip(table.titles, table.better, strict=True)
    ]
    widths = [
        _PADDING + max(len(line) for text in (head, *texts) for line in text.split("\n"))
        for head, texts in zip(heads, zip(*cells, strict=True), strict=True)
    ]
    begin, width = 1, width - 2
    while begin < len(heads):
        end, used = begin + 1, widths[0] + widths[begin]
        while end < len(heads) and used + widths[end] <= width:
            used, end = used + widths[end], end + 1
        chosen = [0, *range(begin, end)]
        yield _laid(
            table.name if begin == 1 else None,
            [heads[place] for place in chosen],
            [[row[place] for place in chosen] for row in cells],
        )
        begin = end


def _laid(title: str | None, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    laid = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for place, head in enumerate(heads):
        laid.add_column(Text(head), justify="right" if place else "left", vertical="top", no_wrap=True)
    for row in rows:
        laid.add_row(*map(Text, row))
    return laid


def text_notes(table: WrittenTable) -> list[str]:
    """Return the lines below a table."""
    return [*(f"[{number}] {note}" for note, number in table.marks.items()), *table.notes]


def latex(tables: Sequence[WrittenTable]) -> str:
    """Return one `tabular` for each table, for the package booktabs; notes stand in comments below."""
    return "\n".join(_tabular(table) for table in tables)


def to_mapping(tables: Sequence[ScenarioTable], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return a comparison as plain data, ready for JSON."""
    return {"version": COMPARISON_VERSION, "scenarios": [_scenario(table) for table in tables], **extra}


def _lines(cell: Written, marks: Mapping[str, int]) -> str:
    signs = ",".join(str(marks[note]) for note in cell.notes)
    first = f"{cell.text} [{signs}]" if signs else cell.text
    return "\n".join(line for line in (first, cell.interval, cell.extra) if line)


def _tabular(table: WrittenTable) -> str:
    lines = [f"% {table.name}", rf"\begin{{tabular}}{{l{'r' * (len(table.titles) - 1)}}}", r"\toprule"]
    arrows = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", "": ""}
    heads = [f"{_escaped(title)}{arrows[b]}" for title, b in zip(table.titles, table.better, strict=True)]
    lines += [" & ".join(heads) + r" \\", r"\midrule"]
    marks = table.marks
    for row in table.rows:
        lines.append(" & ".join(_latex_cell(cell, marks) for cell in row) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% [{number}] {note}" for note, number in marks.items()]
    return "\n".join([*lines, *(f"% {note}" for note in table.notes), ""])


def _latex_cell(cell: Written, marks: Mapping[str, int]) -> str:
    text = _escaped(cell.text)
    if cell.interval:
        text += rf" {{\footnotesize {_escaped(cell.interval)}}}"
    signs = ",".join(str(marks[note]) for note in cell.notes)
    return f"{text}$^{{{signs}}}$" if signs else text


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _scenario(table: ScenarioTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "reference": table.reference,
        "steps": list(table.steps),
        "worlds": list(table.worlds),
        "windows": list(table.windows),
        "bounds": list(table.bounds),
        "coverage": table.coverage,
        "rows": [
            {
                "variant": row.variant,
                "seeds": list(row.seeds),
                "privileged": row.privileged,
                "wall_seconds": row.wall_seconds,
                "columns": {name: _entry(entry) for name, entry in row.entries.items()},
                "difference": _interval(row.difference),
                "improvement": _interval(row.improvement),
            }
            for row in table.rows
        ],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        **entry.interval.to_mapping(),
        "run_flags": dict(entry.flags),
        "reason": entry.reason or entry.interval.reason,
        "iqm": _interval(entry.iqm),
        "range": _interval(entry.spread),
        "reached": entry.reached,
        "of": entry.of,
    }


def _interval(found: Interval | None) -> dict[str, Any] | None:
    return None if found is None else found.to_mapping()
