"""Serving is a rollout that never updates, on the session of a run, recorded as a run is."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.ports.errors import ConfigError, PolicyError, TraceError
from skyfall_crl.regime import ConstantRegime, Regime, RegimeSchedule
from skyfall_crl.serve.bundle import Bundle, export_bundle
from skyfall_crl.serve.runner import ServeResult, build_environment, serve
from skyfall_crl.trace import TraceRow, read_header, read_rows

STEP_CLOCK = ("wall_ms",)


def step_rows(path: Path | None) -> list[dict[str, Any]]:
    """Return the step rows of a trace without their clock fields."""
    assert path is not None
    rows = [row for row in read_rows(path) if row["kind"] == "step"]
    return [{key: value for key, value in row.items() if key not in STEP_CLOCK} for row in rows]


def test_a_result_has_the_fields_of_the_page() -> None:
    """With their defaults, and how it ended beside them."""
    assert [field.name for field in fields(ServeResult)][:5] == [
        *("trace_path", "steps", "total_reward", "regimes", "provenance"),
    ]
    assert ServeResult(None) == ServeResult(None, 0, 0.0, (), {}, "completed")


def test_a_served_run_is_recorded_like_a_trained_one(bundle: Path, tmp_path: Path) -> None:
    """One row for each step, of phase serve, behind the provenance record; the policy doesn't change."""
    result = serve(bundle, steps=70, trace_path=tmp_path / "out" / "t.jsonl")
    rows = step_rows(result.trace_path)
    assert [row["step"] for row in rows] == list(range(70))
    assert {row["phase"] for row in rows} == {"serve"}
    assert {row["policy_version"] for row in rows} == {0}
    assert all(TraceRow.model_validate(row) for row in rows)
    assert result.steps == 70
    assert result.total_reward == sum(row["reward"] for row in rows)
    assert result.status == "completed"
    assert read_header(tmp_path / "out" / "t.jsonl") == msgspec.json.decode(
        msgspec.json.encode(result.provenance)
    )
    assert result.provenance["bundle"]["policy"]["id"] == "linear"
    assert result.provenance["bundle"]["same_reward"] is True


def test_the_recorded_schedule_labels_served_steps_as_it_labelled_training(
    bundle: Path, tmp_path: Path
) -> None:
    """The two traces are segmented alike, so that they can be compared."""
    served = step_rows(serve(bundle, steps=96, trace_path=tmp_path / "t.jsonl").trace_path)
    trained = [row for row in step_rows(bundle.parent / "trace.jsonl") if row["world"] == "w0"]
    labels = ("step", "regime_id", "regime_identity", "drift_progress")
    assert [[row[name] for name in labels] for row in served] == [
        [row[name] for name in labels] for row in trained
    ]


def test_regimes_met_are_told_in_order(bundle: Path) -> None:
    """Each once."""
    assert serve(bundle, steps=96).regimes == ("A", "B")
    assert serve(bundle, steps=20).regimes == ("A",)


def test_a_run_without_the_recorded_regime_is_stationary(bundle: Path) -> None:
    """For a world the recorded schedule doesn't describe."""
    assert serve(bundle, steps=60, use_recorded_regime=False).regimes == ("default",)


@pytest.mark.parametrize(
    "regime",
    [
        ConstantRegime("mine"),
        {"provider": "constant", "params": {"regime": "mine"}},
        RegimeSchedule([Regime("mine")]),
        {"shift_mode": "abrupt", "regimes": [{"regime_id": "mine"}]},
    ],
    ids=["provider", "section", "schedule", "mapping"],
)
def test_a_regime_given_replaces_the_recorded_one(bundle: Path, regime: Any) -> None:
    """In each form a caller may have it in."""
    assert serve(bundle, steps=40, regime=regime).regimes == ("mine",)


def test_a_schedule_in_a_file_replaces_the_recorded_one(bundle: Path, tmp_path: Path) -> None:
    """The caller's own path is read."""
    (tmp_path / "s.yaml").write_text("{shift_mode: abrupt, regimes: [{regime_id: filed}]}")
    assert serve(bundle, steps=5, regime=tmp_path / "s.yaml").regimes == ("filed",)


def test_serving_twice_gives_the_same_rows(bundle: Path, tmp_path: Path) -> None:
    """The seed is the run's, or the one given."""
    traces = [
        step_rows(serve(bundle, steps=40, seed=seed, trace_path=tmp_path / f"{number}.jsonl").trace_path)
        for number, seed in enumerate((None, 5, 6))
    ]
    assert traces[0] == traces[1] != traces[2]


def test_without_a_path_no_trace_is_kept(bundle: Path, tmp_path: Path) -> None:
    """The result still counts."""
    before = sorted(tmp_path.rglob("*.jsonl"))
    result = serve(bundle, steps=10)
    assert result.trace_path is None
    assert result.steps == 10
    assert sorted(tmp_path.rglob("*.jsonl")) == before


def test_a_trace_is_never_overwritten(bundle: Path, tmp_path: Path) -> None:
    """A path that is taken is refused."""
    (tmp_path / "t.jsonl").write_text("mine")
    with pytest.raises(TraceError, match="exists already"):
        serve(bundle, trace_path=tmp_path / "t.jsonl")


def test_arguments_given_are_merged_into_the_recorded_ones(acme: Any, tmp_path: Path) -> None:
    """Serving against a different world is an argument."""
    bundle = export_bundle(tmp_path / "b", env=acme.Bare(), env_id="acme/bare", env_kwargs={"ends_after": 3})
    assert build_environment(bundle).ends_after == 3
    assert build_environment(bundle, ends_after=9).ends_after == 9


