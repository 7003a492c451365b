"""What the tests of the whole repository share: its packages, their tables and their built wheels."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
WHEELS = os.environ.get("SKYFALL_CRL_WHEELS")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test that asks for a package every package in turn."""
    if "package" in metafunc.fixturenames:
        metafunc.parametrize("package", PACKAGES, ids=lambda path: path.name)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def packages() -> list[Path]:
    """The folder of each package."""
    return PACKAGES


@pytest.fixture(scope="session")
def tables() -> dict[str, Any]:
    """The pyproject table of each package, and the repository's own under the empty name."""
    found = {path.name: path / "pyproject.toml" for path in PACKAGES} | {"": ROOT / "pyproject.toml"}
    return {name: tomllib.loads(path.read_text(encoding="utf-8")) for name, path in found.items()}


@pytest.fixture
def project(package: Path, tables: dict[str, Any]) -> dict[str, Any]:
    """The `[project]` table of one package."""
    table: dict[str, Any] = tables[package.name]["project"]
    return table


@pytest.fixture(scope="session")
def wheels(tables: dict[str, Any]) -> dict[str, Path]:
    """The built wheel of each package, by the package's folder name; a plain checkout has none."""
    if WHEELS is None:
        pytest.skip("no wheels here: run `nox -s integration`")
    names = {path.name: tables[path.name]["project"]["name"].replace("-", "_") for path in PACKAGES}
    found = {folder: sorted(Path(WHEELS).glob(f"{name}-[0-9]*.whl")) for folder, name in names.items()}
    assert all(len(paths) == 1 for paths in found.values()), found
    return {folder: paths[0] for folder, paths in found.items()}


@pytest.fixture(scope="session")
def kept_files() -> list[Path]:
    """Every file that git tracks or would take, so that a guard sees a file before it is committed."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [ROOT / name for name in sorted(set(filter(None, listed))) if (ROOT / name).is_file()]


@pytest.fixture(scope="session")
def sources() -> list[Path]:
    """Every module of every package."""
    return [path for package in PACKAGES for path in sorted((package / "src").rglob("*.py"))]


@pytest.fixture(scope="session")
def loaded_after() -> Callable[[str], set[str]]:
    """Run a statement in a fresh interpreter and return the names of the modules it has then loaded."""
    paths = [] if WHEELS else [str(package / "src") for package in PACKAGES]

    def run(statement: str) -> set[str]:
        ending = "print('\\n', *sys.modules, sep='\\nloaded ')"
        program = f"import sys\nsys.path[:0] = {paths!r}\n{statement}\n{ending}"
        command = [sys.executable, "-I", "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return set(re.findall(r"^loaded (\S+)$", done.stdout, re.MULTILINE))

    return run
