"""Puts a run's figures, tables and sentences on one HTML page that needs no network."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skyfall_crl.metrics.parameters import default_window
from skyfall_crl.metrics.plan import shortest_planned
from skyfall_crl.report.cells import glossary
from skyfall_crl.report.collect import collect
from skyfall_crl.report.configured import (
    commands,
    config_text,
    files,
    provenance_table,
    reward_table,
    schedule_table,
    schedule_words,
    yaml_text,
)
from skyfall_crl.report.evaluations import evaluation_table
from skyfall_crl.report.figure import References, reward_figure
from skyfall_crl.report.palette import MAX_BANDS, Drawing
from skyfall_crl.report.panels import ACCEPTED_PLAINLY, outcomes_figure, term_figure, term_names
from skyfall_crl.report.scores import Scores, read_scores
from skyfall_crl.report.series import NOT_REPORTED, RunSeries
from skyfall_crl.report.summary import cautions, facts, part_name, summary
from skyfall_crl.report.tables import action_table, identity_table, outcome_table, visit_table
from skyfall_crl.report.wording import moment, plural, spoken
from skyfall_crl.trace.reader import read_header

STATUSES = ("completed", "interrupted", "failed")
OPEN_VISITS = 24


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as JSON that is safe inside a script element."""

    name: str
    json: str


@dataclass(frozen=True, slots=True)
class Term:
    """A panel of one reward term; `note` says its weight."""

    title: str
    note: str
    figure: Figure


def write_report(directory: Path, *, status: str = "completed") -> Path:
    """Write `report.html` from the `trace.jsonl`, `metrics.json` and `config.yaml` of a run directory.

    Only the trace has to be there; what else is missing is said on the page. `status` is `completed`,
    `interrupted` or `failed`. Returns the path of the page, which replaces an older one as a whole. Raises
    TraceError when the trace or the scores can't be read.
    """
    trace = directory / "trace.jsonl"
    header = read_header(trace)
    scores = read_scores(directory / "metrics.json")
    width = scores.window if scores is not None else default_window(shortest_planned(header) or 0)
    series = collect(trace, width=width)
    page = render("report.html.j2", _context(directory, header, scores, series, status))
    return replace_page(directory / "report.html", page)


def render(template: str, context: Mapping[str, Any]) -> str:
    """Fill one of this package's templates; text in it is escaped, and a name it misses is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("skyfall_crl.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(context)


def _context(
    directory: Path, header: Mapping[str, Any], scores: Scores | None, series: RunSeries, status: str
) -> dict[str, Any]:
    config = header.get("config") or {}
    figures = _figures(series, _references(header, scores))
    terms = _terms(series, header)
    return {
        "title": part_name(config, "env") or directory.resolve().name,
        "policy": part_name(config, "policy"),
        "algorithm": part_name(config, "algorithm"),
        "seed": header.get("seed"),
        "run_id": header.get("run_id"),
        "created": moment(str(header.get("created") or "")),
        "status": status,
        "status_class": status if status in STATUSES else "interrupted",
        "summary": " ".join(summary(series, scores, header, status)),
        "cautions": cautions(series, scores, header),
        "facts": facts(series, scores) if series.rows else [],
        "figures": figures,
        "terms": terms,
        "plotly": plotly_source() if figures or terms else None,
        "caption": _caption(series),
        **_tables(series, scores, header),
        **_configured(directory, header, status),
    }


def _references(header: Mapping[str, Any], scores: Scores | None) -> References:
    """The levels the environment knows; failing that, the bounds that the run was scored against."""
    known: References = header.get("references") or {}
    if known or scores is None:
        return known
    levels = {
        identity: {scores.lower_title: found.lower, scores.upper_title: found.upper}
        for identity, found in scores.identities.items()
    }
    return {
        identity: {name: level for name, level in named.items() if level is not None}
        for identity, named in levels.items()
    }


def _figures(series: RunSeries, references: References) -> dict[str, Figure]:
    if not series.rows:
        return {}
    found = {"reward": embedded_figure("reward", reward_figure(series, references))}
    if series.outcomes.keys() - {ACCEPTED_PLAINLY, NOT_REPORTED}:
        found["outcomes"] = embedded_figure("outcomes", outcomes_figure(series))
    return found


def _terms(series: RunSeries, header: Mapping[str, Any]) -> list[Term]:
    spec = header.get("reward_spec") or {}
    weights = {str(term.get("name")): term.get("weight") for term in spec.get("terms") or ()}
    return [
        Term(
            spoken(name),
            f"weight {weights[name]:g}" if weights.get(name) is not None else "",
            embedded_figure(f"term-{number}", term_figure(series, name)),
        )
        for number, name in enumerate(term_names(series))
    ]


def _tables(series: RunSeries, scores: Scores | None, header: Mapping[str, Any]) -> dict[str, Any]:
    identities = identity_table(scores, series) if scores is not None else None
    evaluations = evaluation_table(scores, series) if scores is not None else None
    environment = header.get("environment") or {}
    return {
        "identities": identities,
        "evaluations": evaluations,
        "evaluation_glossary": glossary(evaluations) if evaluations is not None else [],
        "visits": visit_table(scores, series) if scores is not None and len(scores.visits) > 1 else None,
        "visits_open": scores is not None and len(scores.visits) <= OPEN_VISITS,
        "glossary": glossary(identities) if identities is not None else [],
        "outcomes": outcome_table(series),
        "outcomes_reported": any(outcome.accepted is not None for outcome in series.outcomes),
        "confirmed": series.confirmed,
        "sent": series.sent,
        "actions": action_table(series, environment.get("actions")),
    }


def _configured(directory: Path, header: Mapping[str, Any], status: str) -> dict[str, Any]:
    environment = header.get("environment") or {"reported": False}
    return {
        "config_yaml": config_text(directory, header),
        "environment_yaml": "" if environment.get("reported") is False else yaml_text(environment),
        "reward_spec": reward_table(header),
        "reward_name": (header.get("reward_spec") or {}).get("name"),
        "schedule": schedule_table(header),
        "schedule_words": schedule_words(header),
        "provenance": provenance_table(header),
        "files": files(directory),
        "commands": commands(directory, status),
    }


def _caption(series: RunSeries) -> str:
    worlds = len(series.worlds)
    parts = [f"Each point is the mean of up to {plural(series.width, 'step')}"]
    if worlds > 1:
        parts.append(f" over {worlds} worlds; the blue band spans the lowest and the highest world")
    sentences = ["".join(parts) + "."]
    if series.labelled:
        if len(series.segments) > MAX_BANDS:
            sentences.append("There are too many shifts to draw the configurations behind the curve.")
        else:
            sentences.append("Colours behind the curve are the configurations in force.")
        if any(segment.drift_last is not None for segment in series.segments):
            sentences.append("Grey stretches are drifts, in which no reference was measured.")
    sentences.append("Drag to zoom, double-click to return, click the legend to show or hide a line.")
    return " ".join(sentences)


def embedded_figure(name: str, drawing: Drawing) -> Figure:
    """Check a figure and write it as JSON in which no text can end the script element around it."""
    from plotly.graph_objects import Figure as PlotlyFigure

    text = str(PlotlyFigure(drawing).to_json())
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Figure(name, text)


def plotly_source() -> str:
    """Return the plotting library itself, to stand in a page."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def replace_page(path: Path, page: str) -> Path:
    """Write a page in place of an older one as a whole, and return its path."""
    temporary = path.with_name(f".{path.name}.partial")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(page)
        file.flush()
        os.fsync(file.fileno())
    return temporary.replace(path)
