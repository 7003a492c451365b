"""A comparison as one HTML page: tables, checks, and the reward over time of every run."""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.report.cells import Cell, Column, Table
from skyfall_crl.report.comparison import ComparedScenario, RunLine, VariantLines, write_comparison
from skyfall_crl.study.checks import Check
from skyfall_crl.study.comparison import HEADLINE
from skyfall_crl.study.comparison_cells import Written, WrittenTable
from skyfall_crl.study.gather import FoundRun
from skyfall_crl.study.traces import Curve, reward_curve, stored_trace

SHOWN_AT_ONCE = 6


def write_page(
    path: Path,
    title: str,
    tables: Sequence[WrittenTable],
    runs: Sequence[FoundRun],
    *,
    checks: Sequence[Check] = (),
    cautions: Sequence[str] = (),
) -> Path:
    """Write the page; every trace is read once, and one that is gone leaves its run without a line."""
    scenarios = [_scenario(table, [run for run in runs if run.scenario == table.name]) for table in tables]
    return write_comparison(
        path, title, scenarios, checks=_checks(checks) if checks else None, cautions=cautions
    )


def _scenario(table: WrittenTable, runs: Sequence[FoundRun]) -> ComparedScenario:
    curves = {run.directory: _curve(run) for run in runs}
    longest = max((curve for curve in curves.values() if curve is not None), key=_length, default=None)
    variants = list(dict.fromkeys(run.variant for run in runs))
    shown = _shown(runs, variants, table.reference)
    lines = []
    for variant in variants:
        of_one = [(run, curves[run.directory]) for run in runs if run.variant == variant]
        drawn = [
            (run, curve)
            for run, curve in of_one
            if curve is not None and longest is not None and curve.width == longest.width
        ]
        if drawn:
            lines.append(
                VariantLines(
                    variant,
                    [RunLine(f"seed {run.seed}", _plain(curve.means)) for run, curve in drawn],
                    _mean([curve.means for _, curve in drawn]),
                    shown=variant in shown,
                )
            )
    return ComparedScenario(
        table.name,
        report_table(table),
        table.notes,
        lines,
        longest.identities if longest is not None else (),
        longest.width if longest is not None else 1,
    )


def _shown(runs: Sequence[FoundRun], variants: Sequence[str], reference: str | None) -> set[str]:
    """Return the variants that are drawn at once: the reference and those that earn most, or all where they are few."""
    if len(variants) <= SHOWN_AT_ONCE:
        return set(variants)
    earned: dict[str, list[float]] = {variant: [] for variant in variants}
    for run in runs:
        value = run.evaluation.overall[HEADLINE].value
        earned[run.variant] += [] if value is None else [value]
    ranked = sorted(variants, key=lambda name: -fmean(earned[name] or [-math.inf]))
    return {reference or variants[0], *ranked[: SHOWN_AT_ONCE - 1]}


def report_table(table: WrittenTable) -> Table:
    """Return a written table in the form that a page lays out."""
    columns = [
        Column(title, better=better, number=place > 0)
        for place, (title, better) in enumerate(zip(table.titles, table.better, strict=True))
    ]
    return Table(columns, [[_cell(cell) for cell in row] for row in table.rows])


def _checks(checks: Sequence[Check]) -> Table:
    columns = [Column("check", number=False), Column("holds", number=False), Column("found", number=False)]
    return Table(columns, [[Cell(c.says), Cell("yes" if c.holds else "NO"), Cell(c.found)] for c in checks])


def _cell(cell: Written) -> Cell:
    detail = "\n".join(part for part in (cell.interval, cell.extra) if part)
    return Cell(cell.text, detail, missing=cell.missing, notes=cell.notes)


def _curve(run: FoundRun) -> Curve | None:
    path = stored_trace(run.directory)
    return None if path is None else reward_curve(path, run.config["run"]["steps"])


def _length(curve: Curve) -> int:
    return len(curve.means)


def _mean(curves: Sequence[NDArray[np.float64]]) -> list[float | None]:
    size = max(map(len, curves))
    padded = np.full((len(curves), size), np.nan)
    for row, curve in zip(padded, curves, strict=True):
        row[: len(curve)] = curve
    known = (~np.isnan(padded)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return _plain(np.nansum(padded, axis=0) / np.where(known, known, np.nan))


def _plain(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
