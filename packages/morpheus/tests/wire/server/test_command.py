"""`skyfall-crl morpheus serve` serves until it is told to stop, and says in one line what keeps it from it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.cli.main import main

pytestmark = pytest.mark.floor


def test_it_says_where_it_serves_and_ends_when_asked(run_child: Callable[..., Any], tmp_path: Path) -> None:
    child, client = run_child("--state", str(tmp_path), "--token", "${env:CANARY}", CANARY="canary")
    assert client.raw("GET", "/sim")[0] == 401
    client.headers["Authorization"] = "Bearer canary"
    world = client.create()
    client.connection.close()
    code, errors = child.stop()
    assert code == 0
    assert errors == ""
    _, again = run_child("--state", str(tmp_path), SKYFALL_CRL_SERVE_TOKEN="other")
    again.headers["Authorization"] = "Bearer other"
    assert again.ask("GET", f"/world/{world}")[0] == 200


def test_without_the_extra_it_says_which_one(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('no', name='uvicorn')")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "skyfall_crl.cli.main", "morpheus", "serve", "--port", "0"]
    ended = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2
    assert "skyfall-crl-morpheus[server]" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--token", "canary"], "--token: expected a reference"),
        (["--token", "${env:NOT_THERE_AT_ALL}"], "NOT_THERE_AT_ALL"),
        (["--host", "0.0.0.0"], "expected --token"),
        (["--host", "203.0.113.7", "--token", "${env:PATH}"], "expected an address that is free"),
    ],
)
def test_what_can_not_be_served_is_a_config_error(arguments: list[str], said: str, capsys: Any) -> None:
    assert main(["morpheus", "serve", "--port", "0", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "canary" not in error
