"""Which plugins are installed, and that finding out imports none of them."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from skyfall_crl.registry.discovery import candidates
from skyfall_crl.registry.scan import plugin_names


@pytest.mark.usefixtures("here")
def test_a_plugin_is_found_with_whose_it_is_and_what_that_needs(install_plugin: Callable[..., None]) -> None:
    """The metadata says name, version and requirements."""
    install_plugin("acme", "", distribution="acme-world", version="2.1", requires=("numpy", "skyfall-crl>=1"))
    (found,) = candidates()["acme"]
    assert (found.distribution, found.version, found.requires) == (
        "acme-world",
        "2.1",
        ("numpy", "skyfall-crl>=1"),
    )


def test_finding_plugins_imports_none(
    install_plugin: Callable[..., None], run_python: Callable[..., CompletedProcess[str]]
) -> None:
    """A plugin that would end the interpreter is found all the same."""
    install_plugin("acme", "import os; os._exit(3)")
    done = run_python(
        "from skyfall_crl.registry import installed_plugins; print(installed_plugins()['acme'])"
    )
    assert (done.returncode, done.stdout) == (0, "acme-plugin 1.0\n")


@pytest.mark.usefixtures("here")
def test_metadata_is_read_once_even_when_it_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding nothing is an answer that is kept."""
    calls: list[str] = []

    def read(group: str) -> list[str]:
        calls.append(group)
        return []

    monkeypatch.setattr("skyfall_crl.registry.discovery.entry_points", read)
    assert candidates() == candidates() == {}
    assert calls == ["skyfall_crl"]


@pytest.mark.usefixtures("here")
def test_a_scan_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half an answer is never kept."""
    answers = iter([OSError("disk went away")])

    def read(group: str) -> list[str]:
        for failure in answers:
            raise failure
        return []

    monkeypatch.setattr("skyfall_crl.registry.discovery.entry_points", read)
    with pytest.raises(OSError, match="went away"):
        candidates()
    assert candidates() == {}


@pytest.mark.usefixtures("here")
def test_one_distribution_on_two_paths_is_one_claim(
    install_plugin: Callable[..., None], tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy that comes first on the path counts."""
    install_plugin("acme", "")
    older = tmp_path / "older" / "acme_plugin-0.9.dist-info"
    older.mkdir(parents=True)
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: acme.plugin\nVersion: 0.9\n")
    (older / "entry_points.txt").write_text("[skyfall_crl]\nacme = gone\nolder = gone\n")
    monkeypatch.syspath_prepend(older.parent)
    monkeypatch.syspath_prepend(site)
    assert [claim.version for claim in candidates()["acme"]] == ["1.0"]
    assert "older" not in plugin_names()


@pytest.mark.usefixtures("here")
def test_the_scan_for_help_texts_finds_what_the_metadata_says(
    install_plugin: Callable[..., None], site: Path
) -> None:
    """Both ways of looking agree, whatever else an entry point file holds."""
    install_plugin("acme", "")
    install_plugin("zebra-two", "", distribution="Zebra.Two")
    other = site / "other.egg-info"
    other.mkdir()
    (other / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (other / "entry_points.txt").write_text(
        "[console_scripts]\nnot-me = x:y\n\n[skyfall_crl]\n# hush = x\nmine=x.y\nalso = x:z\n"
        "[skyfall_crl.other]\nno = x\n"
    )
    assert plugin_names() == list(candidates())
    assert {"acme", "also", "mine", "zebra-two"} <= set(plugin_names())


def test_a_plugin_module_pulls_in_the_two_modules_it_needs(
    run_python: Callable[..., CompletedProcess[str]],
) -> None:
    """Naming things costs nothing of the rest."""
    program = """
import json, sys
from skyfall_crl.registry import Ref, hookimpl
heavy = {"gymnasium", "httpx", "numpy", "pydantic"}
print(json.dumps(sorted(m for m in sys.modules if m.startswith("skyfall_crl") or m in heavy)))
"""
    assert json.loads(run_python(program).stdout) == [
        "skyfall_crl",
        "skyfall_crl.registry",
        "skyfall_crl.registry.hookspecs",
        "skyfall_crl.registry.reference",
    ]
