"""The tests that the guide shows, run on the plugin that the guide before it makes."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FILE = re.compile(r'^```python title="(?:src/)?(\S+)"\n(.*?)^```$', re.M | re.S)


@pytest.fixture
def folder(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path with the Python files that both guides show."""
    pytest.importorskip("skyfall_crl.testing", reason="the core isn't installed here")
    for page in ("write-a-plugin.md", "test-a-plugin.md"):
        for name, text in FILE.findall((root / "docs" / "guides" / page).read_text(encoding="utf-8")):
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (tmp_path / "acme_world" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_world"]:
        del sys.modules[name]


def test_the_press_passes_the_tests_shown(folder: Path) -> None:
    """Every test of the guide that needs no installed plugin is called as it stands there."""
    source = (folder / "tests" / "test_conformance.py").read_text(encoding="utf-8")
    shown: dict[str, object] = {}
    exec(compile(source, "test_conformance.py", "exec"), shown)
    tests = {name: test for name, test in shown.items() if name.startswith("test_") and callable(test)}
    assert len(tests) == 3
    for name, test in tests.items():
        if name != "test_the_plugin_is_well_made":
            test()


def test_the_checker_shown_passes_the_press_and_no_other(folder: Path) -> None:
    """A checker that passes everything would be none."""
    from skyfall_crl.registry.reference import import_target
    from skyfall_crl.testing import ConformanceError

    check_press, press = map(import_target, ("acme_world.conformance:check_press", "acme_world.press:Press"))
    check_press(press)
    deaf = type("Deaf", (press,), {"regime_axes": ()})
    with pytest.raises(ConformanceError, match=r"expected every axis in `selected`"):
        check_press(deaf)
