"""A language model that acts, learns, is stored without pickle, rebuilt and resumed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.ports.errors import CheckpointError, ConfigError, PolicyError
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.language import LanguageReinforce, language_policy
from skyfall_crl.serve.runner import load_policy, serve

Run = Callable[..., Path]


def rows(trace: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "step"]


def bound(policy: Any, bell: Any, seed: int = 3) -> Any:
    env = bell.Bell()
    policy.seed(np.random.default_rng(seed), np.random.default_rng(seed))
    policy.bind(env.observation_space, env.action_space, env.task_view)
    return policy


def texts(policy: Any, steps: int = 30) -> list[str]:
    return [policy.act([np.zeros(1)], [{}])[0].text for _ in range(steps)]


def test_a_random_model_learns_to_say_what_earns(spoken: Run) -> None:
    found = [row["reward"] for row in rows(spoken(steps=160, window_steps=16) / "trace.jsonl")]
    assert np.mean(found[:64]) < 0.4
    assert np.mean(found[-64:]) > 0.8


def test_each_row_has_the_text_and_what_it_took(spoken: Run) -> None:
    for row in rows(spoken(steps=16) / "trace.jsonl"):
        assert row["tokens"] == {"read": 12, "written": 1}
        parsed = row["text"] in ("0", "1", "2")
        assert row["action"] == (int(row["text"]) if parsed else 0)
        assert (row["outcome"] == {"accepted": False, "reason": "unparsed"}) is not parsed


def test_a_checkpoint_is_the_whole_model_without_pickle_and_the_policy_is_rebuilt_from_it(
    spoken: Run, bell: Any
) -> None:
    bundle = spoken() / "bundle"
    names = {path.name for path in (bundle / "checkpoint").iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json"} <= names
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pkl"))]
    recorded = Bundle.load(bundle)
    assert recorded.policy.format is not None
    assert recorded.policy.format.value == "checkpoint"
    rebuilt = load_policy(recorded, bundle, trust=True)
    again = language_policy(bundle / "checkpoint", max_new_tokens=1, system="")
    assert texts(bound(rebuilt, bell)) == texts(bound(again, bell))


def test_a_trained_model_is_served_from_its_bundle(spoken: Run, tmp_path: Path) -> None:
    bundle = spoken(steps=160) / "bundle"
    result = serve(bundle, steps=20, trace_path=tmp_path / "served.jsonl", seed=1, trust=True)
    assert result.total_reward > 0.8 * result.steps


def test_equal_seeds_give_equal_texts_and_rows(spoken: Run) -> None:
    first, second = (rows(spoken(name) / "trace.jsonl") for name in ("one", "two"))
    for row in (*first, *second):
        row.pop("wall_ms")
    assert first == second


def test_optimiser_and_weights_are_put_back_as_they_were(spoken: Run, bell: Any, tmp_path: Path) -> None:
    checkpoint = spoken() / "bundle" / "checkpoint"
    policy = bound(language_policy(checkpoint, max_new_tokens=1, system=""), bell)
    learner = LanguageReinforce(policy)
    learner.load_state(_optimiser_of(checkpoint.parent.parent))
    folder = tmp_path / "again"
    folder.mkdir()
    learner.save_state(folder)
    before = _optimiser_of(checkpoint.parent.parent) / "optimiser.safetensors"
    assert (folder / "optimiser.safetensors").read_bytes() == before.read_bytes()


def _optimiser_of(run: Path) -> Path:
    (found,) = {path.parent for path in run.glob("checkpoints/final/**/optimiser.safetensors")}
    return found


def test_a_folder_that_is_no_such_model_is_refused(tmp_path: Path, bell: Any, base_model: Path) -> None:
    with pytest.raises(CheckpointError, match="expected a causal language model"):
        language_policy(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04never loaded")
    (tmp_path / "config.json").write_text((base_model / "config.json").read_text())
    with pytest.raises(CheckpointError, match="expected a causal language model"):
        language_policy(tmp_path)


def test_what_can_not_work_is_refused_at_once(base_model: Path) -> None:
    with pytest.raises(ConfigError, match="model: expected"):
        language_policy()
    with pytest.raises(ConfigError, match="temperature"):
        language_policy(model=str(base_model), temperature=-1.0)
    policy = language_policy(model=str(base_model))
    with pytest.raises(PolicyError, match="task view"):
        policy.bind(None, None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected serve/language"):
        LanguageReinforce(object())  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="group"):
        LanguageReinforce(policy, group="run")  # type: ignore[arg-type]
