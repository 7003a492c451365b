"""A language model under `run`, `serve` and `eval`: the same rows as any policy, what it took, and never the key."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.cli.main import main
from skyfall_crl.serve.runner import serve

KEY = "canary-5c1e88d0"


@pytest.fixture
def spoken(
    model: Any, bell: Any, train: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Run the model in two worlds for some steps and return the run's directory."""
    monkeypatch.setenv("CHAT_KEY", KEY)

    def run(steps: int = 6) -> Path:
        kwargs = {"base_url": model.url, "model": "small", "api_key": "${env:CHAT_KEY}", "memory": 1}
        return train(
            env={"id": "bell:Bell", "kwargs": {}},
            regime=None,
            policy={"id": "serve/chat", "kwargs": kwargs},
            algorithm=None,
            run={"steps": steps, "window_steps": 3, "num_envs": 2, "seed": 5},
        )

    return run


def rows(trace: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "step"]


def test_each_row_has_the_text_what_it_became_and_what_it_took(
    model: Any, spoken: Callable[..., Path]
) -> None:
    model.answer = lambda body, number: "ACTION: 1" if number % 3 else "I would rather not."
    found = rows(spoken() / "trace.jsonl")
    assert len(found) == 12
    for row in found:
        expected = 1 if row["text"] == "ACTION: 1" else 0
        assert (row["action"], row["reward"]) == (expected, float(expected))
        assert (row["outcome"].get("reason") == "unparsed") is (expected == 0)
        assert row["chat"]["input_tokens"] == 100


def test_an_answer_that_never_came_is_a_step_without_an_action_and_sent_once(
    model: Any, spoken: Callable[..., Path]
) -> None:
    model.answer = lambda body, number: "ACTION: 1" if number <= 2 else (500, {"error": "down"})
    found = rows(spoken(2) / "trace.jsonl")
    failed = [row for row in found if "failed" in row["chat"]]
    assert [row["step"] for row in failed] == [1, 1]
    assert [(row["action"], row["outcome"]["reason"]) for row in failed] == [(0, "unparsed")] * 2
    assert len(found) == 4


def test_the_key_is_nowhere_in_what_a_run_leaves(model: Any, spoken: Callable[..., Path]) -> None:
    directory = spoken()
    assert set(model.keys) == {f"Bearer {KEY}"}
    files = [path for path in directory.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert any(b"${env:CHAT_KEY}" in path.read_bytes() for path in files)


def test_it_is_served_from_its_bundle_and_scored_like_any_policy(
    model: Any, spoken: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = spoken() / "bundle"
    result = serve(bundle, steps=4, trace_path=tmp_path / "served.jsonl", trust=True)
    assert result.total_reward == 4.0
    assert {row["phase"] for row in rows(tmp_path / "served.jsonl")} == {"serve"}
    assert main(["eval", str(tmp_path / "served.jsonl")]) == 0
    assert "1.000" in capsys.readouterr().out
