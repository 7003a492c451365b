"""A run as a Minari dataset: what Minari reads back is what happened."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest

from skyfall_crl.cli.main import main
from skyfall_crl.ports.errors import ConfigError, TraceError
from skyfall_crl.study.export_minari import write_minari
from skyfall_crl.train.run import run


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep datasets in a folder of the test's own."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def test_rewards_actions_and_configurations_are_those_of_the_trace(
    configure: Callable[..., Any], read: Callable[[Path], list[dict[str, Any]]], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run(configure(), out)
    rows = [row for row in read(out) if row["kind"] == "step"]
    episodes, steps = write_minari(out, "bandit/ppo-v0")
    dataset = minari.load_dataset("bandit/ppo-v0")
    found = list(dataset.iterate_episodes())
    assert (len(found), sum(len(episode) for episode in found)) == (episodes, steps)
    assert steps == len(rows)
    assert sum(episode.rewards.sum() for episode in found) == pytest.approx(
        sum(row["reward"] for row in rows)
    )
    for episode in found:
        assert len(episode.observations) == len(episode) + 1
        assert all(dataset.observation_space.contains(value) for value in episode.observations)
    names = json.loads(dataset.storage.metadata["description"])["identities"]
    assert set(names.values()) == {row["regime_identity"] for row in rows}
    met = np.concatenate([episode.infos["identity"][:-1] for episode in found])
    counts = {names[str(number)]: int((met == number).sum()) for number in set(met.tolist())}
    expected: dict[str, int] = {}
    for row in rows:
        expected[row["regime_identity"]] = expected.get(row["regime_identity"], 0) + 1
    assert counts == expected


def test_environments_that_are_reset_give_an_episode_each(
    configure: Callable[..., Any], read: Callable[[Path], list[dict[str, Any]]], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run(configure(env={"id": "CartPole-v1"}, regime=None, policy={"id": "mlp"}), out)
    rows = [row for row in read(out) if row["kind"] == "step"]
    assert main(["export", str(out), "--minari", "cartpole/short-v0"]) == 0
    dataset = minari.load_dataset("cartpole/short-v0")
    ended = sum(row["terminated"] for row in rows)
    assert ended > 0
    assert sum(bool(episode.terminations[-1]) for episode in dataset.iterate_episodes()) == ended
    first = next(iter(dataset.iterate_episodes()))
    assert np.abs(first.observations[0]).max() <= 0.05


def test_a_trace_that_the_worlds_do_not_repeat_is_refused(
    configure: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run(configure(), out)
    trace = out / "trace.jsonl"
    lines = trace.read_text(encoding="utf-8").splitlines()
    place = next(number for number, line in enumerate(lines) if '"kind":"step"' in line)
    row = json.loads(lines[place])
    row["reward"] = 1.0 - row["reward"]
    lines[place] = json.dumps(row)
    trace.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(TraceError, match="step 0: expected reward"):
        write_minari(out, "bandit/forged-v0")
    assert not minari.list_local_datasets()


def test_an_id_that_is_taken_is_left_alone(configure: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(configure(), out)
    write_minari(out, "bandit/ppo-v0")
    with pytest.raises(ConfigError, match="isn't taken"):
        write_minari(out, "bandit/ppo-v0")
