"""The main figure and the small ones, as plotly takes them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from skyfall_crl.report.collect import collect
from skyfall_crl.report.figure import reward_figure
from skyfall_crl.report.palette import MAX_BANDS, OKABE_ITO, Drawing
from skyfall_crl.report.panels import outcome_kinds, outcomes_figure, term_figure, term_names
from skyfall_crl.report.series import RunSeries

WriteRun = Callable[..., Path]
LEVELS = {
    "A": {"random": 0.1, "informed": 0.6, "bound": 0.7},
    "B": {"random": 0.2, "informed": 0.5, "odd": 0.3},
}


def series_of(directory: Path) -> RunSeries:
    return collect(directory / "trace.jsonl", width=20)


def trace_named(drawing: Drawing, name: str) -> dict[str, Any]:
    return next(trace for trace in drawing["data"] if trace["name"] == name)


def rows_trace(path: Path, rows: list[dict[str, Any]]) -> RunSeries:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return collect(path, width=2)


@pytest.fixture
def series(write_run: WriteRun) -> RunSeries:
    """Two worlds, four segments of 60 steps."""
    return series_of(write_run(worlds=2, steps=240, regimes=(("A", 60), ("B", 60)), score=False))


def test_plotly_accepts_every_figure(series: RunSeries) -> None:
    """The plain data are valid figures for the library that draws them."""
    for drawing in (reward_figure(series, LEVELS), outcomes_figure(series), term_figure(series, "financial")):
        assert len(go.Figure(drawing).data) == len(drawing["data"])


def test_a_point_is_the_mean_over_worlds_and_the_band_their_range(tmp_path: Path) -> None:
    """Two worlds at .2 and .6 make a point at .4 between .2 and .6."""
    rows = [
        {"step": step, "world": world, "reward": reward}
        for step in range(4)
        for world, reward in (("w0", 0.2), ("w1", 0.6))
    ]
    drawing = reward_figure(rows_trace(tmp_path / "t.jsonl", rows), {})
    assert trace_named(drawing, "mean reward")["y"] == [0.4, 0.4]
    assert trace_named(drawing, "mean reward")["x"] == [1, 3]
    assert set(trace_named(drawing, "range over worlds")["y"]) == {0.2, 0.6, None}


def test_references_follow_the_regime_in_force(series: RunSeries) -> None:
    """A reference is a step line over the segments, with a gap where it has no level."""
    drawing = reward_figure(series, LEVELS)
    random = trace_named(drawing, "random")
    assert random["x"] == [0, 60, 60, 120, 120, 180, 180, 240]
    assert random["y"] == [0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2]
    assert random["line"]["dash"] == "dash"
    assert trace_named(drawing, "bound")["y"] == [0.7, 0.7, None, 0.7, 0.7, None]
    assert trace_named(drawing, "odd")["visible"] == "legendonly"


def test_references_pause_while_a_drift_lasts(write_run: WriteRun) -> None:
    """Between two regimes nothing was measured, so no line is drawn; the drift is shaded."""
    directory = write_run(worlds=1, steps=120, regimes=(("A", 60), ("B", 60)), drift_window=21, score=False)
    drawing = reward_figure(series_of(directory), LEVELS)
    assert trace_named(drawing, "informed")["x"] == [0, 60, None, 80, 120]
    hovers = trace_named(drawing, "mean reward")["customdata"]
    assert ["informed" in hover for hover in hovers] == [True, True, True, False, True, True]
    assert [(shape["x0"], shape["x1"]) for shape in drawing["layout"]["shapes"]] == [
        (0, 60),
        (60, 120),
        (60, 80),
    ]


def test_an_identity_keeps_its_colour_in_bands_and_strip(series: RunSeries) -> None:
    """Every visit of a regime looks alike, and two regimes differ."""
    drawing = reward_figure(series, {})
    strip = trace_named(drawing, "regimes")
    assert strip["marker"]["color"] == [OKABE_ITO[0], OKABE_ITO[1]] * 2
    assert strip["text"] == ["A", "B", "A", "B"]
    fills = [shape["fillcolor"] for shape in drawing["layout"]["shapes"]]
    assert fills == fills[:2] * 2
    assert fills[0] != fills[1]


def test_a_window_without_a_reward_is_a_gap_and_no_zero(tmp_path: Path) -> None:
    """The line breaks, and the range is two polygons."""
    rows: list[dict[str, Any]] = [
        {"step": step, "world": world, "reward": 0.5} for step in range(6) for world in ("w0", "w1")
    ]
    for row in rows[4:8]:
        row |= {"reward": None, "reward_invalid": "nan"}
    drawing = reward_figure(rows_trace(tmp_path / "t.jsonl", rows), {})
    assert trace_named(drawing, "mean reward")["y"] == [0.5, None, 0.5]
    assert trace_named(drawing, "range over worlds")["y"].count(None) == 2


def test_a_run_without_regimes_has_no_bands(tmp_path: Path) -> None:
    """Nothing is coloured where nothing was labelled, and a single world has no range."""
    drawing = reward_figure(
        rows_trace(tmp_path / "t.jsonl", [{"step": step, "reward": 1} for step in range(9)]), {}
    )
    assert [trace["name"] for trace in drawing["data"]] == ["mean reward"]
    assert drawing["layout"]["shapes"] == []


def test_more_shifts_than_can_be_seen_are_not_drawn(tmp_path: Path) -> None:
    """Hundreds of bands would be a smear and a large page."""
    rows = [{"step": step, "reward": 1, "regime_id": "AB"[step % 2]} for step in range(MAX_BANDS + 1)]
    drawing = reward_figure(rows_trace(tmp_path / "t.jsonl", rows), {})
    assert drawing["layout"]["shapes"] == []
    assert [trace["name"] for trace in drawing["data"]] == ["mean reward"]


def test_names_cannot_become_markup(tmp_path: Path) -> None:
    """Plotly reads some HTML in its texts, so every name is escaped for it."""
    rows = [
        {
            "step": 0,
            "reward": 1,
            "regime_id": "<b>",
            "reward_terms": {"<i>": 1},
            "outcome": {"accepted": False, "reason": "<u>"},
        }
    ]
    series = rows_trace(tmp_path / "t.jsonl", rows)
    drawings = [
        reward_figure(series, {"<b>": {"<a href=x>": 1}}),
        outcomes_figure(series),
        term_figure(series, "<i>"),
    ]
    text = json.dumps(drawings)
    assert not any(tag in text for tag in ("<i>", "<u>", "<a "))
    assert "&lt;b&gt;, segment 1" in text
    assert trace_named(drawings[0], "regimes")["text"] == ["&lt;b&gt;"]


def test_rare_refusals_are_joined_and_nothing_is_lost(tmp_path: Path) -> None:
    """Reasons beyond the colours share one, and the counts still add up."""
    reasons = [f"reason_{number}" for number in range(7) for _ in range(10 - number)]
    rows = [
        {"step": n, "reward": 1, "outcome": {"accepted": False, "reason": reason}}
        for n, reason in enumerate(reasons)
    ]
    kinds = outcome_kinds(rows_trace(tmp_path / "t.jsonl", rows))
    assert [kind.title for kind in kinds] == [
        *(f"refused: reason {n}" for n in range(3)),
        "refused: other reasons",
    ]
    assert sum(kind.steps for kind in kinds) == len(rows)
    assert len({kind.colour for kind in kinds}) == len(kinds)


def test_outcomes_over_time_are_shares(series: RunSeries) -> None:
    """At each stretch the shares lie in [0, 1], and plain acceptance is what they leave."""
    drawing = outcomes_figure(series)
    assert {trace["name"] for trace in drawing["data"]} == {"refused: rejected", "refused: out of scope"}
    sums = [sum(parts) for parts in zip(*(trace["y"] for trace in drawing["data"]), strict=True)]
    assert all(0 <= total <= 1 for total in sums)
    assert sum(sums) > 0


def test_each_reward_term_has_a_panel(series: RunSeries) -> None:
    """Terms come in the order of the rows, each with its own curve."""
    assert term_names(series) == ["remediation", "financial", "throughput"]
    assert len(term_figure(series, "throughput")["data"][0]["y"]) == len(series.windows)
