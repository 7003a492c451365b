"""A run scored and reported."""

from pathlib import Path

import msgspec
import pytest

from skyfall_crl.config import parse_config
from skyfall_crl.ports.errors import CrlError
from skyfall_crl.ports.metric import MetricValue
from skyfall_crl.registry import load
from skyfall_crl.study import run_once


class Counting:
    """Counts rows."""

    def begin(self, header: dict) -> None:
        self.rows_seen, self.seed = 0, header["seed"]

    def rows(self, batch: dict) -> None:
        self.rows_seen += len(batch["reward"])

    def end(self) -> list[MetricValue]:
        return [MetricValue("row_count", 1, None, float(self.rows_seen), None, "rows", "higher")]


def config(*ids: str, **run: int):
    document = {
        "env": {"id": "skyfall_crl.testing.doubles:SwitchingBandit"},
        "policy": {"id": "random"},
        "run": {"steps": 60, "num_envs": 2, **run},
        "metrics": {"ids": list(ids)},
    }
    return parse_config(document, source="test")


def test_metrics_of_others_are_scored_in_the_same_pass(tmp_path: Path) -> None:
    run_once(config(f"{__name__}:Counting"), tmp_path / "run")
    scored = msgspec.json.decode((tmp_path / "run/metrics.json").read_bytes())
    assert "row_count" in str(scored)
    assert "120" in str(scored)


def test_an_unknown_metric_is_an_error_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(CrlError, match="nonsense"):
        run_once(config("nonsense"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_stopped_before_its_first_step_has_a_report_and_no_score(tmp_path: Path) -> None:
    assert run_once(config(), tmp_path / "run", stop=lambda: True).status == "interrupted"
    assert (tmp_path / "run/report.html").is_file()
    assert not (tmp_path / "run/metrics.json").exists()


def test_the_local_executor_returns_a_finished_run_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    document = tmp_path / "short.yaml"
    document.write_text(
        "{env: {id: CartPole-v1}, policy: {id: random}, run: {steps: 9}, metrics: {window: 5}}",
        encoding="utf-8",
    )
    directory = load("run_executors", "local")().execute(document, ["run.seed=4"])
    assert directory.parent == Path("runs")
    assert (directory / "report.html").is_file()
    assert msgspec.json.decode((directory / "provenance.json").read_bytes())["seed"] == 4
