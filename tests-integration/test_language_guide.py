"""The config of the guide to language models, run against a chat endpoint on a loopback socket."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BLOCK = re.compile(r"^```(\w+)(?: title=\"(\S+)\")?\n(.*?)^```$", re.M | re.S)
ADDRESS = "http://localhost:8000/v1"
KEY = "canary-84b1d7f3"


@pytest.fixture
def model(root: Path) -> Iterator[Any]:
    """The endpoint that the policy's own tests use."""
    pytest.importorskip("skyfall_crl.serve", reason="serving isn't installed here")
    path = root / "packages" / "serve" / "tests" / "chat" / "conftest.py"
    spec = importlib.util.spec_from_file_location("chat_endpoint", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    server = module.Model()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_config_runs_and_each_row_says_what_it_took(
    root: Path, packages: list[Path], model: Any, tmp_path: Path
) -> None:
    """The printed command and config, but for the address; the key reaches the endpoint and no file."""
    text = (root / "docs" / "guides" / "language-models.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    ((title, config),) = [(title, block) for _, title, block in blocks if title]
    (tmp_path / title).write_text(config.replace(ADDRESS, model.url), encoding="utf-8")
    (command,) = [block.split()[1:] for _, _, block in blocks if block.startswith("skyfall-crl run")]
    model.answer = lambda body, number: "It can wait.\nACTION: nothing"
    ours = [] if "SKYFALL_CRL_WHEELS" in os.environ else [str(package / "src") for package in packages]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ours), "CHAT_API_KEY": KEY}
    done = subprocess.run(
        [sys.executable, "-m", "skyfall_crl.cli.main", *command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [
        json.loads(line) for line in (tmp_path / "chat/trace.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [line for line in lines if line["kind"] == "step"]
    assert len(rows) == len(model.asked) == 40
    assert {row["chat"]["cost"] for row in rows} == {100 * 0.5e-6 + 10 * 1.5e-6}
    assert {row["text"] for row in rows} == {"It can wait.\nACTION: nothing"}
    shown = next(block for kind, _, block in blocks if kind == "json")
    assert set(json.loads(shown)["chat"]) <= set(rows[0]["chat"])
    assert set(model.keys) == {f"Bearer {KEY}"}
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY in path.read_text("latin-1")]
