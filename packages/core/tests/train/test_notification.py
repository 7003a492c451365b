"""What a policy is told of the regime."""

from pathlib import Path

import pytest

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.run import resume, run

SEEN: list[dict] = []


class Watcher:
    """Keeps every observation it is shown and takes action 0."""

    def bind(self, observation_space, action_space, task_view=None) -> None:
        self.space = observation_space

    def act(self, batch, infos) -> list[Decision]:
        SEEN.append(batch[0])
        assert all(self.space.contains(observation) for observation in batch)
        return [Decision(0) for _ in batch]


@pytest.fixture
def watched(configure, tmp_path: Path):
    def seen(level: str) -> list[dict]:
        SEEN.clear()
        config = configure(
            policy={"id": f"{__name__}:Watcher"}, algorithm=None, regime={"notify": level}, run={"steps": 60}
        )
        run(config, tmp_path / "run")
        return list(SEEN)

    return seen


def test_a_signal_is_one_exactly_on_the_first_step_of_a_new_identity(watched) -> None:
    assert [step for step, seen in enumerate(watched("signal")) if seen["regime_changed"]] == [30, 50]


def test_a_label_numbers_the_identity_in_force_for_the_action_that_answers(watched) -> None:
    labels = [seen["regime"] for seen in watched("label")]
    assert labels == [0] * 30 + [1] * 20 + [0] * 10


def test_a_hidden_regime_leaves_the_observation_as_it_is(watched) -> None:
    assert all(seen.shape == (5,) for seen in watched("hidden"))


def test_a_notified_run_resumes_as_it_would_have_gone_on(configure, tmp_path: Path) -> None:
    from skyfall_crl.trace import first_difference

    config = configure(regime={"notify": "label"}, run={"checkpoint_steps": 16})
    run(config, tmp_path / "whole")
    run(config, tmp_path / "part", stop=iter([False] * 40 + [True] * 9).__next__)
    resume(tmp_path / "part")
    assert first_difference(tmp_path / "whole/trace.jsonl", tmp_path / "part/trace.jsonl") is None


def test_a_label_without_a_schedule_is_refused(configure, tmp_path: Path) -> None:
    config = configure(regime={"provider": f"{__name__}:Unscheduled", "params": {}, "notify": "label"})
    with pytest.raises(ConfigError, match="label needs a provider with a schedule"):
        run(config, tmp_path / "run")


class Unscheduled:
    def at(self, step: int) -> None:
        return None
