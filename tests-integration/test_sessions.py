"""The gate, the workflow and the packages agree on which sessions run, and on which Pythons."""

import ast
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def noxfile(root: Path) -> dict[str, Any]:
    """The plain values that the noxfile assigns, by what they are assigned to."""
    found = {}
    for node in ast.parse((root / "noxfile.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            found[ast.unparse(node.targets[0])] = ast.literal_eval(node.value)
    return found


@pytest.fixture
def jobs(root: Path) -> dict[str, Any]:
    """The jobs of the workflow that checks every change."""
    yaml = pytest.importorskip("yaml", reason="PyYAML isn't installed here")
    workflow = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    found: dict[str, Any] = workflow["jobs"]
    return found


def test_the_workflow_runs_every_default_session(noxfile: dict[str, Any], jobs: dict[str, Any]) -> None:
    """`build` comes along with those that need it, `tests` has a job for each Python."""
    listed = jobs["session"]["strategy"]["matrix"]["session"]
    assert sorted([*listed, "build", "tests"]) == sorted(noxfile["nox.options.sessions"])


def test_every_supported_python_is_tested(
    noxfile: dict[str, Any], jobs: dict[str, Any], project: dict[str, Any]
) -> None:
    """The noxfile, the workflow and the metadata of each package name the same ones."""
    prefix = "Programming Language :: Python :: "
    declared = [one.removeprefix(prefix) for one in project["classifiers"] if one.startswith(prefix)]
    assert noxfile["PYTHONS"] == jobs["tests"]["strategy"]["matrix"]["python"] == declared
    assert project["requires-python"] == f">={declared[0]}"


def test_the_gate_reads_the_command_that_the_readme_prints(root: Path) -> None:
    """What `.ci/run` takes out of the README is the whole block and nothing else."""
    gate = (root / ".ci" / "run").read_text(encoding="utf-8")
    extract = re.search(r"printed_command\(\) \{\n.*?\n\}", gate, re.S)
    readme = re.search(r"<!-- tests -->\n```sh\n(.*?)```", (root / "README.md").read_text("utf-8"), re.S)
    assert extract
    assert readme
    done = subprocess.run(
        ["bash", "-euc", f"{extract[0]}\nprinted_command"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == readme[1]
