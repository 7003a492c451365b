"""A run's report, opened from its file in a real browser without a network."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--virtual-time-budget=10000",
)
CONFIG = """
env: {id: morpheus/world}
regime:
  provider: scheduled
  params:
    schedule:
      shift_mode: cyclic
      regimes:
        - {regime_id: A, duration_steps: 100, axes: {cause_mix: A, payment_terms: A}}
        - {regime_id: B<i>, duration_steps: 100, axes: {cause_mix: B, payment_terms: B}}
policy: {id: mlp}
algorithm: {id: ppo}
run: {steps: 400, num_envs: 2, seed: 3}
"""

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(
        not CHROMIUM.exists(), reason=f"no browser here: {CHROMIUM} is Debian's package chromium"
    ),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a small run of the embedded world, two visits of each of two regimes."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "run.yaml").write_text(CONFIG, encoding="utf-8")
    command = [sys.executable, "-m", "skyfall_crl.cli.main", "run", "run.yaml", "--out", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "out" / "report.html"


@pytest.fixture(scope="module")
def opened(report: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The page's DOM once its scripts have run, and what the browser had to say."""
    return browse(report, tmp_path_factory.mktemp("profile"), "--dump-dom")


def browse(page: Path, profile: Path, *options: str) -> tuple[str, str]:
    """Open a page in a browser of its own; returns what it prints and what it logs."""
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", *options, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_every_figure_is_drawn(opened: tuple[str, str]) -> None:
    """Each figure of the page became an SVG with at least one curve or bar."""
    dom, _ = opened
    drawn = re.split(r'<div class="plot[^"]*" id="plot-', dom)[1:]
    assert [figure.partition('"')[0] for figure in drawn] == [
        "reward",
        "outcomes",
        "term-0",
        "term-1",
        "term-2",
    ]
    for figure in drawn:
        assert re.search(r'<g class="trace (scatter|bars)[^"]*"', figure), figure[:200]


def test_regimes_and_references_are_labelled(opened: tuple[str, str]) -> None:
    """The strip above the curve names each visit, markup in a name stays text, and the legend names the lines."""
    dom, _ = opened
    main = dom.partition('id="plot-reward"')[2].partition('id="figure-reward"')[0]
    labels = re.findall(r'<text class="bartext[^>]*>([^<]*)</text>', main)
    assert labels == ["A", "B&lt;i&gt;", "A", "B&lt;i&gt;"]
    names = re.findall(r'<text class="legendtext"[^>]*>([^<]*)</text>', main)
    assert {"mean reward", "range over worlds", "random", "informed", "bound"} <= set(names)


def test_no_script_fails_and_nothing_is_fetched(opened: tuple[str, str]) -> None:
    """The console stays silent: no error, and no request that the page's own policy had to stop."""
    _, log = opened
    assert complaints(log) == []


def test_a_failing_script_and_a_request_would_be_noticed(report: Path, tmp_path: Path) -> None:
    """The check above sees what goes wrong in the same page with a broken script and a picture from elsewhere."""
    page = tmp_path / "broken.html"
    broken = '<img src="https://example.invalid/x.png"><script>missing()</script></body>'
    page.write_text(report.read_text(encoding="utf-8").replace("</body>", broken), encoding="utf-8")
    _, log = browse(page, tmp_path / "profile", "--dump-dom")
    assert any("missing is not defined" in line for line in complaints(log))
    assert any("example.invalid" in line and "Content Security Policy" in line for line in complaints(log))


def complaints(log: str) -> list[str]:
    """What the page's console says in a browser's log."""
    return [line for line in log.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("width", [1280, 500])
def test_the_page_can_be_photographed(report: Path, tmp_path: Path, width: int) -> None:
    """At the width of a desk and of a phone the browser paints a picture that is no blank sheet."""
    picture = tmp_path / "report.png"
    browse(
        report,
        tmp_path / "profile",
        f"--window-size={width},1600",
        "--hide-scrollbars",
        f"--screenshot={picture}",
    )
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">II", content[16:24]) == (width, 1600)
    assert len(content) > 50_000
