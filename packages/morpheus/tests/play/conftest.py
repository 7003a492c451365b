"""The word `play` in a fresh interpreter that sees this plugin as an installed one, fed lines or a terminal."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a child process in which the plugin is installed."""
    info = tmp_path / "site" / "skyfall_crl_morpheus-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: skyfall-crl-morpheus\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[skyfall_crl]\nmorpheus = skyfall_crl.env.morpheus.plugin\n")
    inherited = [os.path.abspath(path) for path in sys.path if path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(info.parent), *inherited])}


@pytest.fixture
def words() -> list[str]:
    """What starts a game, up to its options."""
    return [sys.executable, "-m", "skyfall_crl.cli.main", "morpheus", "play"]


@pytest.fixture
def played(environment: dict[str, str], words: list[str]) -> Callable[..., tuple[int, str, str]]:
    """Play by lines; return exit code, output and errors."""

    def play(lines: str, *options: str) -> tuple[int, str, str]:
        ran = subprocess.run(
            [*words, *options], input=lines, env=environment, capture_output=True, text=True, timeout=60
        )
        return ran.returncode, ran.stdout, ran.stderr

    return play
