"""An independent program's numbers for three traces come out again."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.metrics import Evaluation, Score, evaluate, read_bounds

FOLDER = Path(__file__).parent / "golden"
SEEDS = ("seed0", "seed1", "seed2")


@cache
def expected(seed: str) -> dict[str, Any]:
    return json.loads((FOLDER / "golden_six_metrics.json").read_text())[seed]


@cache
def scored(seed: str) -> Evaluation:
    return evaluate(
        FOLDER / f"trace_{seed}.jsonl.gz", window=20, rho=0.9, upper=read_bounds(FOLDER / "upper_bounds.json")
    )


def close(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, rel=0, abs=1e-9)


def agrees(score: Score, golden: Any) -> bool:
    """Say whether value and reason are those of a golden entry, which is a number or a mapping."""
    entry = golden if isinstance(golden, dict) else {"value": golden}
    return bool(score.value == close(entry["value"]) and score.reason == entry.get("reason"))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_parameters_are_those_of_the_golden_file(seed):
    assert (scored(seed).parameters.window, scored(seed).parameters.rho) == (
        expected(seed)["W"],
        expected(seed)["rho"],
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_segments_are_cut_where_the_golden_ones_are(seed):
    assert [
        (found.segment.regime_ids, found.segment.identity, found.segment.steps, len(found.segment.windows))
        for found in scored(seed).segments
    ] == [
        ((want["id"],), want["identity"], want["n"], want["windows"]) for want in expected(seed)["segments"]
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_of_every_segment_agrees(seed):
    ours = {
        "adaptation_steps": "adaptation_steps_self_asymptote",
        "adaptation_steps_to_bound": "adaptation_steps",
        "recovery_steps": "recovery_steps",
        "stability_std": "stability_std",
        "cvar05_drop": "cvar05_drop",
        "max_drawdown": "max_drawdown",
        "mean": "reward_mean",
        "terminal": "reward_terminal",
    }
    for found, want in zip(scored(seed).segments, expected(seed)["segments"], strict=True):
        assert found.segment.entry == close(want["entry"])
        for golden_name, name in ours.items():
            assert agrees(found.scores[name], want[golden_name]), (want["id"], golden_name)
        adaptation, recovery = found.scores["adaptation_steps"], found.scores["recovery_steps"]
        assert adaptation.detail.get("censored_at") == want["adaptation_steps_to_bound"].get("censored_at")
        assert recovery.detail.get("reference") == close(want["recovery_steps"].get("reference"))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_of_every_identity_agrees(seed):
    evaluation = scored(seed)
    assert list(evaluation.identities) == list(expected(seed)["identity"])
    for identity, want in expected(seed)["identity"].items():
        found = evaluation.identities[identity]
        assert found.visits == want["visits"]
        assert agrees(found.scores["reward_mean"], expected(seed)["per_configuration_reward"][identity])
        for name in ("forgetting_entry", "forgetting_final"):
            assert agrees(found.scores[name], want[name])
        assert found.scores["forgetting_entry"].detail.get("per_revisit", []) == close(
            want["forgetting_entry"].get("per_revisit", [])
        )
        assert agrees(found.scores["gap_remaining"], want["gap"])
        for golden_name, name in (
            ("asymptotic", "gap_asymptotic"),
            ("normalised", "gap_normalised"),
            ("regret", "regret"),
        ):
            assert found.scores[name].value == close(want["gap"].get(golden_name))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_over_all_identities_agrees(seed):
    overall, want = scored(seed).overall, expected(seed)
    ours = {
        "reward_macro": "reward_macro",
        "adaptation_steps": "adaptation_steps_self_asymptote",
        "recovery_steps": "recovery_steps",
        "stability_std": "stability_std",
        "forgetting_entry": "forgetting_entry",
        "forgetting_final": "forgetting_final",
        "gap": "gap_remaining",
    }
    for golden_name, name in ours.items():
        assert agrees(overall[name], want["summary"][golden_name]), golden_name
        assert overall[name].detail["n"] == want["summary"][golden_name]["n"]
    assert agrees(overall["reward_macro"], want["macro_reward"])
    assert agrees(overall["reward_lifetime"], want["lifetime_reward_per_step"])
    assert agrees(overall["gap_step_coverage"], want["summary"]["gap_step_coverage"])


def test_no_number_of_the_golden_file_is_left_out():
    """The names below are all there are; a new one would need a comparison above."""
    assert set(expected("seed0")) == {
        *("W", "rho", "segments", "identity", "summary"),
        *("per_configuration_reward", "macro_reward", "lifetime_reward_per_step"),
    }
    assert set(expected("seed0")["segments"][0]) == {
        *("id", "identity", "n", "windows", "mean", "entry", "terminal", "adaptation_steps"),
        *("adaptation_steps_to_bound", "recovery_steps", "stability_std", "cvar05_drop", "max_drawdown"),
    }
    assert set(expected("seed0")["identity"]["A"]) == {
        "visits",
        "forgetting_entry",
        "forgetting_final",
        "gap",
    }
    assert set(expected("seed0")["identity"]["A"]["gap"]) == {"value", "asymptotic", "normalised", "regret"}
