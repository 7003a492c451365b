"""The guide on serving a world names what is not simulated, and what it tells an operator to type works."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.env.morpheus.server import surface

ROW = re.compile(r"^\| ((?:`[A-Z]+` ?)+)\| `(/\{worldId\}/[^`]*)` \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/guides/serve-a-world.md").read_text("utf-8")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """Where a server with a state directory answers."""
    command = [sys.executable, "-m", "skyfall_crl.cli.main", "morpheus", "serve", "--port", "0"]
    process = subprocess.Popen([*command, "--state", str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process.stdout.readline().split()[-1]
    process.terminate()
    assert process.wait(20) == 0
    process.stdout.close()


def ask(method: str, url: str, content: str | None = None) -> Any:
    headers = {"Content-Type": "application/json"}
    data = None if content is None else content.encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
        return json.load(answer)


def test_the_page_lists_exactly_what_is_not_simulated(page: str) -> None:
    listed = {
        f"{method} {path}" for methods, path in ROW.findall(page) for method in re.findall(r"[A-Z]+", methods)
    }
    missing = {operation.key for operation in surface.unanswered()}
    assert listed == missing
    assert f"{len(surface.answered())} are answered. These {len(missing)} answer 501" in page


def test_the_world_of_the_page_is_created_backed_up_and_brought_back(page: str, served: str) -> None:
    (body,) = re.findall(r"-d '(\{\"name\".*\})'", page)
    world = ask("POST", f"{served}/world", body)["world"]["_id"]
    ask("POST", f"{served}/sim/worlds/{world}/advance")
    state = ask("POST", f"{served}/sim/worlds/{world}/snapshot")["data"]["state"]
    before = ask("GET", f"{served}/sim/worlds/{world}/digest")
    ask("POST", f"{served}/sim/worlds/{world}/advance")
    assert ask("GET", f"{served}/sim/worlds/{world}/digest") != before
    ask("POST", f"{served}/sim/worlds/{world}/restore", json.dumps({"state": state}))
    assert ask("GET", f"{served}/sim/worlds/{world}/digest") == before


def test_the_doctor_finds_a_served_simulator_that_lacks_nothing(served: str) -> None:
    command = [sys.executable, "-m", "skyfall_crl.cli.main", "morpheus", "doctor", served]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert re.search(r"clock +steps", found)
    assert re.search(r"lacking +nothing", found)
