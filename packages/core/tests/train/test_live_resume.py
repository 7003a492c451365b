"""Resuming in worlds that go on by themselves."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

pytestmark = pytest.mark.floor

LIVE_WORLD = '''
"""A world kept in a file: every action that reaches it is a line there, and it outlives whoever acts in it."""
import os
import signal
import uuid
from pathlib import Path

import gymnasium
import numpy as np

from skyfall_crl.ports.environment import Applied


class FileWorld(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    reward_spec, reward_signals, regime_id = None, (), None

    def __init__(self, folder, world_id=None, die_at=None, die_when="after"):
        self.folder, self.world_id = Path(folder), world_id
        self.owns_world = world_id is None
        self.die_at, self.die_when = die_at, die_when

    @property
    def reattach(self):
        return {"world_id": self.world_id, "die_at": None}

    def describe(self):
        return {"world_id": self.world_id}

    def apply_regime(self, regime, progress):
        return Applied({}, tuple(regime.axes), {})

    @property
    def file(self):
        return self.folder / f"{self.world_id}.log"

    def actions(self):
        return self.file.read_text().split()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.world_id is None:
            self.world_id = f"world-{seed}"
            self.file.touch()
        return self.observe(), {"world_time": len(self.actions())}

    def step(self, action):
        reached = len(self.actions()) == self.die_at
        if reached and self.die_when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        with self.file.open("a") as log:
            log.write(f"{action} ")
        if reached:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.observe(), 1.0 if action == 1 else 0.0, False, False, {"world_time": len(self.actions())}

    def observe(self):
        return np.array([1.0, len(self.actions()) % 2], np.float32)
'''
CONFIG = """
env: {id: "file_world:FileWorld", kwargs: {folder: %s, die_at: %d, die_when: %s}}
policy: {id: linear}
algorithm: {id: reinforce}
run: {steps: 120, window_steps: 10, num_envs: 2, checkpoint_steps: 20}
"""


@pytest.fixture
def crl(tmp_path: Path):
    (tmp_path / "file_world.py").write_text(LIVE_WORLD, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "skyfall_crl.cli.main", "run", *words]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )

    return run


@pytest.mark.parametrize(
    ("die_at", "die_when"), [(0, "before"), (57, "before"), (57, "after"), (101, "after")]
)
def test_no_action_and_no_row_comes_twice_and_what_is_not_known_is_said(
    crl, tmp_path, die_at, die_when
) -> None:
    (tmp_path / "live.yaml").write_text(CONFIG % (tmp_path, die_at, die_when), encoding="utf-8")
    assert crl("live.yaml", "--out", "out").returncode == -signal.SIGKILL
    resumed = crl("--resume", "out")
    assert resumed.returncode == 0, resumed.stderr
    rows = [msgspec.json.decode(line) for line in (tmp_path / "out/trace.jsonl").read_bytes().splitlines()]
    steps = [row for row in rows if row["kind"] == "step"]
    assert Counter((row["world"], row["step"]) for row in steps) == Counter(
        {(world, step): 1 for world in ("w0", "w1") for step in range(120)}
    )
    uncertain = [row for row in steps if row["reward"] is None]
    assert {row["world"] for row in uncertain} == {"w0", "w1"}
    assert all(row["outcome"]["reason"] == "uncertain" and row["step"] == die_at for row in uncertain)
    assert len(uncertain) == 2
    for world, log in zip(("w0", "w1"), sorted(tmp_path.glob("*.log"), key=order(rows)), strict=True):
        sent = log.read_text(encoding="utf-8").split()
        known = [str(row["action"]) for row in steps if row["world"] == world]
        reached = len(sent) == 120
        assert sent == known if reached else sent == known[:die_at] + known[die_at + 1 :]


def order(rows: list[dict]):
    """Return the place of a world's file among the worlds of the run."""
    worlds = [arguments["world_id"] for arguments in rows[0]["reattach"]]
    return lambda path: worlds.index(path.stem)


def test_the_learner_goes_back_to_its_last_checkpoint_and_the_trace_says_how_long_nobody_acted(
    crl, tmp_path
) -> None:
    (tmp_path / "live.yaml").write_text(CONFIG % (tmp_path, 57, "after"), encoding="utf-8")
    crl("live.yaml", "--out", "out")
    crl("--resume", "out")
    rows = [msgspec.json.decode(line) for line in (tmp_path / "out/trace.jsonl").read_bytes().splitlines()]
    versions = {row["step"]: row["policy_version"] for row in rows if row["kind"] == "step"}
    assert (versions[56], versions[57], versions[58]) == (5, 5, 4)
    resumes = [row for row in rows if row["kind"] == "resume"]
    assert [row["world"] for row in resumes] == ["w0", "w1"]
    assert all(row["step"] == 58 and row["wall_seconds_passed"] >= 0 for row in resumes)
    assert max(row["world_time_passed"] for row in resumes) == 1
    assert not list((tmp_path / "out").glob("trace.cut-*"))
