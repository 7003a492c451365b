"""What the core's tests share: small distributions written by hand, and fresh interpreters that see them."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from skyfall_crl.registry.discovery import candidates
from skyfall_crl.registry.plugins import installed

HEADER = "from skyfall_crl.registry import Ref, hookimpl\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder that the tests' distributions are installed into."""
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def install_plugin(site: Path) -> Callable[..., None]:
    """Install a distribution with one plugin, whose module gets `source` after the usual import."""

    def install(
        name: str,
        source: str,
        *,
        distribution: str | None = None,
        version: str = "1.0",
        requires: tuple[str, ...] = (),
        module: str | None = None,
    ) -> None:
        distribution = distribution or f"{name}-plugin"
        module = module or f"{name.replace('-', '_')}_plugin"
        path = site / f"{module.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEADER + source)
        info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        needs = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n{needs}"
        )
        (info / "entry_points.txt").write_text(f"[skyfall_crl]\n{name} = {module}\n")

    return install


@pytest.fixture
def here(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process see the installed distributions, and forget them afterwards."""
    monkeypatch.delenv("SKYFALL_CRL_BLOCK_PLUGINS", raising=False)
    monkeypatch.syspath_prepend(site)
    _forget()
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(site)):
            del sys.modules[name]
    _forget()


def _forget() -> None:
    candidates.cache_clear()
    installed.cache_clear()


@pytest.fixture
def run_python(site: Path, tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """Run a program in a fresh interpreter that sees the installed distributions; `env` adds variables."""
    inherited = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]

    def run(program: str, *arguments: str, **env: str) -> CompletedProcess[str]:
        path = os.pathsep.join([str(site), *inherited])
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, "PYTHONPATH": path, **env},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def run_command(run_python: Callable[..., CompletedProcess[str]]) -> Callable[..., CompletedProcess[str]]:
    """Run `skyfall-crl` with some words in a fresh interpreter; `env` adds variables."""

    def run(*words: str, **env: str) -> CompletedProcess[str]:
        program = "import sys\nfrom skyfall_crl.cli.main import main\nsys.exit(main())"
        return run_python(program, *words, **env)

    return run
