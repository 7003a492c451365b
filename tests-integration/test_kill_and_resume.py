"""A run that is killed at any instant resumes to the trace it would have written."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skyfall_crl.trace import first_difference

INSTANTS = 20
CONFIG = """
env: {id: morpheus/world}
regime:
  provider: scheduled
  params:
    schedule:
      shift_mode: cyclic
      regimes:
        - {regime_id: A, duration_steps: 400, axes: {cause_mix: A, payment_terms: A}}
        - {regime_id: B, duration_steps: 300, axes: {cause_mix: B, payment_terms: B}}
policy: {id: mlp}
algorithm: {id: ppo}
run: {steps: 960, num_envs: 3, seed: 11, checkpoint_steps: 128}
"""


def crl(*words: object) -> list[str]:
    return [sys.executable, "-m", "skyfall_crl.cli.main", "run", *map(str, words)]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_run_killed_at_random_instants_resumes_to_the_uninterrupted_trace(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    started = time.monotonic()
    subprocess.run(crl(config, "--out", tmp_path / "whole"), check=True, capture_output=True, timeout=120)
    whole = time.monotonic() - started
    draw = random.Random(20)
    resumed = 0
    for _ in range(INSTANTS):
        out = tmp_path / "part"
        shutil.rmtree(out, ignore_errors=True)
        if (
            not killed(crl(config, "--out", out), draw.uniform(0.1, 1.0) * whole)
            or not (out / "config.yaml").exists()
        ):
            continue
        if draw.random() < 0.3:
            killed(crl("--resume", out), draw.uniform(0.1, 1.0) * whole)
        subprocess.run(crl("--resume", out), check=True, capture_output=True, timeout=120)
        assert first_difference(tmp_path / "whole" / "trace.jsonl", out / "trace.jsonl") is None
        assert (out / "report.html").is_file()
        resumed += 1
    assert resumed >= INSTANTS // 2


def killed(command: list[str], after: float) -> bool:
    """Start a command, kill it after some seconds, and tell whether it was still running."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=30)
        return True
    return False
