"""Every module has one job that it names, stays short, and knows no machine but the user's."""

import ast
import re
from pathlib import Path

MODULE_LINES = 300
FUNCTION_LINES = 60
MACHINE = re.compile(
    "|".join(
        (
            re.escape("/work" + "/"),
            re.escape("../" + "shared"),
            "pypi" + r"\.(org|python\.org)",
            "python" + "hosted",
            "registry" + r"\.npmjs",
            "--(extra-)?index" + "-url",
        )
    )
)


def functions(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return every function of a module, nested ones and methods included."""
    nodes = ast.walk(ast.parse(text))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_every_module_says_its_job_in_its_first_line(sources: list[Path]) -> None:
    """The docstring's first line is a sentence of its own."""
    silent = []
    for path in sources:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first, _, rest = docstring.partition("\n")
        if not first.strip() or rest.split("\n")[0].strip():
            silent.append(str(path))
    assert silent == []


def test_modules_and_functions_stay_short(kept_files: list[Path], root: Path) -> None:
    """What outgrows the limit has two jobs."""
    long = []
    for path in (path for path in kept_files if path.suffix == ".py"):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        if text.count("\n") > MODULE_LINES:
            long.append(f"{name} is longer than {MODULE_LINES} lines")
        long += [
            f"{name}:{node.lineno} {node.name} is longer than {FUNCTION_LINES} lines"
            for node in functions(text)
            if (node.end_lineno or node.lineno) - node.lineno >= FUNCTION_LINES
        ]
    assert long == []


def test_no_file_names_a_machine_or_a_package_registry(kept_files: list[Path]) -> None:
    """The repository works on any machine, with whatever registry its user has."""
    found = []
    for path in kept_files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path}:{n}" for n, line in enumerate(text.split("\n"), 1) if MACHINE.search(line)]
    assert found == []


def test_nothing_is_unpickled(sources: list[Path]) -> None:
    """Files that came from somebody else are only ever data."""
    pickling = re.compile(r"\bimport (pickle|dill|joblib|shelve|marshal)\b|allow_pickle=True")
    assert [str(path) for path in sources if pickling.search(path.read_text(encoding="utf-8"))] == []
