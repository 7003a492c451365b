"""What the documents show is what the code does: examples parse, and printed commands are the ones run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SWEEPS = ROOT / "docs" / "examples" / "benchmark"
EXAMPLES = [path for path in sorted((ROOT / "docs" / "examples").rglob("*.yaml")) if path.parent != SWEEPS]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"""(?:^<!--\ (?P<mark>\w+)\ -->\n+)?^```(?P<kind>\w*)(?P<title>\ title=\S+)?\n(?P<text>.*?)^```$""",
    re.M | re.S | re.X,
)


def blocks(page: Path, kind: str) -> list[re.Match[str]]:
    """Return the fenced blocks of one kind."""
    found = FENCE.finditer(page.read_text(encoding="utf-8"))
    return [block for block in found if block["kind"] == kind]


def is_whole(text: str) -> bool:
    """Tell whether a block of YAML is a whole run document and not a part of one."""
    return all(re.search(rf"^{section}:", text, re.M) for section in ("env", "policy", "run"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_shipped_example_is_a_valid_document(path: Path) -> None:
    """Every file under docs/examples loads, with every id and section known."""
    config = pytest.importorskip("skyfall_crl.config", reason="the core isn't installed here")
    assert config.load_config(path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_printed_config_is_a_valid_document(page: Path, tmp_path: Path) -> None:
    """Whole documents printed in a page load like files do; one with a file name is part of an exercise."""
    config = pytest.importorskip("skyfall_crl.config", reason="the core isn't installed here")
    for number, block in enumerate(blocks(page, "yaml")):
        if is_whole(block["text"]) and block["title"] is None:
            path = tmp_path / f"{number}.yaml"
            path.write_text(block["text"], encoding="utf-8")
            assert config.load_config(path)


def test_every_command_of_the_readme_is_run_by_a_session(root: Path) -> None:
    """Each block of shell commands is marked, and something runs the block with that mark."""
    runners = {"quickstart": root / "noxfile.py", "tests": root / ".ci" / "run"}
    shown = [block["mark"] for block in blocks(root / "README.md", "sh")]
    assert sorted(shown, key=str) == sorted(runners)
    for mark, runner in runners.items():
        assert f"<!-- {mark} -->" in runner.read_text(encoding="utf-8")


def test_the_quickstart_installs_what_its_session_installs(root: Path, packages: list[Path]) -> None:
    """The session reads the packages and the one command that runs from the block."""
    (block,) = [block for block in blocks(root / "README.md", "sh") if block["mark"] == "quickstart"]
    named = re.findall(r"\./packages/([\w-]+)", block["text"])
    assert set(named) <= {path.name for path in packages}
    assert re.findall(r"skyfall-crl run .+", block["text"]) == [
        "skyfall-crl run docs/examples/quickstart.yaml"
    ]


def test_every_page_is_in_the_navigation(root: Path) -> None:
    """A page that nothing leads to is lost."""
    yaml = pytest.importorskip("yaml", reason="PyYAML isn't installed here")
    settings = yaml.safe_load((root / "docs" / "mkdocs.yml").read_text(encoding="utf-8"))

    def paths(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        children = entry.values() if isinstance(entry, dict) else entry
        return [path for child in children for path in paths(child)]

    pages = {page.relative_to(root / "docs").as_posix() for page in PAGES if page.parent != root}
    assert set(paths(settings["nav"])) == pages


def test_every_public_module_has_its_entry_of_reference(root: Path, sources: list[Path]) -> None:
    """A module under docs/reference/api is one `:::` line; a new one is written there by hand."""
    pages = (root / "docs" / "reference" / "api").glob("*.md")
    shown = {name for page in pages for name in re.findall(r"^::: (\S+)$", page.read_text("utf-8"), re.M)}
    names = [path.with_suffix("").parts for path in sources]
    modules = {".".join(parts[parts.index("src") + 1 :]) for parts in names if not parts[-1].startswith("_")}
    assert shown == modules


def test_the_page_on_the_world_prints_the_published_levels(root: Path) -> None:
    """The table is written by hand once and compared with the file that policies are scored against."""
    folder = root / "packages/morpheus/src/skyfall_crl/env/morpheus/references"
    tables = json.loads((folder / "published.json").read_text("utf-8"))
    page = (root / "docs/explanation/world.md").read_text("utf-8")
    for layout in ("process-outbound", "process-outbound/evidence"):
        published = tables[layout]["configurations"]
        for name in published["A"]:
            cells = [published[key][name] for key in "ABC"]
            numbers = " | ".join(f"{cell['mean']:.3f} ± {cell['half_width']:.3f}" for cell in cells)
            assert f"| `{name}` | {numbers} |" in page
