"""The page that compares variants: their tables, and the reward over time of all runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from skyfall_crl.report.cells import Table
from skyfall_crl.report.page import Figure, embedded_figure, plotly_source, render, replace_page
from skyfall_crl.report.palette import Drawing, bands, identity_colours, layout, translucent
from skyfall_crl.report.series import Segment
from skyfall_crl.report.wording import count

VARIANT_COLOURS = ("#2480c0", "#D55E00", "#009E73", "#CC79A7", "#8a6d00", "#56B4E9", "#6a51a3", "#767d87")
THIN_ALPHA = 0.22
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, slots=True)
class RunLine:
    """Mean reward of one run in consecutive pieces; None where there is none."""

    name: str
    rewards: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class VariantLines:
    """All runs of one variant, and their mean; `shown` says whether it is drawn at once or behind the legend."""

    variant: str
    runs: Sequence[RunLine]
    mean: Sequence[float | None]
    shown: bool = True


@dataclass(frozen=True, slots=True)
class ComparedScenario:
    """One scenario of the page: its table, sentences below it, and lines over pieces of `width` steps.

    `identities` has the configuration of each piece.
    """

    name: str
    table: Table
    notes: Sequence[str]
    lines: Sequence[VariantLines]
    identities: Sequence[str]
    width: int


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    table: Table
    notes: Sequence[str]
    figure: Figure | None
    width: str


def write_comparison(
    path: Path,
    title: str,
    scenarios: Sequence[ComparedScenario],
    *,
    checks: Table | None = None,
    cautions: Sequence[str] = (),
) -> Path:
    """Write one HTML page that opens without a network, in place of an older one as a whole."""
    sections = [_section(number, scenario) for number, scenario in enumerate(scenarios)]
    context: dict[str, Any] = {
        "title": title,
        "scenarios": sections,
        "checks": checks,
        "cautions": list(cautions),
        "plotly": plotly_source(),
    }
    return replace_page(path, render("comparison.html.j2", context))


def comparison_figure(scenario: ComparedScenario) -> Drawing:
    """Draw every run thin and every mean thick, with the configurations in force behind them."""
    segments = _segments(scenario.identities, scenario.width)
    base = layout(
        height=520, y_title="reward per step", shapes=bands(segments, identity_colours(_names(segments)))
    )
    base |= {"showlegend": True, "hovermode": "closest"}
    base["legend"] = {"orientation": "h", "x": 0, "y": 1.03, "yanchor": "bottom", "font": {"size": 12}}
    base["xaxis"]["title"] = {"text": "steps of each world", "standoff": 8}
    traces: list[dict[str, Any]] = []
    for number, lines in enumerate(scenario.lines):
        colour = VARIANT_COLOURS[number % len(VARIANT_COLOURS)]
        dash = DASHES[number // len(VARIANT_COLOURS) % len(DASHES)]
        visible: bool | str = True if lines.shown else "legendonly"
        group = {"legendgroup": lines.variant, "visible": visible, "type": "scatter", "mode": "lines"}
        for run in lines.runs:
            thin = {"color": translucent(colour, THIN_ALPHA), "width": 0.8}
            traces.append(
                {
                    **group,
                    **_points(run.rewards, scenario.width),
                    "line": thin,
                    "showlegend": False,
                    "hoverinfo": "skip",
                }
            )
        thick = {"color": colour, "width": 2.6, "dash": dash}
        title = escape(lines.variant)
        traces.append(
            {
                **group,
                **_points(lines.mean, scenario.width),
                "line": thick,
                "name": title,
                "hovertemplate": f"<b>{title}</b> %{{y:.3f}}<br>step %{{x:,.0f}}<extra></extra>",
            }
        )
    return {"data": traces, "layout": base}


def _section(number: int, scenario: ComparedScenario) -> _Section:
    figure = embedded_figure(f"scenario-{number}", comparison_figure(scenario)) if scenario.lines else None
    return _Section(scenario.name, scenario.table, scenario.notes, figure, count(scenario.width))


def _points(values: Sequence[float | None], width: int) -> dict[str, Any]:
    short = [None if value is None else float(f"{value:.4g}") for value in values]
    return {"x": [place * width + width / 2 for place in range(len(short))], "y": short}


def _segments(identities: Sequence[str], width: int) -> list[Segment]:
    segments: list[Segment] = []
    for place, identity in enumerate(identities):
        first, last = place * width, (place + 1) * width - 1
        if segments and segments[-1].identity == identity:
            segments[-1].last = last
        elif identity:
            segments.append(Segment(len(segments), identity, identity, first, last))
    return segments


def _names(segments: Sequence[Segment]) -> list[str]:
    return list(dict.fromkeys(segment.identity for segment in segments))
