"""The page as a file: complete in itself, escaped, and written for any run."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.ports.errors import TraceError
from skyfall_crl.report import write_report

WriteRun = Callable[..., Path]
MAX_BYTES = 6_000_000


class Page(HTMLParser):
    """Elements with their attributes, the text a reader sees, and the bodies of scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.words: list[str] = []
        self._inside = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in {"script", "style"} else ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append((self.elements[-1][1], data))
        elif self._inside == "style":
            self.styles.append(data)
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        """What a reader sees, with single spaces."""
        return " ".join(" ".join(self.words).split())

    @property
    def figures(self) -> dict[str, Any]:
        """The figures by the id of their script."""
        return {
            str(attributes["id"]): json.loads(body)
            for attributes, body in self.scripts
            if attributes.get("type") == "application/json"
        }


def test_the_page_shows_the_run(write_run: WriteRun) -> None:
    """Header, figures, tables and configuration of a run are all there, and the page stays small."""
    path = write_report(write_run())
    page = Page(path)
    assert path.name == "report.html"
    assert path.stat().st_size < MAX_BYTES
    for words in (
        "morpheus/world",
        "builtin/ppo",
        "completed",
        "Reward over time",
        "By configuration",
        "Visit by visit",
    ):
        assert words in page.text
    assert list(page.figures) == [
        "figure-reward",
        "figure-outcomes",
        "figure-term-0",
        "figure-term-1",
        "figure-term-2",
    ]
    for words in (
        "refused: out of scope",
        "Most frequent actions",
        "remediation weight 0.5",
        '{"capacity": 2}',
    ):
        assert words in page.text
    for words in (
        "skyfall-crl run config.yaml",
        "numpy 2.4.0",
        "layout: process-outbound",
        "the policy is not told",
    ):
        assert words in page.text
    assert "skyfall-crl run --resume" not in page.text


