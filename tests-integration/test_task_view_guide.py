"""The task view that the guide writes, made from the page itself: tried out as it says, and run by a config."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.M | re.S)
COMMAND = re.compile(r"^skyfall-crl (.*)$", re.M)


@pytest.fixture
def page(root: Path) -> str:
    """The guide."""
    pytest.importorskip("skyfall_crl.env.morpheus", reason="the adapter isn't installed here")
    return (root / "docs" / "guides" / "write-a-task-view.md").read_text(encoding="utf-8")


@pytest.fixture
def run(page: str, tmp_path: Path, packages: list[Path]) -> Callable[..., str]:
    """Run a program or a command beside the files of the guide and return its output."""
    for name, text in FILE.findall(page):
        (tmp_path / name).write_text(text, encoding="utf-8")
    ours = [] if "SKYFALL_CRL_WHEELS" in os.environ else [str(package / "src") for package in packages]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ours)}

    def call(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


def test_the_view_keeps_the_rules_and_mends_what_it_claims(run: Callable[..., str]) -> None:
    """The program of the guide tries the view out and fails by itself where it breaks a rule."""
    assert re.fullmatch(r"[1-9]\d* invoices mended\n", run("try_clerk.py"))


def test_the_view_runs_by_the_id_the_config_names(page: str, run: Callable[..., str], tmp_path: Path) -> None:
    """The printed command trains an agent on the view's own features and actions."""
    (command,) = COMMAND.findall(page)
    run("-m", "skyfall_crl.cli.main", *command.split(), "run.steps=64")
    lines = [json.loads(line) for line in (tmp_path / "clerk/trace.jsonl").read_text().splitlines()]
    rows = [line for line in lines if line["kind"] == "step"]
    assert len(rows) == 128
    assert {row["action"] for row in rows} <= set(range(5))
    assert any(row["outcome"].get("tickets") for row in rows)
