"""Sinks and hooks of a run."""

import json
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from skyfall_crl.train.run import run
from skyfall_crl.train.sinks import pump as pumping
from skyfall_crl.train.sinks.pump import SinkPump


class Keeper:
    """Keeps everything it is given."""

    made: "list[Keeper]" = []  # noqa: RUF012

    def __init__(self, fails: bool = False) -> None:
        self.fails, self.given, self.status, self.run = fails, [], None, None
        Keeper.made.append(self)

    def open(self, run: Mapping) -> None:
        self.run = run

    def rows(self, batch) -> None:
        if self.fails:
            raise OSError("disk full")
        self.given.extend(batch)

    def close(self, status: str) -> None:
        self.status = status


def test_a_sink_gets_the_rows_of_the_trace_and_how_it_ended(configure, read, tmp_path: Path) -> None:
    run(configure(sinks=[{"id": f"{__name__}:Keeper"}]), tmp_path / "run")
    keeper = Keeper.made[-1]
    told = [row for row in keeper.given if row["kind"] == "step"]
    assert told == [row for row in read(tmp_path / "run") if row["kind"] == "step"]
    assert (keeper.status, keeper.run["kind"]) == ("completed", "provenance")


def test_a_sink_that_fails_is_detached_and_the_run_says_so(configure, tmp_path: Path) -> None:
    config = configure(sinks=[{"id": f"{__name__}:Keeper", "kwargs": {"fails": True}}])
    result = run(config, tmp_path / "run")
    assert result.status == "completed"
    (problem,) = [
        p
        for p in json.loads((tmp_path / "run/provenance.json").read_text())["problems"]
        if p["what"] == "sink"
    ]
    assert problem["error"] == "raised OSError: disk full"


def test_a_sink_that_hangs_is_given_up_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pumping, "QUEUED_WINDOWS", 1)
    monkeypatch.setattr(pumping, "PATIENCE_SECONDS", 0.05)
    release = threading.Event()

    class Hanging(Keeper):
        def rows(self, batch) -> None:
            release.wait(10)

    pump = SinkPump("hanging", Hanging(), {})
    for _ in range(4):
        pump.put([{}])
    assert "behind" in pump.failure
    release.set()
    pump.close("completed")
    assert not pump._thread.is_alive()
