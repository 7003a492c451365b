"""A policy is trained, its bundle moved, and served and scored where only the wheels are installed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONFIG = """
env: {{id: morpheus/world, kwargs: {{task_view: scheduling-under-drift, reward_spec: paper}}}}
regime:
  provider: scheduled
  params:
    schedule:
      shift_mode: cyclic
      regimes:
        - {{regime_id: A, duration_steps: 60, axes: {{cause_mix: A, payment_terms: A}}}}
        - {{regime_id: B, duration_steps: 60, axes: {{cause_mix: B, payment_terms: B}}}}
policy: {{id: {policy}}}
algorithm: {{id: {algorithm}}}
run: {{steps: 192, num_envs: 2, seed: 7}}
export: {{bundle: true}}
"""
BACKENDS = {"linear": "reinforce", "mlp": "ppo"}

ACT = """
import json, sys
from pathlib import Path
import numpy as np
{build}
observations = np.random.default_rng(3).random((200, policy.encoder.size), dtype=np.float32)
actions = [policy.act([one], [{{}}])[0].action for one in observations]
print(json.dumps(actions))
"""
TRAINED = """
from skyfall_crl.config import load_config
from skyfall_crl.train.build import build
policy = build(load_config(sys.argv[1] + "/config.yaml")).policy
policy.load_weights(Path(sys.argv[1]) / "checkpoints" / "final")
"""
SERVED = """
from skyfall_crl.serve import Bundle, load_policy
policy = load_policy(Bundle.load(sys.argv[1]), sys.argv[1])
"""


@pytest.fixture(scope="module")
def interpreter(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the core, the adapter and serving, and nothing else of ours."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv isn't installed here")
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    python = folder / "bin" / "python"
    chosen = [str(wheels[name]) for name in ("core", "morpheus", "serve")]
    for command in (
        [uv, "venv", "--quiet", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--quiet", "--python", str(python), *chosen],
    ):
        subprocess.run(command, check=True, env=environment, timeout=240)
    return python


@pytest.fixture
def run_in(tmp_path: Path) -> Callable[..., str]:
    """Run an interpreter on some words in an empty folder and return what it prints; the process must succeed."""

    def run(python: Path | str, *words: object, code: int = 0) -> str:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        folder = tmp_path / "empty"
        folder.mkdir(exist_ok=True)
        command = [str(python), "-I", *map(str, words)]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", BACKENDS)
def test_a_bundle_is_moved_served_and_scored_elsewhere(
    policy: str, interpreter: Path, run_in: Callable[..., str], tmp_path: Path
) -> None:
    """The served policy does what the trained one does, and `eval` scores what it earned."""
    config, command = tmp_path / "run.yaml", ("-m", "skyfall_crl.cli.main")
    config.write_text(CONFIG.format(policy=policy, algorithm=BACKENDS[policy]), encoding="utf-8")
    run_in(sys.executable, *command, "run", config, "--out", tmp_path / "run")
    trained = run_in(sys.executable, "-c", ACT.format(build=TRAINED), tmp_path / "run")
    moved = tmp_path / "far" / "moved"
    shutil.copytree(tmp_path / "run" / "bundle", moved)
    shutil.rmtree(tmp_path / "run")

    assert run_in(interpreter, "-c", ACT.format(build=SERVED), moved) == trained
    assert "broken" not in run_in(interpreter, *command, "bundle", "verify", moved)
    out = tmp_path / "served"
    assert "completed after 150 steps" in run_in(
        interpreter, *command, "serve", moved, "--steps", 150, "--out", out
    )
    scored = json.loads(run_in(interpreter, *command, "eval", out, "--json"))
    assert scored["counts"]["rows"] == 150
    assert set(scored["identities"]) == {"A", "B"}
    assert scored["overall"]["reward_lifetime"]["value"] > 0


CANARY = "import pathlib\npathlib.Path({trail!r}).touch()\n"


@pytest.mark.parametrize("name", ["task_view", "reward_spec", "backend", "regime"])
def test_ids_nested_in_the_arguments_of_a_world_import_nothing(
    name: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """What the adapter resolves while it builds a world is restricted like the rest."""
    bundles = pytest.importorskip("skyfall_crl.serve.bundle", reason="serving isn't installed here")
    pytest.importorskip("skyfall_crl.env.morpheus", reason="the adapter isn't installed here")
    from skyfall_crl.ports.errors import CrlError
    from skyfall_crl.serve.runner import build_environment

    trail = tmp_path / "trail"
    (tmp_path / "canary_for_worlds.py").write_text(CANARY.format(trail=str(trail)))
    monkeypatch.syspath_prepend(tmp_path)
    value: Any = "canary_for_worlds:make"
    kwargs = {name: {"provider": value} if name == "regime" else value}
    bundle = bundles.Bundle.from_dict({"env": {"id": "morpheus/world", "kwargs": kwargs}})
    with pytest.raises(CrlError, match="only registered ids are allowed here"):
        build_environment(bundle)
    assert not trail.exists()
    with pytest.raises(CrlError):
        build_environment(bundle, trust=True)
    assert trail.exists()
    sys.modules.pop("canary_for_worlds")
