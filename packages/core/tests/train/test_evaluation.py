"""Frozen-policy evaluation."""

from pathlib import Path

import pytest

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.trace import first_difference, without_clock
from skyfall_crl.train.run import resume, run

EVALUATE = {"every_steps": 32, "steps": 6, "regimes": "all", "world": "fork"}


def test_each_identity_gets_a_block_of_rows_in_a_world_of_its_own(configure, read, tmp_path: Path) -> None:
    run(configure(evaluate=EVALUATE), tmp_path / "run")
    blocks: dict[str, list] = {}
    for row in read(tmp_path / "run"):
        if row.get("phase") == "eval":
            blocks.setdefault(row["world"], []).append((row["step"], row["regime_id"], row["policy_version"]))
    expected = [f"eval/{step}/{name}" for step in (0, 32, 64, 96, 100) for name in "AB"]
    assert list(blocks) == expected
    assert blocks["eval/64/B"] == [(step, "B", 4) for step in range(6)]


def test_only_met_identities_are_evaluated_when_asked(configure, read, tmp_path: Path) -> None:
    run(configure(evaluate={**EVALUATE, "every_steps": 16, "regimes": "met"}), tmp_path / "run")
    worlds = {row["world"] for row in read(tmp_path / "run") if row.get("phase") == "eval"}
    assert {world for world in worlds if world.startswith("eval/16/")} == {"eval/16/A"}
    assert {world for world in worlds if world.startswith("eval/48/")} == {"eval/48/A", "eval/48/B"}


def test_the_end_of_a_run_is_evaluated_whatever_the_interval(configure, read, tmp_path: Path) -> None:
    run(configure(evaluate={**EVALUATE, "every_steps": 64}), tmp_path / "run")
    worlds = [row["world"] for row in read(tmp_path / "run") if row.get("phase") == "eval"]
    assert list(dict.fromkeys(world.split("/")[1] for world in worlds)) == ["0", "64", "100"]


@pytest.mark.parametrize("world", ["fork", "fresh"])
def test_training_goes_on_as_it_would_have_without_evaluation(
    configure, read, tmp_path: Path, world: str
) -> None:
    run(configure(), tmp_path / "without")
    run(configure(evaluate={**EVALUATE, "world": world}), tmp_path / "with")
    rows = [without_clock(row) for row in read(tmp_path / "with")[1:] if row.get("phase") != "eval"]
    trained = [row for row in rows if not row.get("world", "").startswith("eval/")]
    assert trained == [without_clock(row) for row in read(tmp_path / "without")[1:]]


def test_an_evaluated_run_resumes_as_it_would_have_gone_on(configure, tmp_path: Path) -> None:
    config = configure(evaluate=EVALUATE, run={"checkpoint_steps": 16})
    run(config, tmp_path / "whole")
    run(config, tmp_path / "part", stop=iter([False] * 62 + [True] * 9).__next__)
    resume(tmp_path / "part")
    assert first_difference(tmp_path / "whole/trace.jsonl", tmp_path / "part/trace.jsonl") is None


def test_a_world_without_forks_can_only_be_evaluated_fresh(configure, tmp_path: Path) -> None:
    cart = {"env": {"id": "CartPole-v1", "kwargs": {}}, "regime": None, "run": {"steps": 40}}
    with pytest.raises(ConfigError, match=r"evaluate\.world: expected fresh or none"):
        run(configure(**cart, evaluate=EVALUATE), tmp_path / "fork")
    assert (
        run(configure(**cart, evaluate={**EVALUATE, "world": "fresh"}), tmp_path / "fresh").status
        == "completed"
    )
