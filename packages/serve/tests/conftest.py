"""What the tests share: a small trained run, a plugin of somebody else's, and a canary that notes being imported."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.config import parse_config
from skyfall_crl.registry.discovery import candidates
from skyfall_crl.registry.plugins import installed
from skyfall_crl.train.run import run

SCHEDULE = {
    "shift_mode": "cyclic",
    "regimes": [
        {"regime_id": "A", "duration_steps": 30},
        {"regime_id": "B", "duration_steps": 20, "axes": {"labels": 1}},
    ],
}

PLUGIN = """
from skyfall_crl.registry import Ref, hookimpl


@hookimpl
def skyfall_crl_environments():
    return {"bare": Ref("acme_parts:Bare", "declares nothing"), "nested": Ref("acme_parts:nested", "names a part")}


@hookimpl
def skyfall_crl_policies():
    return {
        "whole": Ref("acme_parts:Whole", "is built from its checkpoint"),
        "plain": Ref("acme_parts:Plain", "has nothing to learn"),
        "filled": Ref("acme_parts:Filled", "is filled"),
        "nested": Ref("acme_parts:nested_policy", "names a part"),
        "spy": Ref("acme_parts:Plain", "looks inside", privileged=True),
    }
"""
PARTS = '''
import json
from pathlib import Path

import gymnasium

from skyfall_crl.ports.algorithm import WeightsFormat
from skyfall_crl.ports.policy import Decision
from skyfall_crl.registry import load


class Bare(gymnasium.Env):
    """A Tier 1 environment that declares no spaces, no reward spec and no description."""

    def __init__(self, ends_after=None):
        self.steps, self.ends_after, self.closed, self.seen = 0, ends_after, 0, []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        self.steps += 1
        self.seen.append(action)
        return self.steps, 0.5, self.steps == self.ends_after, False, {}

    def close(self):
        self.closed += 1


def nested(part="builtin/contextual-bandit"):
    return load("environments", part)()


def nested_policy(part="acme/plain"):
    return load("policies", part)()


class Plain:
    def bind(self, observation_space, action_space, task_view=None):
        self.spaces = (observation_space, action_space)

    def act(self, batch, infos):
        return [Decision(1) for _ in batch]


class Whole(Plain):
    """Rebuilt from its checkpoint, which is its factory's first argument."""

    def __init__(self, checkpoint_dir, scale=1):
        self.answer = json.loads((Path(checkpoint_dir) / "answer.json").read_text()) * scale

    def act(self, batch, infos):
        return [Decision(self.answer) for _ in batch]


class Filled(Plain):
    answer = 0

    def load_weights(self, directory):
        self.answer = json.loads((directory / "answer.json").read_text())

    act = Whole.act


class Trainer:
    """Writes an answer in the format it is told; None writes nothing."""

    def __init__(self, form, answer=7):
        self.form, self.answer = form, answer

    def checkpoint(self, directory):
        if self.form is None:
            return None
        (directory / "answer.json").write_text(json.dumps(self.answer))
        return WeightsFormat(self.form)
'''
CANARY = """
import pathlib
pathlib.Path({trail!r}).write_text("imported")


def make(*args, **kwargs):
    raise SystemExit("the canary was called")


Provider = Policy = Env = make
"""


@pytest.fixture(scope="session")
def configure() -> Callable[..., dict[str, Any]]:
    """Return a function from sections to a run document; sections given are laid over the default ones."""

    def configured(**sections: Any) -> dict[str, Any]:
        document: dict[str, Any] = {
            "env": {"id": "builtin/contextual-bandit", "kwargs": {"features": 3}},
            "regime": {"provider": "scheduled", "params": {"schedule": SCHEDULE}},
            "policy": {"id": "linear"},
            "algorithm": {"id": "reinforce"},
            "run": {"steps": 96, "window_steps": 16, "num_envs": 2, "seed": 5},
            "export": {"bundle": True},
        }
        for name, section in sections.items():
            document[name] = None if section is None else {**document.get(name, {}), **section}
        return {name: section for name, section in document.items() if section is not None}

    return configured


@pytest.fixture
def train(configure: Callable[..., dict[str, Any]], tmp_path: Path) -> Callable[..., Path]:
    """Return a function that runs a config with some sections changed and returns the run's directory."""

    def trained(name: str = "run", **sections: Any) -> Path:
        result = run(parse_config(configure(**sections), source="test"), tmp_path / name)
        assert not result.problems
        return result.directory

    return trained


@pytest.fixture(scope="session")
def trained_once(configure: Callable[..., dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run of the default config, to be copied and left as it is."""
    return run(parse_config(configure(), source="test"), tmp_path_factory.mktemp("once") / "run").directory


@pytest.fixture
def bundle(trained_once: Path, tmp_path: Path) -> Path:
    """The bundle of a small trained run, in a copy of its directory."""
    return Path(shutil.copytree(trained_once, tmp_path / "trained")) / "bundle"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path; the modules in it are forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    _forget()
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(folder)):
            del sys.modules[name]
    _forget()


@pytest.fixture
def acme(site: Path) -> Any:
    """The parts of a plugin named acme, which is installed while a test runs."""
    (site / "acme_plugin.py").write_text(PLUGIN)
    (site / "acme_parts.py").write_text(PARTS)
    info = site / "acme_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[skyfall_crl]\nacme = acme_plugin\n")
    _forget()
    import acme_parts  # type: ignore[import-not-found]

    return acme_parts


@pytest.fixture
def trail(site: Path) -> Path:
    """A file that appears when the module `canary` is imported."""
    path = site / "trail"
    (site / "canary.py").write_text(CANARY.format(trail=str(path)))
    return path


def _forget() -> None:
    candidates.cache_clear()
    installed.cache_clear()
