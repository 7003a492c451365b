"""The distributions move together: one minor version, one licence, one changelog, complete root tables."""

import re
from pathlib import Path
from typing import Any

import pytest

RANGE = re.compile(r"^(skyfall-crl(?:-\w+)?)>=(\d+)\.(\d+),<(\d+)\.(\d+)$")


def minor(version: str) -> tuple[int, int]:
    """Return MAJOR and MINOR of a version."""
    major, second, _patch = version.split(".")
    return int(major), int(second)


def test_all_packages_share_the_minor_version(packages: list[Path], tables: dict[str, Any]) -> None:
    """Patches are free, MAJOR.MINOR is not."""
    versions = {path.name: minor(tables[path.name]["project"]["version"]) for path in packages}
    assert len(set(versions.values())) == 1, versions


def test_a_requirement_on_another_package_admits_exactly_this_minor(
    packages: list[Path], project: dict[str, Any], tables: dict[str, Any]
) -> None:
    """Resolvers of a workspace ignore ranges between its members, so nothing else would notice."""
    ours = {tables[path.name]["project"]["name"] for path in packages}
    major, second = minor(project["version"])
    extras = project.get("optional-dependencies", {}).values()
    for requirement in [*project.get("dependencies", []), *(one for extra in extras for one in extra)]:
        if re.split(r"[\[<>=!~; ]", requirement)[0] in ours:
            found = RANGE.match(requirement)
            assert found, f"{requirement}: expected NAME>={major}.{second},<{major}.{second + 1}"
            assert tuple(map(int, found.groups()[1:])) == (major, second, major, second + 1)


def test_packages_require_the_core_and_nothing_else_of_ours(
    packages: list[Path], tables: dict[str, Any]
) -> None:
    """Adapters stand on the core and never on each other."""
    ours = {tables[path.name]["project"]["name"] for path in packages}
    for path in packages:
        project = tables[path.name]["project"]
        required = {re.split(r"[\[<>=!~; ]", one)[0] for one in project.get("dependencies", [])}
        assert required & ours == {"skyfall-crl"} - {project["name"]}, path.name


def test_packages_say_the_same_about_python_and_licence(packages: list[Path], tables: dict[str, Any]) -> None:
    """One floor for Python, one list of tested versions, one licence."""
    said = {
        (
            project["requires-python"],
            project["license"],
            tuple(one for one in project["classifiers"] if one.startswith("Programming Language")),
        )
        for project in (tables[path.name]["project"] for path in packages)
    }
    assert len(said) == 1, said


def test_the_licence_is_a_real_copy(package: Path, root: Path) -> None:
    """A link would dangle in the source distribution, and the wheel would lose its licence."""
    copy = package / "LICENSE"
    assert not copy.is_symlink()
    assert copy.read_bytes() == (root / "LICENSE").read_bytes()


def test_the_changelog_has_the_version_of_each_package(project: dict[str, Any], root: Path) -> None:
    """A heading for the version, and under it one for the distribution."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(project['version'])}$(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    assert section, f"CHANGELOG.md has no heading for {project['version']}"
    assert re.search(rf"^### {re.escape(project['name'])}$", section[1], re.M)


def test_the_command_line_prints_the_version_of_the_core(tables: dict[str, Any]) -> None:
    """The constant saves `--version` a metadata look-up; it has to be kept equal."""
    version = pytest.importorskip("skyfall_crl.cli.version", reason="the core isn't installed here")
    assert version.__version__ == tables["core"]["project"]["version"]


def test_the_root_tables_name_every_package(packages: list[Path], tables: dict[str, Any]) -> None:
    """uv's sources and mypy's path take no patterns, so a new package has to be written there."""
    tool = tables[""]["tool"]
    assert set(tool["uv"]["sources"]) == {tables[path.name]["project"]["name"] for path in packages}
    assert set(tool["mypy"]["mypy_path"].split(":")) == {f"packages/{path.name}/src" for path in packages}


def test_the_root_is_no_project(tables: dict[str, Any]) -> None:
    """Building all packages at once needs a root without a project of its own."""
    assert "project" not in tables[""]
