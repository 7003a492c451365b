"""The reference of metrics names every formula, reason and mark there is, and none besides."""

import re
from pathlib import Path

import pytest

from skyfall_crl.metrics.formulas import FLAGS, FORMULAS, REASONS
from skyfall_crl.metrics.statistics import __all__ as statistics

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")


def tables(*headings: str) -> list[list[str]]:
    """Return the cells of every table row under these headings."""
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    chosen = [section for section in sections if section.split("\n", 1)[0] in headings]
    lines = [line for section in chosen for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_formula_has_its_unit_and_direction() -> None:
    rows = tables("The six", "Frozen evaluations", "Beside other runs")
    named = {
        match[1]: cells
        for cells in rows
        if (match := re.fullmatch(r"`(\w+)`", cells[1] if len(cells[0]) < 2 else cells[0]))
    }
    assert set(named) == set(FORMULAS)
    for name, cells in named.items():
        assert {FORMULAS[name].unit, FORMULAS[name].better} <= set(cells), name


def test_every_reason_is_explained_as_it_is_printed() -> None:
    rows = [cells for cells in tables("Reasons") if cells[1].startswith("`")]
    assert {cells[1].strip("`"): cells[0] for cells in rows} == REASONS


@pytest.mark.parametrize(("heading", "names"), [("Marks", set(FLAGS))])
def test_every_mark_is_explained(heading: str, names: set[str]) -> None:
    assert {cells[0].strip("`") for cells in tables(heading) if cells[0].startswith("`")} == names


def test_every_statistic_is_explained() -> None:
    named = {match[1] for cells in tables("Over seeds") if (match := re.match(r"`(\w+)\(", cells[0]))}
    assert named == set(statistics) - {"Interval"}
