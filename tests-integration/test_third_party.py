"""A package of somebody else's adds every kind of part to a MORPHEUS run, by entry points alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILES = {
    "pyproject.toml": """
[build-system]
requires = ["hatchling>=1.32"]
build-backend = "hatchling.build"

[project]
name = "acme-crl"
version = "2.5.0"
dependencies = ["skyfall-crl>=1.0,<1.1", "skyfall-crl-morpheus>=1.0,<1.1"]

[project.entry-points."skyfall_crl"]
acme = "acme_crl.plugin"

[tool.hatch.build.targets.wheel]
sources = ["src"]
only-include = ["src/acme_crl"]
""",
    "src/acme_crl/__init__.py": "",
    "src/acme_crl/plugin.py": '''
"""What acme offers."""
from skyfall_crl.registry import Ref, hookimpl


@hookimpl
def skyfall_crl_environments():
    return {"grid": Ref("acme_crl.parts:grid", "a grid of somebody else's")}


@hookimpl
def skyfall_crl_backends():
    return {"counted": Ref("acme_crl.parts:CountedBackend", "counts the calls to the embedded world")}


@hookimpl
def skyfall_crl_task_views():
    return {"first-queue": Ref("acme_crl.parts:FirstQueue", "only the first queue, three remedies")}


@hookimpl
def skyfall_crl_reward_specs():
    return {"money": Ref("acme_crl.parts:MONEY", "money alone")}


@hookimpl
def skyfall_crl_config_sections():
    return {"acme": Ref("acme_crl.parts:AcmeSection", "what acme writes at the end")}


@hookimpl
def skyfall_crl_commands():
    return {"acme": Ref("acme_crl.parts:configure", "say something")}


@hookimpl
def skyfall_crl_run_finished(run, environment, policy):
    from pathlib import Path

    text = f"{run['config']['acme']['greeting']} {run['status']} {environment.unwrapped.backend.calls}"
    Path(run["config"]["acme"]["path"]).write_text(text, encoding="utf-8")
''',
    "src/acme_crl/parts.py": '''
"""The parts."""
import gymnasium
from pydantic import BaseModel, ConfigDict

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.taskview import TaskView
from skyfall_crl.ports import ToolCall
from skyfall_crl.reward import RewardSpec, RewardTerm

MONEY = RewardSpec("money", 3, (RewardTerm("financial", 1.0),))


def grid(size=3):
    return gymnasium.make("CartPole-v1")


class CountedBackend(SimulatedBackend):
    def __init__(self, start=0):
        super().__init__()
        self.calls = start

    def act(self, world_id, *, method, path, body=None):
        self.calls += 1
        return super().act(world_id, method=method, path=path, body=body)


class FirstQueue(TaskView):
    action_space = gymnasium.spaces.Discrete(2)
    no_action = 0

    def to_tool_call(self, action, *, world_id, observation=None):
        return ToolCall("GET", "/{worldId}/tickets") if action else None


class AcmeSection(BaseModel):
    model_config = ConfigDict(extra="forbid")
    greeting: str
    path: str


def configure(parser):
    parser.add_argument("word")
    parser.set_defaults(run=say)


def say(arguments):
    print(arguments.word.upper())
    return 0
''',
    "run.yaml": """
env:
  id: morpheus/world
  kwargs: {backend: acme/counted, backend_kwargs: {start: 100}, task_view: acme/first-queue, reward_spec: acme/money}
policy: {id: random}
run: {steps: 60, num_envs: 2, window_steps: 20}
acme: {greeting: hello, path: said.txt}
""",
    "grid.yaml": """
env: {id: acme/grid, kwargs: {size: 5}}
policy: {id: random}
run: {steps: 30}
acme: {greeting: hello, path: said.txt}
""",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built and installed into a folder of its own."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv isn't here to build a package with")
    folder = tmp_path_factory.mktemp("acme-crl")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip(), encoding="utf-8")
    target = ["--target", str(folder / "site")]
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--no-deps", *target, str(folder)], check=True, timeout=120
    )
    return folder


@pytest.fixture
def crl(site: Path, packages: list[Path]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line where the package is installed."""
    ours = [] if "SKYFALL_CRL_WHEELS" in os.environ else [str(package / "src") for package in packages]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site / "site"), *ours])}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "skyfall_crl.cli.main", *words]
        return subprocess.run(command, cwd=site, env=environment, capture_output=True, text=True, timeout=120)

    return run


def test_a_run_uses_backend_view_reward_and_section_of_another_package_by_id(crl, site: Path) -> None:
    done = crl("run", "run.yaml", "--out", "out")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (site / "out/trace.jsonl").read_text(encoding="utf-8").splitlines()]
    header, steps = rows[0], [row for row in rows if row["kind"] == "step"]
    assert header["plugins"]["acme"] == "acme-crl 2.5.0"
    assert header["reward_spec"]["name"] == "money"
    assert header["config"]["acme"] == {"greeting": "hello", "path": "said.txt"}
    assert {tuple(row["reward_terms"]) for row in steps} == {("financial",)}
    assert {row["action"] for row in steps} == {0, 1}
    sent = sum(row["action"] for row in steps if row["world"] == "w0")
    assert (site / "said.txt").read_text(encoding="utf-8") == f"hello completed {100 + sent}"


def test_an_environment_of_another_package_is_named_by_id(crl) -> None:
    done = crl("run", "grid.yaml", "--out", "grid-out")
    assert done.returncode == 0, done.stderr
    assert "warning  acme: skyfall_crl_run_finished: AttributeError" in done.stdout


def test_a_command_of_another_package_is_a_command(crl) -> None:
    assert crl("acme", "hey").stdout == "HEY\n"


def test_a_mistake_in_a_section_of_another_package_names_its_key(crl) -> None:
    done = crl("run", "run.yaml", "acme.greetin=x")
    assert done.returncode == 2
    assert "acme.greetin: unknown key; did you mean 'greeting'?" in done.stderr


def test_without_the_package_its_section_and_ids_are_one_line_errors(
    crl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKYFALL_CRL_BLOCK_PLUGINS", "acme")
    done = crl("--no-plugins", "run", "grid.yaml")
    assert done.returncode == 2
    assert "acme: unknown section" in done.stderr
    assert done.stderr.count("\n") == 1
