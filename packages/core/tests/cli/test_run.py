"""The `run` command, as a process."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.floor

CONFIG = """
env: {id: "skyfall_crl.testing.doubles:SwitchingBandit"}
regime:
  provider: scheduled
  params:
    schedule:
      shift_mode: cyclic
      regimes:
        - {regime_id: A, duration_steps: 100}
        - {regime_id: B, duration_steps: 100, axes: {offset: 1}}
policy: {id: mlp}
algorithm: {id: ppo}
run: {steps: 400, window_steps: 20, num_envs: 2}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "bandit.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "skyfall_crl.cli.main", *map(str, words)]


def crl(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def test_a_run_prints_plain_lines_when_not_on_a_terminal_and_says_where_its_results_are(
    config, tmp_path
) -> None:
    done = crl("run", config, "--out", "out", "run.seed=3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "step 400/400  regime B  reward" in done.stdout
    assert "completed at step 400 of 400" in done.stdout
    for name in ("config.yaml", "metrics.json", "provenance.json", "report.html", "trace.jsonl"):
        assert (tmp_path / "out" / name).is_file()
    assert "seed: 3" in (tmp_path / "out/config.yaml").read_text(encoding="utf-8")


def test_on_a_terminal_a_run_shows_a_live_line(config, tmp_path: Path) -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "150"}
    words = command("run", config, "--out", "out")
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdin=child, stdout=child, stderr=child)
    os.close(child)
    shown = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(parent, 65536):
            shown += chunk
    os.close(parent)
    assert process.wait(timeout=60) == 0, shown
    text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", shown).decode()
    assert "running into out" in text
    assert re.search(r"step 400/400 .* regime B reward \d\.\d{3} [\d,]+ steps/s .* left", text)
    assert "completed at step 400 of 400" in text


def test_without_out_a_run_goes_into_a_directory_named_after_config_and_time(config, tmp_path: Path) -> None:
    assert crl("run", config, "run.steps=20", cwd=tmp_path).returncode == 0
    (directory,) = (tmp_path / "runs").iterdir()
    assert directory.name.startswith("bandit-2")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_finishes_the_step_and_leaves_a_run_that_resumes(
    config, tmp_path: Path, number: int
) -> None:
    words = ("run", config, "--out", "out", "run.steps=200000")
    process = subprocess.Popen(command(*words), cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("step "):
            break
    process.send_signal(number)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted at step" in rest
    assert "run --resume out" in rest
    assert (tmp_path / "out/report.html").is_file()
    text = (tmp_path / "out/config.yaml").read_text(encoding="utf-8")
    reached = int(rest.partition("interrupted at step ")[2].split()[0])
    (tmp_path / "out/config.yaml").write_text(text.replace("200000", str(reached + 40)), encoding="utf-8")
    resumed = crl("run", "--resume", "out", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert f"completed at step {reached + 40}" in resumed.stdout


def test_a_file_named_stop_in_its_directory_stops_a_run_until_it_is_taken_away(
    config, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        command("run", config, "--out", "out", "run.steps=200000"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("step "):
            break
    (tmp_path / "out/STOP").touch()
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted at step" in rest
    assert crl("run", "--resume", "out", cwd=tmp_path).returncode == 130
    (tmp_path / "out/STOP").unlink()
    text = (tmp_path / "out/config.yaml").read_text(encoding="utf-8")
    reached = int(rest.partition("interrupted at step ")[2].split()[0])
    (tmp_path / "out/config.yaml").write_text(text.replace("200000", str(reached + 40)), encoding="utf-8")
    assert crl("run", "--resume", "out", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run"], "expected a config file"),
        (["run", "absent.yaml"], "absent.yaml"),
        (["run", "bandit.yaml", "run.stepz=3"], "run.stepz: unknown key; did you mean 'steps'?"),
        (["run", "bandit.yaml", "env.id=CartPoll-v1"], "CartPole-v1"),
        (["run", "--resume", "."], "nothing to resume"),
        (["run", "bandit.yaml", "--resume", "out"], "the run has its own"),
        (["run", "bandit.yaml", "--out", "bandit.yaml"], "can't be made"),
        (["--plugins-only", "run", "bandit.yaml"], "skyfall_crl.testing.doubles:SwitchingBandit"),
    ],
)
def test_a_mistake_is_one_line_on_standard_error_and_a_code(
    config, tmp_path: Path, words: list, said: str
) -> None:
    done = crl(*words, cwd=tmp_path)
    assert done.returncode == (1 if "--resume" in words and "bandit.yaml" not in words else 2)
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["bandit.yaml"]


def test_a_secret_does_not_reach_any_file_or_output(config, tmp_path: Path) -> None:
    canary = "canary-9c31"
    source = (
        "from skyfall_crl.testing.doubles import SwitchingBandit\n"
        "def build(token):\n    assert token == 'canary-9c31'\n    return SwitchingBandit()\n"
    )
    (tmp_path / "keyed.py").write_text(source, encoding="utf-8")
    environment = {**os.environ, "CRL_KEY": canary}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    words = command(
        "run", config, "--out", "out", "env.id=keyed:build", "env.kwargs.token=${env:CRL_KEY}", "run.steps=40"
    )
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert canary not in done.stdout + done.stderr
    found = [
        path
        for path in (tmp_path / "out").rglob("*")
        if path.is_file() and canary in path.read_text("latin-1")
    ]
    assert found == []
