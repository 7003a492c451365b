"""Imports go one way, and start-up pays for nothing it doesn't use."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

FOUNDATION = {"ports", "registry", "regime", "reward"}
RUNNING = {"config", "metrics", "report", "trace", "train"}
MAY_IMPORT = {
    "ports": set[str](),
    "registry": {"ports"},
    "regime": {"ports"},
    "reward": {"ports"},
    "trace": {"ports"},
    "config": {"trace"} | FOUNDATION,
    "train": {"config", "trace"} | FOUNDATION,
    "metrics": {"trace"} | FOUNDATION,
    "report": {"metrics", "trace"} | FOUNDATION,
    "testing": FOUNDATION,
    "study": RUNNING | FOUNDATION,
    "cli": {"study", "testing"} | RUNNING | FOUNDATION,
    "env": FOUNDATION,
    "serve": {"config", "trace", "train"} | FOUNDATION,
}
HEAVY = {"gymnasium", "httpx", "jinja2", "msgspec", "numpy", "plotly", "pydantic", "rich", "yaml"}


@pytest.fixture(scope="session")
def portions(packages: list[Path], tables: dict[str, Any]) -> list[str]:
    """The import names of all packages that lie in the shared namespace."""
    names = [name for path in packages for name in tables[path.name]["project"]["import-names"]]
    return sorted(name for name in names if name.startswith("skyfall_crl."))


def layer(portion: str) -> str:
    """Return the part of an import name that the rules speak of."""
    return portion.split(".")[1]


def is_allowed(importer: str, imported: str) -> bool:
    """Tell whether the rules let one portion import another."""
    return layer(imported) in MAY_IMPORT[layer(importer)]


def illegal_imports(folder: Path, root: Path, planted: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Lay out empty portions that import each other as told; return the imports that are refused."""
    for portion in {name for pair in planted for name in pair}:
        home = folder / portion.replace(".", "/")
        home.mkdir(parents=True, exist_ok=True)
        (home / "__init__.py").touch()
    for importer, imported in planted:
        with (folder / importer.replace(".", "/") / "planted.py").open("a") as module:
            module.write(f"import {imported}\n")
    shutil.copy(root / "pyproject.toml", folder)
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "200"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    found = re.findall(r"(skyfall_crl\S+)\.planted -> (skyfall_crl\S+)", done.stdout)
    assert bool(found) == (done.returncode != 0)
    return set(found)


def test_every_portion_has_its_rule(portions: list[str]) -> None:
    """A new portion has to say here, and in the contracts, what it may import."""
    assert {layer(portion) for portion in portions} <= set(MAY_IMPORT)


def test_the_contracts_refuse_every_import_that_is_not_allowed(
    portions: list[str], tmp_path: Path, root: Path
) -> None:
    """Each forbidden direction is planted, and each is reported."""
    pytest.importorskip("importlinter", reason="import-linter isn't installed here")
    planted = [pair for pair in permutations(portions, 2) if not is_allowed(*pair)]
    assert illegal_imports(tmp_path, root, planted) == set(planted)


def test_the_contracts_allow_every_other_import(portions: list[str], tmp_path: Path, root: Path) -> None:
    """Each allowed direction is planted, and none is reported."""
    pytest.importorskip("importlinter", reason="import-linter isn't installed here")
    planted = [pair for pair in permutations(portions, 2) if is_allowed(*pair)]
    assert illegal_imports(tmp_path, root, planted) == set()


def test_importing_a_plugin_module_imports_nothing_heavy(
    package: Path, project: dict[str, Any], loaded_after: Callable[[str], set[str]]
) -> None:
    """A plugin module names things; what it names is imported when it is used."""
    for target in project.get("entry-points", {}).get("skyfall_crl", {}).values():
        loaded = loaded_after(f"import {target}")
        assert target in loaded
        assert loaded & HEAVY == set()


def test_importing_a_portion_imports_none_of_its_modules(
    package: Path, project: dict[str, Any], loaded_after: Callable[[str], set[str]]
) -> None:
    """Names are exported lazily, so that asking for one costs only its own module."""
    for name in project["import-names"]:
        loaded = loaded_after(f"import {name}")
        assert {module for module in loaded if module.startswith(f"{name}.")} == set()
        assert loaded & HEAVY == set()


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--version"], HEAVY | {"importlib.metadata", "pluggy"}),
        (["--help"], HEAVY | {"pluggy"}),
        (["plugins", "list"], HEAVY),
    ],
    ids=["version", "help", "plugins list"],
)
def test_a_command_imports_nothing_it_does_not_need(
    arguments: list[str], unwanted: set[str], loaded_after: Callable[[str], set[str]]
) -> None:
    """Start-up is felt at every call."""
    loaded = loaded_after(
        f"sys.argv = {['skyfall-crl', *arguments]!r}\n"
        "from skyfall_crl.cli.main import main\n"
        "assert main() == 0"
    )
    assert loaded & unwanted == set()
