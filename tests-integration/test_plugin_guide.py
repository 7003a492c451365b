"""The plugin that the guide shows, made from the page itself: built, installed, checked, and run by id."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.M | re.S)


@pytest.fixture(scope="module")
def exercise(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the guide, and the package they make installed into `site`."""
    pytest.importorskip("skyfall_crl.cli", reason="the core isn't installed here")
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv isn't here to build a package with")
    folder = tmp_path_factory.mktemp("acme-world")
    page = (root / "docs" / "guides" / "write-a-plugin.md").read_text(encoding="utf-8")
    for name, text in FILE.findall(page):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "src/acme_world/__init__.py").touch()
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "site"), str(folder)]
    subprocess.run(install, check=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def crl(exercise: Path, packages: list[Path]) -> Callable[..., str]:
    """The command line as a user of the plugin has it; returns what is printed."""
    ours = [] if "SKYFALL_CRL_WHEELS" in os.environ else [str(package / "src") for package in packages]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(exercise / "site"), *ours])}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "skyfall_crl.cli.main", *words]
        done = subprocess.run(
            command, cwd=exercise, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_it_is_listed_with_what_it_offers(crl: Callable[..., str]) -> None:
    """One line that names the package and its ids."""
    (line,) = [line for line in crl("plugins", "list").splitlines() if line.startswith("acme ")]
    assert "acme-world 1.0.0" in line
    assert "environments: press" in line


def test_it_keeps_the_rules(crl: Callable[..., str]) -> None:
    """The conformance kit has nothing to say against it."""
    crl("plugins", "check", "acme")


def test_its_command_is_a_command(crl: Callable[..., str]) -> None:
    """The word is found in the plugin of that name."""
    assert crl("acme", "--shout") == "AXES: MATERIAL\n"


def test_its_environment_runs_under_a_schedule(crl: Callable[..., str], exercise: Path) -> None:
    """A config names it by id, shifts it, and gets a report."""
    crl("run", "press.yaml", "--out", "pressed")
    rows = (exercise / "pressed" / "trace.jsonl").read_text(encoding="utf-8")
    assert '"regime_id":"brass"' in rows
    assert (exercise / "pressed" / "report.html").is_file()
