"""Colours and the plain layout that every figure of a report starts from."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from skyfall_crl.report.series import Segment
from skyfall_crl.trace.columns import UNLABELLED

Drawing: TypeAlias = dict[str, Any]
"""A plotly figure as plain data: `data`, a list of traces, and `layout`."""

MEAN = "#2480c0"
MEAN_RANGE = "rgba(36, 128, 192, 0.24)"
NEUTRAL = "#8b919a"
DRIFT = "rgba(120, 120, 130, 0.22)"
GRID = "rgba(128, 134, 144, 0.22)"

# Okabe and Ito's set, which stays apart in every common form of colour blindness; blue is the reward's own.
OKABE_ITO = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#999999")
REFERENCE_STYLES = {
    "random": ("#767d87", "dash"),
    "informed": ("#D55E00", "solid"),
    "bound": ("#CC5A9A", "dot"),
}
FURTHER_REFERENCES = (
    ("#009E73", "dashdot"),
    ("#E69F00", "longdash"),
    ("#56B4E9", "longdashdot"),
    ("#CC79A7", "dash"),
    ("#0072B2", "dot"),
    ("#767d87", "solid"),
)
REFUSED = ("#D55E00", "#E69F00", "#CC79A7", "#F0E442")
ACCEPTED = ("#2480c0", "#56B4E9", "#009E73")

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
MAX_BANDS = 400


def identity_colours(identities: Sequence[str]) -> dict[str, str]:
    """Give every identity its colour, in the order they were met; the set repeats after seven."""
    named = [identity for identity in identities if identity != UNLABELLED]
    colours = {name: OKABE_ITO[index % len(OKABE_ITO)] for index, name in enumerate(named)}
    colours[UNLABELLED] = NEUTRAL
    return colours


def translucent(colour: str, alpha: float) -> str:
    """Return a `#rrggbb` colour with an opacity in [0, 1]."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha})"


def bands(segments: Sequence[Segment], colours: dict[str, str]) -> list[dict[str, Any]]:
    """Return the background shapes of a figure: one tint a segment, a darker one over each drift."""
    if len(segments) > MAX_BANDS:
        return []
    shapes = []
    for segment in segments:
        shapes.append(
            _rectangle(segment.first, segment.last + 1, translucent(colours[segment.identity], 0.14))
        )
        if segment.drift_last is not None:
            shapes.append(_rectangle(segment.first, segment.drift_last + 1, DRIFT))
    return shapes


def layout(*, height: int, y_title: str | None, shapes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a layout without a background of its own, so that the page's theme shows through."""
    axis = {
        "showgrid": True,
        "gridcolor": GRID,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "automargin": True,
        "ticklabelstandoff": 4,
    }
    return {
        "template": "none",
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "font": {"family": FONT, "size": 12, "color": "#5b626d"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "x",
        "hoverlabel": {
            "bgcolor": "#20252c",
            "bordercolor": "#20252c",
            "font": {"color": "#ffffff", "size": 12},
            "align": "left",
        },
        "dragmode": "zoom",
        "showlegend": False,
        "shapes": list(shapes),
        "xaxis": axis | {"showgrid": False, "separatethousands": True, "exponentformat": "none"},
        "yaxis": axis | {"title": {"text": y_title, "standoff": 8}, "nticks": 7},
    }


def _rectangle(first: float, end: float, colour: str) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "y domain",
        "x0": first,
        "x1": end,
        "y0": 0,
        "y1": 1,
        "fillcolor": colour,
        "line": {"width": 0},
        "layer": "below",
    }
