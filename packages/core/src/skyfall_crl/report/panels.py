"""The small figures: what became of actions over time, and one panel for each reward term."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle, repeat

from skyfall_crl.report.palette import (
    ACCEPTED,
    MEAN,
    NEUTRAL,
    REFUSED,
    Drawing,
    bands,
    identity_colours,
    layout,
)
from skyfall_crl.report.series import NOT_REPORTED, Outcome, RunSeries, Window
from skyfall_crl.report.wording import count, level, share, spoken

MAX_BARS = 60
ACCEPTED_PLAINLY = Outcome(True, None)


@dataclass(frozen=True, slots=True)
class OutcomeKind:
    """Outcomes that are shown as one: their name, colour and number of steps."""

    outcomes: tuple[Outcome, ...]
    title: str
    colour: str
    steps: int

    def among(self, found: Counter[Outcome]) -> int:
        """How many of the outcomes found are of this kind."""
        return sum(found[outcome] for outcome in self.outcomes)


def outcome_kinds(series: RunSeries) -> list[OutcomeKind]:
    """Order outcomes for stacking: accepted first, then refused by frequency, then what nobody knows."""
    found = series.outcomes
    ordered = sorted(found, key=lambda outcome: (-found[outcome], outcome.reason or ""))
    accepted = [(outcome,) for outcome in ordered if outcome.accepted]
    refused = [(outcome,) for outcome in ordered if outcome.accepted is False]
    unknown = [(outcome,) for outcome in ordered if outcome.accepted is None]
    rest: tuple[Outcome, ...] = ()
    if len(refused) > len(REFUSED):
        rest = tuple(outcome for (outcome,) in refused[len(REFUSED) - 1 :])
        refused = refused[: len(REFUSED) - 1]
    coloured = [
        *zip(accepted, cycle(ACCEPTED), strict=False),
        *zip([*refused, rest] if rest else refused, REFUSED, strict=False),
        *zip(unknown, repeat(NEUTRAL), strict=False),
    ]
    return [
        OutcomeKind(
            outcomes,
            "refused: other reasons" if outcomes is rest else _title(outcomes[0]),
            colour,
            sum(found[outcome] for outcome in outcomes),
        )
        for outcomes, colour in coloured
    ]


def outcomes_figure(series: RunSeries) -> Drawing:
    """Stack the shares of all outcomes but plain acceptance, one bar a stretch of steps within a segment."""
    stretches = _stretches(series.windows)
    base = layout(height=220, y_title="share of actions", shapes=())
    base |= {"barmode": "stack", "showlegend": True, "bargap": 0, "hovermode": "closest"}
    base["legend"] = {"orientation": "h", "x": 0, "y": 1.03, "yanchor": "bottom", "traceorder": "normal"}
    base["yaxis"] |= {"tickformat": "~%", "rangemode": "tozero", "nticks": 5}
    base["xaxis"]["title"] = {"text": "steps of each world", "standoff": 8}
    traces = []
    for kind in outcome_kinds(series):
        if kind.outcomes == (ACCEPTED_PLAINLY,):
            continue
        title = escape(kind.title)
        traces.append(
            {
                "type": "bar",
                "x": [(first + last + 1) / 2 for first, last, _ in stretches],
                "width": [last + 1 - first for first, last, _ in stretches],
                "y": [round(kind.among(found) / found.total(), 5) for _, _, found in stretches],
                "customdata": [
                    f"<b>{title}</b><br>{share(kind.among(found), found.total())} of steps "
                    f"{count(first)} to {count(last)}"
                    for first, last, found in stretches
                ],
                "hovertemplate": "%{customdata}<extra></extra>",
                "marker": {"color": kind.colour, "line": {"width": 0.5, "color": "rgba(255,255,255,0.35)"}},
                "name": title,
            }
        )
    return {"data": traces, "layout": base}


def term_names(series: RunSeries) -> list[str]:
    """Return the reward terms of the trace in the order they were met."""
    return list(dict.fromkeys(name for window in series.windows for name in window.terms))


def term_figure(series: RunSeries, name: str) -> Drawing:
    """Draw the mean of one unweighted reward term over all worlds."""
    segments = series.segments if series.labelled else []
    base = layout(height=180, y_title=None, shapes=bands(segments, identity_colours(series.identities)))
    base["yaxis"] |= {"rangemode": "tozero", "nticks": 5}
    base["xaxis"]["nticks"] = 6
    curve = [
        (window, tally.mean)
        for window in series.windows
        if (tally := window.terms.get(name)) is not None and tally.mean is not None
    ]
    line = {
        "type": "scatter",
        "x": [(window.first + window.last + 1) / 2 for window, _ in curve],
        "y": [float(f"{mean:.5g}") for _, mean in curve],
        "mode": "lines" if len(curve) > 1 else "markers",
        "line": {"color": MEAN, "width": 1.8},
        "customdata": [
            f"<b>{level(mean)}</b><br>steps {count(window.first)} to {count(window.last)}"
            for window, mean in curve
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "name": escape(spoken(name)),
    }
    return {"data": [line], "layout": base}


def _stretches(windows: Sequence[Window]) -> list[tuple[int, int, Counter[Outcome]]]:
    """Join neighbouring windows of a segment until about `MAX_BARS` stretches are left."""
    together = -(-len(windows) // MAX_BARS)
    joined: list[tuple[int, int, Counter[Outcome]]] = []
    held = 0
    segment = None
    for window in windows:
        if window.segment is segment and held < together:
            first, last, found = joined[-1]
            joined[-1] = (first, max(last, window.last), found + window.outcomes)
            held += 1
        else:
            joined.append((window.first, window.last, Counter(window.outcomes)))
            segment, held = window.segment, 1
    return joined


def _title(outcome: Outcome) -> str:
    if outcome == NOT_REPORTED:
        return "not reported"
    if outcome.accepted is None:
        return spoken(outcome.reason or "unknown")
    word = "accepted" if outcome.accepted else "refused"
    return f"{word}: {spoken(outcome.reason)}" if outcome.reason else word
