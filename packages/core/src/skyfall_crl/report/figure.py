"""The main figure: reward over time, the regimes behind it and the references beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from skyfall_crl.report.palette import (
    FURTHER_REFERENCES,
    MAX_BANDS,
    MEAN,
    MEAN_RANGE,
    REFERENCE_STYLES,
    Drawing,
    bands,
    identity_colours,
    layout,
)
from skyfall_crl.report.series import RunSeries, Segment, Window
from skyfall_crl.report.wording import count, level, spoken

References = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Point:
    """The mean reward of one window and its smallest and largest mean over worlds."""

    window: Window
    middle: float
    mean: float | None
    low: float | None
    high: float | None


def points(series: RunSeries) -> list[Point]:
    """Average every window over the worlds; a world with a non-finite reward in the window is left out of it."""
    result = []
    for window in series.windows:
        means = [tally.mean for tally in window.rewards.values()]
        known = [mean for mean in means if mean is not None]
        middle = (window.first + window.last + 1) / 2
        if known:
            result.append(Point(window, middle, sum(known) / len(known), min(known), max(known)))
        else:
            result.append(Point(window, middle, None, None, None))
    return result


def reference_names(references: References) -> tuple[list[str], list[str]]:
    """Split the names of all references into those shown at once and those behind the legend."""
    names = list(dict.fromkeys(name for levels in references.values() for name in levels))
    shown = [name for name in REFERENCE_STYLES if name in names] or names[:3]
    return shown, [name for name in names if name not in shown]


def reward_figure(series: RunSeries, references: References) -> Drawing:
    """Build the figure of the whole run; every text in it is escaped for plotly's own mark-up."""
    colours = identity_colours(series.identities)
    segments = series.segments if series.labelled else []
    curve = points(series)
    traces = []
    if len(series.worlds) > 1:
        traces.append(_range(curve))
    shown, further = reference_names(references)
    styles = _styles(shown, further)
    traces += [
        _reference(name, series.segments, references, styles[name], visible=name in shown)
        for name in [*shown, *further]
    ]
    traces.append(_mean(curve, references, shown, series.labelled))
    if segments and len(segments) <= MAX_BANDS:
        traces.append(_strip(segments, colours))
    return {"data": traces, "layout": _layout(segments, colours, curve, references)}


def _layout(
    segments: Sequence[Segment], colours: dict[str, str], curve: Sequence[Point], references: References
) -> dict[str, Any]:
    base = layout(height=460, y_title="reward per step", shapes=bands(segments, colours))
    base["showlegend"] = True
    base["legend"] = {"orientation": "h", "x": 0, "y": 1.03, "yanchor": "bottom", "font": {"size": 12}}
    base["uniformtext"] = {"mode": "hide", "minsize": 8}
    base["xaxis"] |= {
        "title": {"text": "steps of each world", "standoff": 8},
        "showspikes": True,
        "spikemode": "across",
        "spikethickness": 1,
        "spikedash": "solid",
        "spikecolor": "#8b919a",
    }
    if segments:
        base["xaxis"]["range"] = [segments[0].first, max(segment.last for segment in segments) + 1]
    lowest = [point.low for point in curve if point.low is not None]
    lowest += [value for levels in references.values() for value in levels.values()]
    base["yaxis"] |= {
        "domain": [0, 0.92 if segments else 1],
        "rangemode": "tozero" if min(lowest, default=0) >= 0 else "normal",
    }
    base["yaxis2"] = {"domain": [0.94, 1], "range": [0, 1], "visible": False, "fixedrange": True}
    return base


def _range(curve: Sequence[Point]) -> dict[str, Any]:
    """One polygon for each stretch of windows that have a value, so that gaps stay gaps."""
    x: list[float | None] = []
    y: list[float | None] = []
    for stretch in _stretches(curve):
        there = [(point.middle, point.high) for point in stretch]
        back = [(point.middle, point.low) for point in reversed(stretch)]
        x += [middle for middle, _ in there + back] + [None]
        y += [_short(value) for _, value in there + back] + [None]
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "fill": "toself",
        "fillcolor": MEAN_RANGE,
        "line": {"width": 0},
        "mode": "lines",
        "name": "range over worlds",
        "hoverinfo": "skip",
    }


