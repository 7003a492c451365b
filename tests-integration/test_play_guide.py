"""The guide to the game shows what the game prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("skyfall_crl.env.morpheus.command_line.play", reason="the plugin isn't installed here")


def test_every_line_of_the_guides_transcripts_is_printed(root: Path) -> None:
    """The lines of both blocks appear in the game that the last block of the page plays."""
    page = (root / "docs" / "guides" / "play.md").read_text(encoding="utf-8")
    (fed,) = re.findall(r"^\$ printf '(.+)' \| skyfall-crl morpheus play (.+) > game.txt$", page, re.M)
    played = subprocess.run(
        [sys.executable, "-m", "skyfall_crl.cli.main", "morpheus", "play", *fed[1].split()],
        input=fed[0].replace("\\n", "\n"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    printed = [line.rstrip() for line in played.stdout.splitlines()]
    shown = re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S)
    assert len(shown) == 2
    for block in shown:
        for line in block.splitlines():
            if line.startswith("──"):
                assert any(line.strip("─") == other.strip("─") for other in printed)
            else:
                assert line.rstrip() in printed
