"""The command line in a fresh interpreter that sees this plugin as an installed one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = ("-m", "skyfall_crl.cli.main")


@pytest.fixture
def started(tmp_path: Path) -> Callable[..., "subprocess.Popen[str]"]:
    """Start `skyfall-crl` with some words in an empty folder; `env` adds variables."""
    info = tmp_path / "site" / "skyfall_crl_morpheus-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: skyfall-crl-morpheus\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[skyfall_crl]\nmorpheus = skyfall_crl.env.morpheus.plugin\n")
    inherited = [os.path.abspath(path) for path in sys.path if path]
    path = os.pathsep.join([str(info.parent), *inherited])

    def start(*words: str, **env: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, *WORDS, *words],
            env={**os.environ, "PYTHONPATH": path, **env},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def run_command(started: Callable[..., "subprocess.Popen[str]"]) -> Callable[..., tuple[int, str, str]]:
    """Run `skyfall-crl` with some words and return its exit code, output and errors."""

    def run(*words: str, **env: str) -> tuple[int, str, str]:
        with started(*words, **env) as process:
            output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    return run
