"""Every block of the guide to live worlds, run against a stub deployment on a loopback socket."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BLOCK = re.compile(r'^```(console|yaml|python)(?: title="(\S+)")?\n(.*?)^```$', re.M | re.S)
ADDRESS, WORLD = "http://localhost:8282", "65f0c2a1b7e4d3a9c8f01234"
TOKEN = "canary-7f3a91c2"


@pytest.fixture(scope="module")
def stubs(root: Path) -> ModuleType:
    """The module with the stub deployment that the adapter's own tests use."""
    pytest.importorskip("skyfall_crl.env.morpheus", reason="the adapter isn't installed here")
    path = root / "packages" / "morpheus" / "tests" / "http" / "conftest.py"
    spec = importlib.util.spec_from_file_location("stub_deployment", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def stub(stubs: ModuleType) -> Iterator[Any]:
    """A deployment with one world, `stub.world`, which moves on whenever somebody looks at its tickets."""
    server = stubs.StubDeployment()
    server.world = server.worlds.create_world(name="mill", layout="process-outbound", seed=1)
    server.chaos[server.world] = server.worlds.set_chaos(server.world, {})
    for _ in range(60):
        server.worlds.advance(server.world)

    def move_on(request: Any, _: int) -> None:
        if request.target.startswith(f"/{server.world}/tickets"):
            server.worlds.advance(server.world)

    server.fault = move_on
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.stopping.set()
    server.shutdown()
    thread.join()
    server.drop_connections()
    server.server_close()


@pytest.fixture
def shown(root: Path, stub: Any) -> Callable[[str], list[tuple[str, str]]]:
    """Return the blocks of one kind, each with its title, for the address and the world of the stub."""
    text = (root / "docs" / "guides" / "live-world.md").read_text(encoding="utf-8")
    text = text.replace(ADDRESS, stub.url).replace(WORLD, stub.world)

    def find(kind: str) -> list[tuple[str, str]]:
        return [(title, block) for found, title, block in BLOCK.findall(text) if found == kind]

    return find


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Run a program or a command of the guide in an empty folder and return its output."""
    paths = [os.path.abspath(path) for path in sys.path if path]
    if "morpheus" not in entry_points(group="skyfall_crl").names:
        info = tmp_path / "site" / "skyfall_crl_morpheus-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: skyfall-crl-morpheus\nVersion: 0\n")
        (info / "entry_points.txt").write_text("[skyfall_crl]\nmorpheus = skyfall_crl.env.morpheus.plugin\n")
        paths.insert(0, str(info.parent))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MORPHEUS_TOKEN": TOKEN}

    def call(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def typed(console: str) -> list[tuple[list[str], str]]:
    """Return the commands of a console block as words, each with the output below it."""
    parts = re.split(r"^\$ (.*)\n", console, flags=re.M)[1:]
    found = list(zip(map(shlex.split, parts[::2]), parts[1::2], strict=True))
    assert all(words.pop(0) == "skyfall-crl" for words, _ in found)
    return [(["-m", "skyfall_crl.cli.main", *words], output) for words, output in found]


def writes(stub: Any) -> list[str]:
    """Return what reached the stub beyond reads."""
    return [request.target for request in stub.received if request.method != "GET"]


def test_the_guide_shows_what_the_tests_below_run(shown: Callable[..., Any]) -> None:
    """A block that is added is seen here."""
    assert [len(shown(kind)) for kind in ("console", "yaml", "python")] == [4, 1, 1]


def test_the_words_for_operators_print_what_the_guide_shows(
    stub: Any, shown: Callable[..., Any], run: Callable[..., str]
) -> None:
    """The doctor, the list, the section to attach by and the deletion, to the letter but for a duration."""
    world = {"_id": stub.world, "name": "mill", "layout": "process-outbound"}
    stub.reply("GET", "/world/layouts", 200, {"data": [{"id": "process-outbound"}]})
    stub.reply("GET", "/world?limit=100", 200, {"data": {"worlds": [world]}})
    stub.reply("GET", f"/{stub.world}/od/schedules/status", 200, {"data": {"status": "operational"}})
    for _ in range(2):
        stub.reply("GET", f"/world/{stub.world}", 200, {"data": world})
    doctor, worlds, _, deletion = (typed(block) for _, block in shown("console"))
    for words, output in (*doctor, *worlds, *deletion):
        found = run(*words)
        assert TOKEN not in found
        assert re.sub(r"within \S+ s", "within 0.01 s", found) == output
    assert writes(stub) == [f"/world/{stub.world}"]
    assert stub.received[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_the_config_runs_within_its_limits_and_writes_nothing_in_a_dry_run(
    stub: Any, shown: Callable[..., Any], run: Callable[..., str], tmp_path: Path
) -> None:
    """Both commands are run; the audit file says what was held back, and then what was sent."""
    ((title, config),) = shown("yaml")
    (tmp_path / title).write_text(config, encoding="utf-8")
    dry, live = typed(shown("console")[2][1])
    audit = tmp_path / "audit.jsonl"
    run(*dry[0])
    assert "/world/act" not in writes(stub)
    held = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    assert {(line["event"], line["reason"]) for line in held} == {("refused", "dry_run")}
    run(*live[0])
    lines = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()][len(held) :]
    sent = [line for line in lines if line["event"] == "sent"]
    assert 0 < len(sent) == writes(stub).count("/world/act") <= 100
    assert "/world" not in writes(stub)


def test_the_session_that_the_guide_records_replays_without_the_deployment(
    stub: Any, shown: Callable[..., Any], run: Callable[..., str], tmp_path: Path
) -> None:
    """The program compares both by itself; here the file is looked at, and that the agent did something."""
    ((title, program),) = shown("python")
    (tmp_path / title).write_text(program, encoding="utf-8")
    run(title)
    session = (tmp_path / "session.jsonl").read_text(encoding="utf-8")
    assert writes(stub).count("/world/act") == session.count('"act"') > 0
    assert all('"raised"' in line for line in session.splitlines() if stub.url in line)
