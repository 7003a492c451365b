"""Every block of the guide to export and serving, run in order in one folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BLOCK = re.compile(r'^```(sh|yaml|python)(?: title="(\S+)")?\n(.*?)^```$', re.M | re.S)
SHELL = 'set -eu\nskyfall-crl() {{ {python} -m skyfall_crl.cli.main "$@"; }}\n'


@pytest.fixture(scope="module")
def blocks(root: Path) -> list[tuple[str, str, str]]:
    """Kind, title and text of each block."""
    for portion in ("skyfall_crl.serve", "skyfall_crl.env.morpheus"):
        pytest.importorskip(portion, reason=f"{portion} isn't installed here")
    return BLOCK.findall((root / "docs" / "guides" / "export-and-serve.md").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_guide_can_be_followed(blocks: list[tuple[str, str, str]], tmp_path: Path) -> None:
    """Files are written, commands and programs run; only the installation is left out."""
    ran = 0
    for kind, title, text in blocks:
        if title == "install":
            assert re.fullmatch(r"pip install skyfall-crl-serve\n", text)
        elif kind == "yaml":
            (tmp_path / title).write_text(text, encoding="utf-8")
        else:
            command = ["bash", "-c", SHELL.format(python=sys.executable) + text]
            if kind == "python":
                command = [sys.executable, "-c", text]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
            assert done.returncode == 0, text + done.stdout + done.stderr
            ran += 1
    assert ran == 5
    assert (tmp_path / "again" / "trace.jsonl").is_file()
    assert (tmp_path / "pole" / "manifest.yaml").is_file()


def test_the_manifest_and_the_page_name_the_same_keys(root: Path) -> None:
    """A key that is added is written into the reference by hand."""
    bundle = pytest.importorskip("skyfall_crl.serve.bundle", reason="serving isn't installed here")
    page = (root / "docs" / "reference" / "bundle.md").read_text(encoding="utf-8")
    documented = {
        key for line in re.findall(r"^\| (`.*?`) \|", page, re.M) for key in re.findall(r"`(\w+)`", line)
    }
    known = {*bundle.Bundle.model_fields, *bundle.PolicyRef.model_fields}
    assert known <= documented
