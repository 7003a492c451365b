"""Equal seeds give equal rows: on every Python, for scripted policies, and for a learner on one machine."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from skyfall_crl.config import parse_config
from skyfall_crl.trace import first_difference, read_rows, without_clock
from skyfall_crl.train.run import run

DRIFT = {
    "shift_mode": "linear_drift",
    "drift_window": 60,
    "regimes": [
        {"regime_id": "A", "duration_steps": 150, "axes": {"cause_mix": "A", "payment_terms": "A"}},
        {"regime_id": "B", "duration_steps": 150, "axes": {"cause_mix": "B", "fault_probability": 0.3}},
        {"regime_id": "A2", "alias_of": "A"},
    ],
}
ROWS = {
    "morpheus/hand-rule": "5f9969754100f0bc",
    "morpheus/look-then-fix": "52568b1ccdbc82d4",
    "morpheus/informed": "d3081651dac5ca4f",
}


def config(policy: str, algorithm: str | None = None, seed: int = 17):
    document = {
        "env": {"id": "morpheus/world"},
        "regime": {"provider": "scheduled", "params": {"schedule": DRIFT}},
        "policy": {"id": policy},
        "run": {"steps": 500, "num_envs": 2, "seed": seed},
    }
    if algorithm is not None:
        document["algorithm"] = {"id": algorithm}
    return parse_config(document, source="test")


def digest(path: Path) -> str:
    rows = hashlib.sha256()
    for row in read_rows(path):
        if row["kind"] != "provenance":
            rows.update(msgspec.json.encode(without_clock(row), order="sorted"))
    return rows.hexdigest()[:16]


@pytest.mark.parametrize(("policy", "expected"), ROWS.items())
def test_a_scripted_policy_writes_the_same_rows_on_every_python(
    tmp_path: Path, policy: str, expected: str
) -> None:
    run(config(policy), tmp_path / "run")
    assert digest(tmp_path / "run/trace.jsonl") == expected


def test_a_learner_writes_the_same_rows_twice_and_others_for_another_seed(tmp_path: Path) -> None:
    for name, seed in (("one", 17), ("two", 17), ("other", 18)):
        run(config("builtin/mlp", "builtin/ppo", seed), tmp_path / name)
    traces = [tmp_path / name / "trace.jsonl" for name in ("one", "two", "other")]
    assert first_difference(traces[0], traces[1]) is None
    assert first_difference(traces[0], traces[2]) is not None
