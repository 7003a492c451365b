"""A run's steps in the formats of other tools."""

import csv
from pathlib import Path

import msgspec
import pytest

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.study.export_l2 import FIELDS, write_l2
from skyfall_crl.study.export_rows import trace_of, write_csv, write_parquet


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Two worlds over A, b, a: three blocks, one evaluation between, and one step without a reward."""
    rows: list[dict[str, object]] = [{"kind": "provenance", "created": "2026-01-02T03:04:05+00:00"}]
    for step, identity in enumerate(["A", "A", "b", "b", "a", "a"]):
        if step == 4:
            rows.append({"step": 0, "world": "eval", "phase": "eval", "regime_id": "A", "reward": 1.0})
        for world in ("w0", "w1"):
            reward = None if (step, world) == (3, "w1") else step + 0.5
            terms = {"hit": reward, "late": 0.0} if step else None
            row = {
                "step": step,
                "world": world,
                "regime_id": identity,
                "reward": reward,
                "reward_terms": terms,
            }
            rows.append(
                {**row, "action": [step, 1], "outcome": {"accepted": True, "reason": None}, "wall_ms": step}
            )
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, rows)) + b"\n")
    return path


def test_an_l2_log_has_a_block_for_each_stay_and_a_worker_for_each_world(trace: Path, tmp_path: Path) -> None:
    found = write_l2(trace, tmp_path / "log")
    assert (found.experiences, found.blocks, found.left_out) == (12, 4, 1)
    assert msgspec.json.decode((tmp_path / "log/logger_info.json").read_bytes())["metrics_columns"] == [
        "reward"
    ]
    files = sorted(
        str(path.parent.relative_to(tmp_path / "log")) for path in (tmp_path / "log").rglob("*.tsv")
    )
    assert files == [
        "eval/2-test",
        "w0/0-train",
        "w0/1-train",
        "w0/3-train",
        "w1/0-train",
        "w1/1-train",
        "w1/3-train",
    ]
    with (tmp_path / "log/w0/3-train/data-log.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert list(rows[0]) == list(FIELDS)
    assert rows[0]["timestamp"] == "20260102T030405.004000"
    assert (rows[0]["block_num"], rows[0]["exp_num"], rows[0]["reward"]) == ("3", "5", "4.5")
    # readers make task names lower case, which must not turn `a` into `A`
    with (tmp_path / "log/w0/0-train/data-log.tsv").open(encoding="utf-8") as file:
        first = next(csv.DictReader(file, delimiter="\t"))
    assert first["task_name"].lower() != rows[0]["task_name"].lower()


def test_an_l2_log_is_not_appended_to(trace: Path, tmp_path: Path) -> None:
    write_l2(trace, tmp_path / "log")
    with pytest.raises(ConfigError, match="expected a new or an empty folder"):
        write_l2(trace, tmp_path / "log")


def test_a_csv_file_has_a_column_for_each_term_and_nothing_for_null(trace: Path, tmp_path: Path) -> None:
    assert write_csv(trace, tmp_path / "rows.csv") == 13
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[3]["reward_terms.hit"] == "1.5"
    assert rows[0]["reward_terms.hit"] == ""
    assert rows[0]["action"] == "[0,1]"
    assert {row["phase"] for row in rows} == {"train", "eval"}


def test_a_parquet_file_has_the_same_rows(trace: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert write_parquet(trace, tmp_path / "rows.parquet") == 13
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table.num_rows == 13
    assert table.column("reward").to_pylist()[:3] == [0.5, 0.5, 1.5]
    assert table.column("reward").null_count == 1
    assert table.schema.field("accepted").type == "bool"


def test_a_folder_without_a_trace_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a trace, or a run directory with one"):
        trace_of(tmp_path)