def test_the_page_loads_nothing(write_run: WriteRun) -> None:
    """No element, style or import of the page points to another host; links are files beside it."""
    directory = write_run()
    page = Page(write_report(directory))
    targets = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in {"src", "href", "srcset", "data", "action", "poster"} and value
    ]
    assert {target for target in targets if target != "data:,"} == {
        "config.yaml",
        "trace.jsonl",
        "metrics.json",
    }
    assert not any("src" in attributes for attributes, _ in page.scripts)
    policies = [a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert [str(policy).partition(";")[0] for policy in policies] == ["default-src 'none'"]
    assert not re.search(r"@import|url\(", "".join(page.styles))
    assert not any(
        tag in {"link", "iframe", "img", "object", "embed"}
        for tag, a in page.elements
        if a.get("rel") != "icon"
    )


def test_nothing_in_a_run_becomes_markup(write_run: WriteRun) -> None:
    """A regime, a reason, a term, a config value and a reference that look like HTML stay text."""
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"

    def header(record: dict[str, Any]) -> dict[str, Any]:
        record["config"]["env"]["id"] = evil
        record["config"]["policy"]["kwargs"] = {"note": evil}
        record["environment"] = {"layout": evil, "actions": [evil] * 29}
        record["schedule"]["regimes"][0] |= {"regime_id": evil, "identity": evil, "axes": {evil: evil}}
        record["references"] = {evil: {"random": 0.1, evil: 0.5}}
        record["reward_spec"] = {"name": evil, "version": 1, "terms": [{"name": evil, "weight": 1.0}]}
        return record | {"run_id": evil, "versions": {evil: evil}, "created": evil}

    def change(row: dict[str, Any]) -> dict[str, Any]:
        outcome = {"accepted": False, "reason": evil}
        return row | {
            "regime_id": evil,
            "regime_identity": evil,
            "reward_terms": {evil: 0.5},
            "outcome": outcome,
        }

    directory = write_run(worlds=2, steps=120, header=header, change=change)
    usual = Page(write_report(write_run(worlds=2, steps=120, name="usual")))
    page = Page(write_report(directory, status=evil))
    assert evil in page.text
    assert not any(tag == "img" for tag, _ in page.elements)
    assert len(page.scripts) == len(page.figures) + 2
    assert len(usual.scripts) == len(usual.figures) + 2
    assert not any("onerror" in attributes for _, attributes in page.elements)
    assert evil not in json.dumps(page.figures)


@pytest.mark.parametrize("status", ["interrupted", "failed"])
def test_a_run_that_stopped_says_so_and_how_to_go_on(write_run: WriteRun, status: str) -> None:
    """After a few rows there is a page already, with the command that resumes."""
    directory = write_run(worlds=2, change=lambda row: row if row["step"] < 3 else None)
    page = Page(write_report(directory, status=status))
    assert ("span", {"class": f"status {status}"}) in page.elements
    assert "3 of 1,200 steps" in page.text
    assert "skyfall-crl run --resume ." in page.text


def test_a_run_without_a_row_has_a_page(write_run: WriteRun) -> None:
    """No figure, no library, but what was configured."""
    page = Page(write_report(write_run(change=lambda row: None, score=False), status="failed"))
    assert "No step was recorded." in page.text
    assert "layout: process-outbound" in page.text
    assert page.figures == {}
    assert page.scripts == []


def test_a_bare_trace_has_a_page(write_run: WriteRun) -> None:
    """Step and reward are enough: no header, no config, no scores, no outcome, no terms, one world."""

    def bare(row: dict[str, Any]) -> dict[str, Any]:
        return {"step": row["step"], "reward": row["reward"]}

    directory = write_run(worlds=1, steps=200, header=lambda record: None, change=bare, score=False)
    page = Page(write_report(directory))
    assert list(page.figures) == ["figure-reward"]
    assert "does not report what became of an action" in page.text
    assert "The environment reports nothing about itself." in page.text
    assert "metrics.json is missing" in page.text
    assert "By configuration" not in page.text


def test_a_scored_run_without_regimes_has_a_page(write_run: WriteRun) -> None:
    """One unlabelled segment: a row of scores, most of them reasons, and no visits."""

    def unlabelled(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"regime_id": None, "regime_identity": None}

    def header(record: dict[str, Any]) -> dict[str, Any]:
        return record | {
            "schedule": None,
            "references": {},
            "reward_spec": None,
            "environment": {"reported": False},
        }

    page = Page(write_report(write_run(worlds=1, steps=300, header=header, change=unlabelled)))
    assert "no upper bound" in page.text
    assert "no shift" in page.text
    assert "Visit by visit" not in page.text
    assert page.figures["figure-reward"]["layout"].get("shapes", []) == []


def test_rewards_that_are_all_missing_leave_an_empty_curve(write_run: WriteRun) -> None:
    """Null rewards are no zeros."""
    page = Page(write_report(write_run(worlds=1, steps=100, change=lambda row: row | {"reward": None})))
    curve = next(trace for trace in page.figures["figure-reward"]["data"] if trace["name"] == "mean reward")
    assert set(curve["y"]) == {None}
    assert "a reward is missing" in page.text


def test_secrets_stay_references(write_run: WriteRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page shows a config as it is stored, and resolves nothing."""
    monkeypatch.setenv("API_KEY", "canary-7f3a")
    text = write_report(write_run(worlds=1, steps=50, score=False)).read_text(encoding="utf-8")
    assert "${env:API_KEY}" in text
    assert "canary-7f3a" not in text


def test_a_new_page_replaces_the_old_one_whole(write_run: WriteRun) -> None:
    """Nothing else is left in the directory, and equal input gives an equal page."""
    directory = write_run(worlds=1, steps=50)
    first = write_report(directory).read_bytes()
    before = sorted(path.name for path in directory.iterdir())
    assert write_report(directory).read_bytes() == first
    assert sorted(path.name for path in directory.iterdir()) == before


def test_a_missing_trace_is_an_error(tmp_path: Path) -> None:
    """Without a trace there is nothing to show."""
    with pytest.raises(TraceError, match=r"trace\.jsonl"):
        write_report(tmp_path)


def test_importing_the_report_imports_no_drawing_library(run_python: Callable[..., Any]) -> None:
    """Plotly and jinja2 come with the first page, not with the function that writes it."""
    program = "import sys, skyfall_crl.report as report; report.write_report; print({'plotly', 'jinja2'} & "
    done = run_python(program + "set(sys.modules))")
    assert done.stdout.strip() == "set()", done.stderr