def test_environment_arguments_reach_the_served_world(bundle: Path) -> None:
    """And are in the provenance of the trace."""
    result = serve(bundle, steps=3, env_kwargs={"task_seed": 4})
    assert result.provenance["config"]["env"]["kwargs"] == {"features": 3, "task_seed": 4}


def test_a_world_with_other_spaces_is_refused(bundle: Path) -> None:
    """A policy can't be evaluated under another task with nothing objecting."""
    with pytest.raises(
        PolicyError, match="observation_space: expected the space the policy was trained with"
    ):
        serve(bundle, env_kwargs={"features": 4})
    with pytest.raises(PolicyError, match="action_space"):
        serve(bundle, env_kwargs={"actions": 5})


def test_an_environment_passed_in_is_used_and_closed(acme: Any, tmp_path: Path) -> None:
    """Also when serving fails, whatever fails."""
    export_bundle(tmp_path / "b", env=acme.Bare(), policy_id="acme/plain")
    env = acme.Bare()
    result = serve(tmp_path / "b", steps=7, env=env)
    assert (env.steps, env.closed, result.steps, result.total_reward) == (7, 1, 7, 3.5)
    for wrong in ({"directory": tmp_path / "none"}, {"directory": tmp_path / "b", "steps": 0}):
        env = acme.Bare()
        with pytest.raises(ConfigError):
            serve(env=env, **wrong)  # type: ignore[arg-type]
        assert env.closed == 1


def test_a_bundle_of_an_environment_that_declares_nothing_serves(acme: Any, tmp_path: Path) -> None:
    """Without spaces, reward spec or description, built from its id."""
    export_bundle(
        tmp_path / "b",
        env=acme.Bare(),
        algorithm=acme.Trainer("weights", 6),
        policy_id="acme/filled",
        env_id="acme/bare",
    )
    result = serve(tmp_path / "b", steps=5, trace_path=tmp_path / "t.jsonl")
    assert [row["action"] for row in step_rows(result.trace_path)] == [6] * 5
    assert result.provenance["environment"] == {"reported": False}
    assert result.provenance["reward_spec"] is None
    assert result.provenance["bundle"]["same_reward"] is None


@pytest.mark.parametrize(("auto_reset", "steps", "status"), [(False, 4, "ended"), (True, 10, "completed")])
def test_a_world_whose_episode_ends_is_over_unless_it_is_reset(
    acme: Any, tmp_path: Path, auto_reset: bool, steps: int, status: str
) -> None:
    """The result says how many steps were taken, and why no more."""
    export_bundle(
        tmp_path / "b",
        env=acme.Bare(),
        policy_id="acme/plain",
        env_id="acme/bare",
        env_kwargs={"ends_after": 4},
    )
    result = serve(tmp_path / "b", steps=10, auto_reset=auto_reset)
    assert (result.steps, result.status) == (steps, status)


def test_windows_are_observed_and_a_stop_is_obeyed(bundle: Path, tmp_path: Path) -> None:
    """After each window of the size asked for, and before the next step."""
    seen: list[int] = []
    serve(bundle, steps=50, window_steps=20, observe=lambda now: seen.append(now.step))
    assert seen == [20, 40, 50]
    asked = iter(range(100))
    result = serve(bundle, steps=50, stop=lambda: next(asked) >= 7, trace_path=tmp_path / "t.jsonl")
    assert (result.steps, result.status) == (7, "interrupted")
    closing = list(read_rows(tmp_path / "t.jsonl"))[-1]
    assert (closing["note"], closing["status"]) == ("closed", "interrupted")


@pytest.mark.parametrize("level", ["signal", "label"])
def test_what_a_policy_was_told_of_the_regime_it_is_told_when_served(
    train: Callable[..., Path], level: str
) -> None:
    """The notification is part of the observation it was trained with."""
    folder = train(regime={"notify": level}) / "bundle"
    assert serve(folder, steps=60).regimes == ("A", "B")
    env = build_environment(Bundle.load(folder))
    assert env.observation_space == Bundle.load(folder).observation()
    env.close()


def test_a_shifted_gymnasium_environment_is_shifted_when_served(
    train: Callable[..., Path], tmp_path: Path
) -> None:
    """The mapping of axes to attributes travels with the bundle."""
    schedule = {
        "shift_mode": "abrupt",
        "regimes": [
            {"regime_id": "light", "duration_steps": 20},
            {"regime_id": "heavy", "axes": {"gravity": 2.0}},
        ],
    }
    folder = train(
        env={
            "id": "CartPole-v1",
            "kwargs": {},
            "axes": {"gravity": [{"attribute": "gravity", "factor": 9.8}]},
        },
        regime={"params": {"schedule": schedule}},
        run={"steps": 40},
    )
    found = Bundle.load(folder / "bundle")
    assert found.run["auto_reset"] is True
    result = serve(folder / "bundle", steps=60, auto_reset=True, trace_path=tmp_path / "t.jsonl")
    assert result.regimes == ("light", "heavy")
    shifts = [row for row in read_rows(tmp_path / "t.jsonl") if row["kind"] == "shift"]
    assert all(row["applied"] for row in shifts)


def test_nothing_heavy_is_imported_to_serve_an_array_policy(bundle: Path) -> None:
    """Torch is the business of the policies that need it."""
    program = f"""
import sys
from skyfall_crl.serve.runner import serve
assert serve({str(bundle)!r}, steps=3).steps == 3
assert not {{"torch", "transformers", "httpx"}} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
