"""What the engine's source may not hold, so that equal inputs give equal bytes everywhere."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(str(files("skyfall_crl.env.morpheus.simulation")))
SOURCES = sorted(path for path in ROOT.rglob("*.py") if "catalogue" not in path.relative_to(ROOT).parts)
FORBIDDEN_CALLS = {"sum", "hash", "set", "frozenset", "id", "vars", "globals"}
FORBIDDEN_MODULES = {"numpy", "random", "time", "gymnasium", "httpx", "pydantic", "os", "uuid", "secrets"}


def offences(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield f"line {node.lineno}: {node.func.id}()"
        if isinstance(node, (ast.Set, ast.SetComp)):
            yield f"line {node.lineno}: a set"
        if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today"):
            yield f"line {node.lineno}: .{node.attr}"
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        for module in modules:
            if module.partition(".")[0] in FORBIDDEN_MODULES:
                yield f"line {node.lineno}: import {module}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_the_engine_uses_nothing_whose_result_depends_on_the_machine_or_on_order(source: Path) -> None:
    assert list(offences(ast.parse(source.read_text()))) == []


@pytest.mark.parametrize(
    "text",
    [
        "sum([.1])",
        "hash('x')",
        "{1, 2}",
        "{x for x in y}",
        "import numpy as np",
        "from random import Random",
        "d.now()",
    ],
)
def test_the_lint_finds_what_it_looks_for(text: str) -> None:
    assert list(offences(ast.parse(text)))


def test_the_lint_reads_every_module_of_the_engine() -> None:
    names = [source.name for source in SOURCES]
    assert {"engine.py", "obligations.py", "orders.py", "process_outbound.py", "facts.py"} <= set(names)


def test_the_engine_runs_without_numpy_gymnasium_or_http() -> None:
    script = (
        "import sys\n"
        "from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend\n"
        "backend = SimulatedBackend()\n"
        "world = backend.create_world(name='x', layout='process-outbound', seed=1)\n"
        "backend.act(world, method='GET', path=f'/{world}/tickets')\n"
        "backend.digest_world(world)\n"
        "print([name for name in ('numpy', 'gymnasium', 'httpx', 'pydantic') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
