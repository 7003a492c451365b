"""Bounds that are measured in a run's own worlds, kept, and used."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.config import RunConfig, parse_config
from skyfall_crl.metrics import evaluate
from skyfall_crl.metrics.statistics import mean_interval
from skyfall_crl.metrics.stored_bounds import bounds_beside, read_stored, world_digest
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import ConfigError, TraceError
from skyfall_crl.study.bounds import bounds_of, bounds_path, measure, uncovered
from skyfall_crl.study.measured import reference_policies
from skyfall_crl.study.single import run_once, store_bounds, write_bounds

LINEAR = {"id": "linear", "kwargs": {"greedy": True}}


def config(base: dict[str, Any], **metrics: Any) -> RunConfig:
    return parse_config({**base, "metrics": metrics}, source="test")


@pytest.fixture
def base(write_sweep: Any) -> dict[str, Any]:
    """The bandit's config."""
    from skyfall_crl.ports.document import read_yaml

    document: Any = read_yaml(write_sweep())
    return document["config"]


def test_references_are_what_the_config_names_or_the_command_line(base: dict[str, Any]) -> None:
    upper, lower = reference_policies(config(base, upper=LINEAR))
    assert (upper.id, upper.kwargs, lower.id) == ("linear", {"greedy": True}, "builtin/random")
    upper, lower = reference_policies(config(base, upper=LINEAR), "mlp", "linear")
    assert (upper.id, lower.id) == ("mlp", "linear")


def test_an_environment_without_a_reference_asks_for_one(base: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"name one with --upper ID or under metrics.upper"):
        reference_policies(config(base))


def test_arguments_that_policy_and_environment_share_are_handed_on(base: dict[str, Any]) -> None:
    base["env"] = {"id": "CartPole-v1", "kwargs": {"greedy": True, "render_mode": None}}
    upper, _ = reference_policies(config(base), "mlp")
    assert upper.kwargs == {"greedy": True}


def test_measured_bounds_are_means_of_the_same_seeds_and_score_later_runs(
    base: dict[str, Any], tmp_path: Path, observer: Any, quick: Any
) -> None:
    document = config(base, upper=LINEAR)
    found = measure(document, tmp_path / "runs", observer, seeds=2, executor=quick())
    assert found is not None
    assert found.seeds == [0, 1]
    assert set(found.upper.levels) == set(found.lower.levels) == {"A", "B"}
    level = found.lower.levels["A"]
    again = mean_interval({int(seed): value for seed, value in level.by_seed.items()})
    assert (level.value, level.low, level.high) == (again.value, again.low, again.high)
    scored = evaluate(tmp_path / "runs/main/lower/seed-0/trace.jsonl")
    assert scored.identities["A"].scores["reward_mean"].value == level.by_seed["0"]
    assert len({found.upper.digest, found.lower.digest}) == 2

    run_once(document, tmp_path / "run", bounds=found)
    data = msgspec.json.decode((tmp_path / "run/metrics.json").read_bytes())
    assert data["bounds"]["lower"]["values"]["A"] == level.value
    assert data["bounds"]["lower"]["source"] == "measured: `builtin/random` on 2 seeds"
    assert not store_bounds(found, tmp_path / "run")


def test_bounds_of_other_worlds_are_refused(
    base: dict[str, Any], tmp_path: Path, observer: Any, quick: Any
) -> None:
    document = config(base, upper=LINEAR)
    found = measure(document, tmp_path / "runs", observer, seeds=1, executor=quick())
    assert found is not None
    path = tmp_path / "bandit.yaml"
    path.write_text(dump_yaml(document.to_document()), encoding="utf-8")
    write_bounds(found, bounds_path(path))
    assert bounds_of(path, document) == found
    base["env"] = {**base["env"], "kwargs": {"max_steps": 20}}
    other = config(base, upper=LINEAR)
    with pytest.raises(ConfigError, match="found those of another environment or schedule"):
        bounds_of(path, other)
    trace = tmp_path / "runs/main/lower/seed-0/trace.jsonl"
    with pytest.raises(TraceError, match="expected bounds of this trace's worlds"):
        bounds_beside(trace, {"config": other.to_document()})


def test_configurations_that_the_runs_did_not_reach_are_named(
    base: dict[str, Any], tmp_path: Path, observer: Any, quick: Any
) -> None:
    base["run"] = {**base["run"], "steps": 32}
    document = config(base, upper=LINEAR)
    found = measure(document, tmp_path / "runs", observer, seeds=1, executor=quick())
    assert found is not None
    assert uncovered(document, found) == ["B"]


def test_what_the_policy_is_told_and_how_long_it_lasts_make_no_other_world(base: dict[str, Any]) -> None:
    told = {**base, "regime": {**base["regime"], "notify": "label"}}
    longer = {**base, "run": {**base["run"], "steps": 999, "seed": 5}}
    digests = {world_digest(config(document).to_document()) for document in (base, told, longer)}
    assert len(digests) == 1
    shorter = {**base, "env": {**base["env"], "kwargs": {"max_steps": 7}}}
    assert world_digest(config(shorter).to_document()) not in digests


def test_a_file_that_is_none_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "bounds.json"
    path.write_text('{"version": 1}', encoding="utf-8")
    with pytest.raises(TraceError, match="measure them again with `skyfall-crl bounds`"):
        read_stored(path)