def _stretches(curve: Sequence[Point]) -> list[list[Point]]:
    stretches: list[list[Point]] = [[]]
    for point in curve:
        if point.mean is not None:
            stretches[-1].append(point)
        elif stretches[-1]:
            stretches.append([])
    return [stretch for stretch in stretches if stretch]


def _mean(
    curve: Sequence[Point], references: References, shown: Sequence[str], labelled: bool
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [point.middle for point in curve],
        "y": [_short(point.mean) for point in curve],
        "mode": "lines" if len(curve) > 1 else "markers",
        "line": {"color": MEAN, "width": 2.2},
        "name": "mean reward",
        "legendrank": 1,
        "customdata": [_hover(point, references, shown, labelled) for point in curve],
        "hovertemplate": "%{customdata}<extra></extra>",
        "connectgaps": False,
    }


def _hover(point: Point, references: References, shown: Sequence[str], labelled: bool) -> str:
    window = point.window
    lines = [f"<b>{level(point.mean)}</b> mean reward"]
    if point.low is not None and point.low != point.high:
        lines.append(f"worlds {level(point.low)} to {level(point.high)}")
    lines.append(f"steps {count(window.first)} to {count(window.last)}")
    if labelled:
        lines.append(f"in {_title(window.segment)}, segment {window.segment.number + 1}")
    known = {} if window.drifting else references.get(window.segment.identity, {})
    lines += [f"{escape(spoken(name))} {level(known[name])}" for name in shown if name in known]
    return "<br>".join(lines)


def _reference(
    name: str, segments: Sequence[Segment], references: References, style: tuple[str, str], *, visible: bool
) -> dict[str, Any]:
    """A level for each segment; none while a drift lasts, because nothing was measured between two regimes."""
    x: list[float | None] = []
    y: list[float | None] = []
    for segment in segments:
        known = references.get(segment.identity, {}).get(name)
        first = segment.first if segment.drift_last is None else segment.drift_last + 1
        if known is None or first > segment.last:
            x, y = [*x, None], [*y, None]
        else:
            if first != segment.first:
                x, y = [*x, None], [*y, None]
            x, y = [*x, first, segment.last + 1], [*y, _short(known), _short(known)]
    colour, dash = style
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {"color": colour, "width": 1.6, "dash": dash},
        "name": escape(spoken(name)),
        "visible": True if visible else "legendonly",
        "hoverinfo": "skip",
        "connectgaps": False,
    }


def _styles(shown: Sequence[str], further: Sequence[str]) -> dict[str, tuple[str, str]]:
    others = [name for name in [*shown, *further] if name not in REFERENCE_STYLES]
    styles = {name: FURTHER_REFERENCES[index % len(FURTHER_REFERENCES)] for index, name in enumerate(others)}
    return REFERENCE_STYLES | styles


def _strip(segments: Sequence[Segment], colours: dict[str, str]) -> dict[str, Any]:
    """The schedule as labelled blocks above the curve; plotly hides the labels that don't fit."""
    return {
        "type": "bar",
        "x": [(segment.first + segment.last + 1) / 2 for segment in segments],
        "width": [segment.last + 1 - segment.first for segment in segments],
        "y": [1] * len(segments),
        "yaxis": "y2",
        "marker": {"color": [colours[segment.identity] for segment in segments], "line": {"width": 0}},
        "text": [_title(segment) for segment in segments],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": "#14171c", "size": 12},
        "constraintext": "inside",
        "hovertext": [
            f"<b>{_title(segment)}</b>, segment {segment.number + 1}<br>"
            f"steps {count(segment.first)} to {count(segment.last)}"
            for segment in segments
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
        "name": "regimes",
    }


def _title(segment: Segment) -> str:
    if segment.identity == segment.regime_id:
        return escape(segment.regime_id)
    return f"{escape(segment.regime_id)} (= {escape(segment.identity)})"


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")
