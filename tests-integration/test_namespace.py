"""The shared namespaces stay shared: no package has a file of its own there, and no two ship one file."""

import importlib
import importlib.metadata
import re
import zipfile
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest


def folder_of(package: Path, module: str) -> Path:
    """Return the source folder of a dotted name."""
    return package / "src" / module.replace(".", "/")


def content(wheel: Path) -> set[str]:
    """Return the names of the files that a wheel installs, its own metadata left out."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_a_namespace_holds_no_file(package: Path, project: dict[str, Any]) -> None:
    """An `__init__.py`, a `py.typed` or a module there would break other installs, editable ones first."""
    for namespace in project["import-namespaces"]:
        strays = [path.name for path in folder_of(package, namespace).iterdir() if path.is_file()]
        assert strays == [], f"{package.name}: {namespace} is shared by all distributions"


def test_every_portion_is_a_typed_regular_package(package: Path, project: dict[str, Any]) -> None:
    """Each import name has its own `__init__.py` and its own `py.typed`."""
    for name in project["import-names"]:
        folder = folder_of(package, name)
        missing = [file for file in ("__init__.py", "py.typed") if not (folder / file).is_file()]
        assert missing == [], f"{package.name}: {name}"


def test_every_folder_of_a_namespace_is_declared(package: Path, project: dict[str, Any]) -> None:
    """What lies in the source folder is an import name or a namespace, and nothing else."""
    namespaces = set(project["import-namespaces"])
    found = {path.name for path in (package / "src").iterdir() if path.name != "__pycache__"}
    for namespace in namespaces:
        children = folder_of(package, namespace).iterdir()
        found |= {f"{namespace}.{path.name}" for path in children if path.name != "__pycache__"}
    assert found == namespaces | set(project["import-names"])


def test_the_wheel_selects_exactly_the_import_names(
    package: Path, project: dict[str, Any], tables: dict[str, Any]
) -> None:
    """The build table lists the portions one by one, so that a wheel can ship nothing else."""
    selected = tables[package.name]["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert sorted(selected) == sorted("src/" + name.replace(".", "/") for name in project["import-names"])


def test_a_wheel_holds_every_file_of_its_portions_and_no_other(
    package: Path, project: dict[str, Any], wheels: dict[str, Path], kept_files: list[Path]
) -> None:
    """Source and wheel agree file by file."""
    portions = [folder_of(package, name) for name in project["import-names"]]
    kept = {path for path in kept_files if any(path.is_relative_to(folder) for folder in portions)}
    assert content(wheels[package.name]) == {path.relative_to(package / "src").as_posix() for path in kept}


def test_no_two_wheels_ship_the_same_file(wheels: dict[str, Path]) -> None:
    """Else removing one distribution would break another."""
    held = {name: content(wheel) for name, wheel in wheels.items()}
    shared = {(a, b): held[a] & held[b] for a, b in combinations(sorted(held), 2)}
    assert {pair: files for pair, files in shared.items() if files} == {}


def test_a_wheel_says_what_it_ships(package: Path, project: dict[str, Any], wheels: dict[str, Path]) -> None:
    """The metadata names the import names and holds the licence text."""
    with zipfile.ZipFile(wheels[package.name]) as archive:
        stem = f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        metadata = archive.read(f"{stem}/METADATA").decode()
        licence = archive.read(f"{stem}/licenses/LICENSE")
    named = re.findall(r"^Import-Name: (\S+)$", metadata, re.MULTILINE)
    assert sorted(named) == sorted(project["import-names"])
    assert licence == (package / "LICENSE").read_bytes()


@pytest.mark.usefixtures("wheels")
def test_what_is_installed_is_the_wheel(package: Path, project: dict[str, Any]) -> None:
    """Every portion comes from the environment's own folder and not from the source tree."""
    assert importlib.metadata.version(project["name"]) == project["version"]
    for name in project["import-names"]:
        file = importlib.import_module(name).__file__
        assert file is not None
        assert package.parent not in Path(file).parents
