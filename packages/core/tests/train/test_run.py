"""Runs from start to end."""

import itertools
import os
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from skyfall_crl.ports.errors import CheckpointError, ConfigError, EnvironmentFailure
from skyfall_crl.ports.policy import Decision
from skyfall_crl.trace import first_difference
from skyfall_crl.train.run import resume, run


class Quitter(gymnasium.Env):
    """Ends its first episode for good after five steps."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, reward: float = 1.0) -> None:
        self.reward, self.steps = reward, 0

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple:
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action: int) -> tuple:
        self.steps += 1
        return np.zeros(1, np.float32), self.reward, self.steps == 5, False, {}


def steps(rows: list[dict], phase: str = "train") -> list[dict]:
    return [row for row in rows if row["kind"] == "step" and row["phase"] == phase]


def test_a_run_directory_holds_config_provenance_trace_and_weights(configure, read, tmp_path: Path) -> None:
    result = run(configure(), tmp_path / "run")
    assert (result.status, result.step) == ("completed", 100)
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"config.yaml", "provenance.json", "trace.jsonl", "checkpoints"}
    assert (tmp_path / "run/checkpoints/final/weights.npy").is_file()
    header = read(tmp_path / "run")[0]
    assert header["kind"] == "provenance"
    assert header["references"] == {name: {"random": 1 / 3, "informed": 1.0} for name in "AB"}
    assert header["environment"]["world"] == "switching bandit"


def test_there_is_one_row_per_step_and_world_in_world_order(configure, read, tmp_path: Path) -> None:
    run(configure(), tmp_path / "run")
    keys = [(row["step"], row["world"]) for row in steps(read(tmp_path / "run"))]
    assert keys == list(itertools.product(range(100), ["w0", "w1"]))


def test_a_row_carries_the_regime_in_force_while_its_action_took_effect(
    configure, read, tmp_path: Path
) -> None:
    run(configure(), tmp_path / "run")
    rows = steps(read(tmp_path / "run"))
    assert all(row["regime_id"] == ("A" if row["step"] % 50 < 30 else "B") for row in rows)
    shifts = [row for row in read(tmp_path / "run") if row["kind"] == "shift" and row["world"] == "w0"]
    assert [(row["step"], row["regime_id"], row["applied"]) for row in shifts] == [
        (0, "A", True),
        (30, "B", True),
        (50, "A", True),
        (80, "B", True),
    ]


def test_a_persistent_world_steps_on_after_truncation(configure, read, tmp_path: Path) -> None:
    run(configure(env={"kwargs": {"max_steps": 10}}), tmp_path / "run")
    rows = [row for row in steps(read(tmp_path / "run")) if row["world"] == "w0"]
    assert [row["step"] for row in rows if row["truncated"]] == list(range(9, 100, 10))
    assert {row["episode"] for row in rows} == {0}
    assert rows[-1]["world_time"] == 100


def test_the_same_seed_gives_the_same_rows_and_another_seed_does_not(configure, tmp_path: Path) -> None:
    for name, seed in (("one", 5), ("two", 5), ("other", 6)):
        run(configure(run={"seed": seed}), tmp_path / name)
    trace = "trace.jsonl"
    assert first_difference(tmp_path / "one" / trace, tmp_path / "two" / trace) is None
    assert first_difference(tmp_path / "one" / trace, tmp_path / "other" / trace) is not None


def test_a_second_run_does_not_write_over_the_first(configure, tmp_path: Path) -> None:
    run(configure(), tmp_path / "run")
    with pytest.raises(ConfigError, match="--resume"):
        run(configure(), tmp_path / "run")


@pytest.mark.parametrize("checkpoint_steps", [None, 32])
def test_an_interrupted_run_resumes_to_the_trace_of_an_uninterrupted_one(
    configure, read, tmp_path: Path, checkpoint_steps: int | None
) -> None:
    config = configure(
        run={"checkpoint_steps": checkpoint_steps}, policy={"id": "mlp"}, algorithm={"id": "ppo"}
    )
    run(config, tmp_path / "whole")
    for stop_after in (1, 40, 77):
        part = tmp_path / f"part-{stop_after}"
        countdown = itertools.count()
        result = run(config, part, stop=lambda limit=stop_after, c=countdown: next(c) >= limit)
        assert result.status == "interrupted"
        assert resume(part).status == "completed"
        assert first_difference(tmp_path / "whole/trace.jsonl", part / "trace.jsonl") is None
        assert np.array_equal(
            np.load(tmp_path / "whole/checkpoints/final/weights.npy"),
            np.load(part / "checkpoints/final/weights.npy"),
        )
        cut = (part / "trace.cut-1.jsonl").read_text(encoding="utf-8")
        assert '"status":"interrupted"' in cut


def test_resuming_a_completed_run_changes_nothing(configure, tmp_path: Path) -> None:
    run(configure(), tmp_path / "run")
    before = (tmp_path / "run/trace.jsonl").read_bytes()
    assert resume(tmp_path / "run").status == "completed"
    assert (tmp_path / "run/trace.jsonl").read_bytes() == before


def test_resuming_nothing_or_a_world_that_can_not_be_put_back_says_so(configure, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="nothing to resume"):
        resume(tmp_path)
    config = configure(env={"id": "CartPole-v1"}, regime=None, policy={"id": "random"}, algorithm=None)
    run(config, tmp_path / "run", stop=iter([False] * 20 + [True] * 9).__next__)
    with pytest.raises(CheckpointError, match="put back or outlives a process, found CartPole-v1"):
        resume(tmp_path / "run")


def test_a_damaged_checkpoint_is_an_error_that_names_it(configure, tmp_path: Path) -> None:
    run(
        configure(run={"checkpoint_steps": 16}),
        tmp_path / "run",
        stop=iter([False] * 60 + [True] * 9).__next__,
    )
    newest = sorted((tmp_path / "run/checkpoints").glob("step-*"))[-1]
    os.truncate(newest / "weights.npy", 40)
    with pytest.raises(CheckpointError, match=r"weights\.npy"):
        resume(tmp_path / "run")


def test_episodes_of_other_worlds_are_reset_at_once_and_counted(configure, read, tmp_path: Path) -> None:
    config = configure(env={"id": f"{__name__}:Quitter"}, regime=None)
    run(config, tmp_path / "run")
    rows = [row for row in steps(read(tmp_path / "run")) if row["world"] == "w0"]
    assert [row["episode"] for row in rows] == [step // 5 for step in range(100)]
    assert [row["step"] for row in rows if row["terminated"]] == list(range(4, 100, 5))


def test_without_reset_an_ended_world_is_finished_with_a_reason(configure, read, tmp_path: Path) -> None:
    config = configure(env={"id": f"{__name__}:Quitter"}, regime=None, run={"auto_reset": False})
    assert run(config, tmp_path / "run").status == "failed"
    rows = read(tmp_path / "run")
    assert len(steps(rows)) == 10
    assert [row["reason"] for row in rows if row.get("note") == "world ended"] == ["terminated"] * 2


@pytest.mark.parametrize(("reward", "word"), [(float("nan"), "nan"), (float("inf"), "inf")])
def test_a_reward_that_is_no_number_is_written_as_null_with_its_name(
    configure, read, tmp_path: Path, reward: float, word: str
) -> None:
    config = configure(env={"id": f"{__name__}:Quitter", "kwargs": {"reward": reward}}, regime=None)
    run(config, tmp_path / "run")
    assert {(row["reward"], row["reward_invalid"]) for row in steps(read(tmp_path / "run"))} == {(None, word)}


def test_a_world_that_raises_is_finished_and_the_others_go_on(configure, read, tmp_path: Path) -> None:
    made = itertools.count()

    def factory(**kwargs: object) -> gymnasium.Env:
        from skyfall_crl.testing.doubles import SwitchingBandit

        return SwitchingBandit(fail_at=7 if next(made) == 0 else None)

    globals()["one_fails"] = factory
    assert run(configure(env={"id": f"{__name__}:one_fails"}), tmp_path / "run").status == "completed"
    rows = steps(read(tmp_path / "run"))
    failed = [row for row in rows if row["world"] == "w0"]
    assert len(failed) == 8
    assert failed[-1]["reward"] is None
    assert failed[-1]["outcome"]["reason"] == "environment_failed"
    assert "fails as asked" in failed[-1]["outcome"]["error"]
    assert sum(row["world"] == "w1" for row in rows) == 100


def misled(**kwargs: object) -> gymnasium.Env:
    from skyfall_crl.ports.environment import Applied
    from skyfall_crl.testing.doubles import SwitchingBandit

    class Misled(SwitchingBandit):
        def apply_regime(self, regime, progress) -> Applied:
            super().apply_regime(regime, progress)
            return Applied(regime.select(["offset"]), (), {"offset": 2} if regime.axes else {})

    return Misled()


def test_a_regime_that_reads_back_differently_stops_the_run_and_is_in_the_trace(
    configure, read, tmp_path
) -> None:
    config = configure(env={"id": f"{__name__}:misled"})
    with pytest.raises(EnvironmentFailure, match="w0, step 30: offset reads back as 2, expected 1"):
        run(config, tmp_path / "run")
    (shift,) = [row for row in read(tmp_path / "run") if row["kind"] == "shift" and not row["applied"]]
    assert (shift["step"], shift["world"]) == (30, "w0")


def test_a_regime_that_reads_back_differently_can_be_recorded_instead(
    configure, read, tmp_path: Path
) -> None:
    run(configure(env={"id": f"{__name__}:misled"}, regime={"on_mismatch": "record"}), tmp_path / "run")
    failed = [row["step"] for row in read(tmp_path / "run") if row["kind"] == "shift" and not row["applied"]]
    assert failed == [30, 30, 80, 80]


class Talker:
    """Answers in text, every second time without an action in it."""

    def __init__(self) -> None:
        self.count = 0

    def bind(self, observation_space: object, action_space: object, task_view: object = None) -> None: ...

    def act(self, batch: list, infos: list) -> list[Decision]:
        self.count += 1
        assert all("regime" not in info and "regime_id" not in info for info in infos)
        return [
            Decision(None, text="take 1" if self.count % 2 else "hmm", extras={"tokens": 3}) for _ in batch
        ]


def viewed(**kwargs: object) -> gymnasium.Env:
    from skyfall_crl.ports.task_view import TaskView
    from skyfall_crl.testing.doubles import SwitchingBandit

    class View(TaskView):
        no_action = 0

        def to_tool_call(self, action, *, world_id, observation=None) -> None:
            return None

        def parse_action(self, text: str) -> int | None:
            return int(text[-1]) if text[-1].isdigit() else None

    env = SwitchingBandit()
    env.task_view = View()
    return env


def test_text_is_parsed_by_the_task_view_and_what_can_not_be_becomes_no_action(
    configure, read, tmp_path
) -> None:
    config = configure(
        env={"id": f"{__name__}:viewed"},
        policy={"id": f"{__name__}:Talker"},
        algorithm=None,
        run={"steps": 4},
    )
    run(config, tmp_path / "run")
    rows = [row for row in steps(read(tmp_path / "run")) if row["world"] == "w0"]
    assert [row["action"] for row in rows] == [1, 0, 1, 0]
    assert rows[1]["outcome"]["reason"] == "unparsed"
    assert rows[0]["text"] == "take 1"
    assert rows[0]["tokens"] == 3
