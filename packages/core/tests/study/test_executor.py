"""Runs in child processes: to the end, into a failure, stopped, killed and gone on with."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.registry import load
from skyfall_crl.study.executor import ProcessExecutor, RunFailure, Tick
from skyfall_crl.study.traces import trace_digest

pytestmark = pytest.mark.floor

CONFIG: dict[str, Any] = {
    "env": {"id": "skyfall_crl.testing.doubles:SwitchingBandit"},
    "policy": {"id": "linear"},
    "algorithm": {"id": "reinforce"},
    "run": {"steps": 96, "num_envs": 2, "window_steps": 16, "checkpoint_steps": 16},
    "metrics": {"window": 8},
}


@pytest.fixture
def write_config(tmp_path: Path) -> Callable[..., Path]:
    """Write the config with other values in its `run` section."""

    def write(**run: Any) -> Path:
        path = tmp_path / "config.yaml"
        path.write_text(dump_yaml({**CONFIG, "run": {**CONFIG["run"], **run}}), encoding="utf-8")
        return path

    return write


def finished(directory: Path) -> Any:
    return msgspec.json.decode((directory / "provenance.json").read_bytes()).get("finished")


def test_a_child_runs_to_the_end_with_one_thread_and_tells_of_its_windows(
    write_config: Callable[..., Path], tmp_path: Path
) -> None:
    heard: list[Tick] = []
    executor = load("run_executors", "process")()
    executor.watch(lambda directory, tick: heard.append(tick), lambda: False)
    out = executor.execute(write_config(), ["run.seed=3"], out=tmp_path / "run")
    assert finished(out)["status"] == "completed"
    assert (out / "report.html").is_file()
    assert [tick.step for tick in heard] == [16, 32, 48, 64, 80, 96]
    assert {(tick.steps, tick.worlds) for tick in heard} == {(96, 2)}
    record = msgspec.json.decode((out / "provenance.json").read_bytes())
    assert record["seed"] == 3
    assert record["platform"]["blas_threads"] == 1


def test_a_failed_child_leaves_what_it_said_in_its_directory(
    write_config: Callable[..., Path], tmp_path: Path
) -> None:
    path = write_config()
    with pytest.raises(RunFailure, match=r"config: env.kwargs: .*nonsense"):
        ProcessExecutor().execute(path, ["env.kwargs.nonsense=1"], out=tmp_path / "run")
    said = (tmp_path / "run/error.txt").read_text(encoding="utf-8")
    assert "ended with exit code 2" in said
    assert ProcessExecutor(report=False).execute(path, out=tmp_path / "run")
    assert not (tmp_path / "run/error.txt").exists()
    assert (tmp_path / "run/metrics.json").is_file()
    assert not (tmp_path / "run/report.html").exists()


def test_a_killed_run_goes_on_and_ends_with_the_rows_of_one_that_was_not(
    write_config: Callable[..., Path], tmp_path: Path
) -> None:
    path = write_config(steps=960)
    out = tmp_path / "killed"
    child = subprocess.Popen(
        [sys.executable, "-m", "skyfall_crl.study.child", str(path), str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        for _ in range(3):
            child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
    assert finished(out) is None
    executor = ProcessExecutor()
    executor.execute(path, out=out)
    record = msgspec.json.decode((out / "provenance.json").read_bytes())
    assert record["finished"]["status"] == "completed"
    assert len(record["resumes"]) == 1
    load("run_executors", "local")().execute(path, out=tmp_path / "whole")
    assert trace_digest(out / "trace.jsonl") == trace_digest(tmp_path / "whole/trace.jsonl")


def test_a_stop_lets_the_child_finish_its_step_and_keep_what_it_has(
    write_config: Callable[..., Path], tmp_path: Path
) -> None:
    begun = threading.Event()
    executor = ProcessExecutor()
    executor.watch(lambda directory, tick: begun.set(), begun.is_set)
    with pytest.raises(RunFailure, match=r"run: interrupted at step \d+ of 1000000"):
        executor.execute(write_config(steps=1_000_000), out=tmp_path / "run")
    assert finished(tmp_path / "run")["status"] == "interrupted"


def test_a_child_whose_parent_died_stops(write_config: Callable[..., Path], tmp_path: Path) -> None:
    out, path = tmp_path / "orphan", write_config(steps=1_000_000)
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from skyfall_crl.study.executor import ProcessExecutor\n"
        "executor = ProcessExecutor()\n"
        "executor.watch(lambda directory, tick: os.kill(os.getpid(), 9), lambda: False)\n"
        f"executor.execute(Path({str(path)!r}), out=Path({str(out)!r}))\n"
    )
    read, write = os.pipe()
    parent = subprocess.Popen([sys.executable, "-c", program], pass_fds=(write,), stderr=write)
    os.close(write)
    assert parent.wait(60) == -signal.SIGKILL
    os.close(read)
    _wait_for_end(out)
    assert finished(out)["status"] == "interrupted"


def _wait_for_end(out: Path) -> None:
    """Wait until the run has written how it ended."""
    pause = threading.Event()
    for _ in range(600):
        if (out / "provenance.json").is_file() and finished(out) is not None:
            return
        pause.wait(0.05)


def test_a_directory_with_another_run_is_left_alone(
    write_config: Callable[..., Path], tmp_path: Path
) -> None:
    executor = load("run_executors", "local")()
    executor.execute(write_config(), out=tmp_path / "run")
    before = (tmp_path / "run/trace.jsonl").read_bytes()
    with pytest.raises(CheckpointError, match="found one of another"):
        executor.execute(write_config(), ["run.seed=9"], out=tmp_path / "run")
    assert (tmp_path / "run/trace.jsonl").read_bytes() == before
