"""Sweeps from their document to finished runs; the runs are real and take place in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.ports.document import read_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.study.overview import overview
from skyfall_crl.study.sweep import SweepResult
from skyfall_crl.study.traces import stored_trace, trace_digest

pytestmark = pytest.mark.floor

RANDOM = {"set": {"policy": {"id": "random"}, "algorithm": None}}
Run = Callable[..., SweepResult]
Write = Callable[..., Path]


def test_every_run_gets_a_directory_and_a_second_pass_runs_nothing(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    path, out, executor = write_sweep(variants={"a": {}, "random": RANDOM}), tmp_path / "out", quick()
    result = run_sweep(path, out, executor, jobs=2)
    assert [outcome.state for outcome in result.outcomes] == ["completed"] * 4
    assert (out / "main/random/seed-1/trace.jsonl").is_file()
    executor.executed.clear()
    again = run_sweep(path, out, executor, resume=True)
    assert {outcome.state for outcome in again.outcomes} == {"already there"}
    assert executor.executed == []


def test_a_failing_run_leaves_the_others_alone_and_is_named(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    path, executor = write_sweep(variants={"a": {}, "b": {}}, seeds=[0, 1, 2]), quick(failing=[1])
    result = run_sweep(path, tmp_path / "out", executor)
    assert [str(outcome.directory.relative_to(tmp_path)) for outcome in result.failures] == [
        "out/main/a/seed-1",
        "out/main/b/seed-1",
    ]
    assert {outcome.error for outcome in result.failures} == {"seed 1 fails as asked"}
    assert sum(outcome.state == "completed" for outcome in result.outcomes) == 4
    executor.failing.clear()
    executor.executed.clear()
    assert not run_sweep(path, tmp_path / "out", executor, resume=True).failures
    assert len(executor.executed) == 2


def test_a_sweep_is_neither_overwritten_nor_resumed_out_of_nothing(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    path = write_sweep(seeds=[0])
    with pytest.raises(ConfigError, match="expected a sweep to go on with, found none"):
        run_sweep(path, tmp_path / "out", quick(), resume=True)
    run_sweep(path, tmp_path / "out", quick())
    with pytest.raises(ConfigError, match="found a sweep; go on with it with --resume"):
        run_sweep(path, tmp_path / "out", quick())


def test_runs_of_another_config_are_refused_before_any_run(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    run_sweep(write_sweep(), tmp_path / "out", quick())
    changed, executor = write_sweep(variants={"run": {"set": {"run.steps": 80}}}, seeds=[0, 1, 2]), quick()
    with pytest.raises(ConfigError, match=r"found another config in main/run/seed-0 and 1 more"):
        run_sweep(changed, tmp_path / "out", executor, resume=True)
    assert executor.executed == []


def test_stopping_leaves_the_rest_for_later(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    executor = quick()
    result = run_sweep(write_sweep(), tmp_path / "out", executor, stop=lambda: len(executor.executed) > 0)
    assert sorted(outcome.state for outcome in result.outcomes) == ["completed", "stopped"]
    assert result.stopped


def test_bounds_come_from_the_named_variants_and_score_every_run(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    path = write_sweep(
        variants={"a": {}, "random": RANDOM, "b": {"set": {"policy.id": "linear"}}},
        bounds={"upper": "a", "lower": "random"},
    )
    run_sweep(path, tmp_path / "out", quick())
    scored = {
        name: msgspec.json.decode((tmp_path / f"out/main/{name}/seed-0/metrics.json").read_bytes())
        for name in ("a", "random", "b")
    }
    assert {data["bounds"]["upper"]["source"] for data in scored.values()} == {
        "measured: `linear` on 2 seeds"
    }
    upper = scored["b"]["bounds"]["upper"]["values"]
    seeds = [
        msgspec.json.decode((tmp_path / f"out/main/a/seed-{seed}/metrics.json").read_bytes())
        for seed in (0, 1)
    ]
    means = [data["identities"]["A"]["scores"]["reward_mean"]["value"] for data in seeds]
    assert upper["A"] == pytest.approx(sum(means) / 2, abs=1e-12)
    assert scored["b"]["overall"]["gap_step_coverage"]["value"] == 1.0


def test_a_preparation_runs_first_and_its_policy_is_started_from(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path, observer: Any
) -> None:
    network = {"policy": {"id": "mlp", "kwargs": {"hidden": 4}}}
    path = write_sweep(
        preparations={"trained": {"set": {**network, "algorithm.id": "ppo", "run.steps": 32}}},
        variants={
            "frozen": {
                "set": {**network, "algorithm.id": "frozen"},
                "weights": {"algorithm.kwargs.checkpoint": "trained"},
            }
        },
        seeds=[4],
    )
    assert not run_sweep(path, tmp_path / "out", quick()).failures
    assert observer.phases == ["preparations", "runs"]
    weights = [
        (tmp_path / f"out/{folder}/seed-4/checkpoints/final/weights.npy").read_bytes()
        for folder in ("preparations/trained", "main/frozen")
    ]
    assert weights[0] == weights[1]
    again = run_sweep(path, tmp_path / "out", quick(), resume=True)
    assert {outcome.state for outcome in again.outcomes} == {"already there"}


def test_a_failed_preparation_fails_what_starts_from_it(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    path = write_sweep(
        preparations={"trained": {}},
        variants={"a": {"weights": {"policy.kwargs.path": "trained"}}},
        seeds=[4],
    )
    result = run_sweep(path, tmp_path / "out", quick(failing=[4]))
    assert [outcome.error for outcome in result.failures] == [
        "seed 4 fails as asked",
        "its preparation preparations/trained/seed-4 failed",
    ]


def test_tuning_takes_the_best_of_short_runs_on_other_seeds_and_says_what_it_cost(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    rates = {"algorithm.kwargs.learning_rate": [1e-6, 0.1]}
    path = write_sweep(
        config={
            **read_yaml(write_sweep())["config"],
            "run": {"steps": 640, "num_envs": 2, "window_steps": 8},
        },
        variants={"a": {"tune": rates}, "b": {}},
        tune={"seeds": [100, 101], "fraction": 0.5},
        seeds=[0],
    )
    run_sweep(path, tmp_path / "out", quick())
    record = msgspec.json.decode((tmp_path / "out/tune.json").read_bytes())
    tuned = record["variants"]["a"]
    assert set(record["variants"]) == {"a"}
    assert tuned["runs"] == 4
    assert tuned["environment_steps"] == 4 * 320 * 2
    best = max(tuned["choices"], key=lambda choice: choice["mean"])
    assert tuned["chosen"] == best["settings"]
    used = read_yaml(tmp_path / "out/main/a/seed-0/config.yaml")["algorithm"]["kwargs"]["learning_rate"]
    assert used == best["settings"]["algorithm.kwargs.learning_rate"]
    assert read_yaml(tmp_path / "out/tune/a/learning_rate=0.1/seed-100/config.yaml")["run"]["steps"] == 320


def test_what_is_not_kept_goes_and_the_rows_stay_the_same(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    run_sweep(write_sweep(seeds=[0]), tmp_path / "whole", quick())
    keep = {"trace": "gzip", "report": False, "checkpoints": False}
    run_sweep(write_sweep(seeds=[0], keep=keep), tmp_path / "slim", quick())
    whole, slim = tmp_path / "whole/main/run/seed-0", tmp_path / "slim/main/run/seed-0"
    assert stored_trace(slim) == slim / "trace.jsonl.gz"
    assert trace_digest(slim / "trace.jsonl.gz") == trace_digest(whole / "trace.jsonl")
    assert sorted(path.name for path in slim.iterdir()) == [
        "checkpoints",
        "config.yaml",
        "metrics.json",
        "provenance.json",
        "trace.jsonl.gz",
    ]
    assert [path.name for path in (slim / "checkpoints").iterdir()] == ["final"]


def test_a_policy_that_only_starts_from_a_preparation_is_flagged_as_never_learning(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    network = {"policy": {"id": "mlp", "kwargs": {"hidden": 4}}}
    frozen = {"set": {**network, "algorithm": {"id": "frozen"}}}
    first = {"set": {**network, "algorithm": {"id": "frozen", "kwargs": {"train_steps": 32}}}}
    run_sweep(write_sweep(variants={"frozen": frozen, "first": first}, seeds=[0]), tmp_path / "out", quick())
    flags = {
        name: msgspec.json.decode((tmp_path / f"out/main/{name}/seed-0/metrics.json").read_bytes())[
            "overall"
        ]["adaptation_steps_self_asymptote"]["flags"]
        for name in ("frozen", "first")
    }
    assert "not_learning" in flags["frozen"]
    assert "not_learning" not in flags["first"]


def test_scenarios_of_several_sweeps_stay_apart_and_keep_their_own_checks(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    ends = {
        "variants": {"a": {}, "random": RANDOM},
        "bounds": {"upper": "a", "lower": "random"},
        "seeds": [0],
    }
    for name in ("one", "two"):
        run_sweep(write_sweep(**ends), tmp_path / name, quick())
    found = overview([tmp_path / "one", tmp_path / "two"])
    assert [table.name for table in found.tables] == ["one/main", "two/main"]
    assert [check.says.split(":")[0] for check in found.checks] == ["one/main"] * 3 + ["two/main"] * 3
    assert (
        found.to_mapping()["digest"] == overview([tmp_path / "two", tmp_path / "one"]).to_mapping()["digest"]
    )
    assert found.to_mapping()["bounds"]["one/main"] == found.to_mapping()["bounds"]["two/main"]


def test_runs_without_a_sweep_are_called_after_what_learns_in_them(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    path = write_sweep(
        variants={"a": {}, "random": RANDOM, "b": {"set": {"algorithm.kwargs.learning_rate": 0.5}}}
    )
    run_sweep(path, tmp_path / "out", quick())
    (tmp_path / "out/sweep.json").unlink()
    found = overview([tmp_path / "out"])
    (table,) = found.tables
    names = sorted(row.variant for row in table.rows)
    assert names[0] == "random"
    assert [name.split("-")[0] for name in names[1:]] == ["reinforce", "reinforce"]
    assert names[1] != names[2]
    assert {row.seeds for row in table.rows} == {(0, 1)}
    assert len(overview([tmp_path / "out/main/a/seed-0", tmp_path / "out/main/b"]).runs) == 3


def test_a_folder_without_a_run_is_named_beside_those_with_one(
    write_sweep: Write, run_sweep: Run, quick: Any, tmp_path: Path
) -> None:
    run_sweep(write_sweep(seeds=[0]), tmp_path / "out", quick())
    (tmp_path / "served").mkdir()
    assert overview([tmp_path / "out", tmp_path / "served"]).cautions == [
        f"{tmp_path / 'served'} holds no run and is left out"
    ]
