"""A run with evaluations, from its config to its scores."""

from pathlib import Path

import msgspec
import pytest

from skyfall_crl.cli.main import main
from skyfall_crl.config import parse_config
from skyfall_crl.study import run_once
from skyfall_crl.trace import read_rows, without_clock
from skyfall_crl.train.evaluation import Evaluator

NAMES = (
    "average_performance",
    "backward_transfer",
    "forward_transfer",
    "forgetting_max_final",
    "performance_maintenance",
)


def config(**sections):
    regimes = [
        {"regime_id": "A", "duration_steps": 64},
        {"regime_id": "B", "duration_steps": 64, "axes": {"offset": 1}},
    ]
    document = {
        "env": {"id": "skyfall_crl.testing.doubles:SwitchingBandit"},
        "regime": {
            "provider": "scheduled",
            "params": {"schedule": {"shift_mode": "cyclic", "regimes": regimes}},
        },
        "policy": {"id": "linear"},
        "algorithm": {"id": "reinforce"},
        "run": {"steps": 192, "window_steps": 32},
        **sections,
    }
    return parse_config(document, source="test")


EVALUATE = {"every_steps": 64, "steps": 16, "regimes": "all", "world": "fork"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> tuple[Path, list[tuple[str, str]]]:
    """An evaluated run, and the digest of its first world before and after each evaluation."""
    out = tmp_path_factory.mktemp("evaluated") / "run"
    digests = []
    evaluated = Evaluator.evaluate

    def watched(self, *arguments):
        world = self._parts.fanout.environments[0]
        before = world.digest()
        evaluated(self, *arguments)
        digests.append((before, world.digest()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Evaluator, "evaluate", watched)
        run_once(config(evaluate=EVALUATE), out)
    return out, digests


def test_an_evaluation_leaves_the_training_world_as_it_was(finished):
    _, digests = finished

    assert len(digests) == 4
    assert all(before == after for before, after in digests)
    assert len(set(digests)) == 4


def test_training_is_the_same_as_without_evaluation(finished, tmp_path):
    run_once(config(), tmp_path / "plain")
    rows = [
        [
            without_clock(row)
            for row in read_rows(folder / "trace.jsonl")
            if row.get("phase", "train") == "train" and not row.get("world", "").startswith("eval/")
        ][1:]
        for folder in (finished[0], tmp_path / "plain")
    ]

    assert rows[0] == rows[1]


def test_its_matrix_is_in_metrics_json(finished):
    found = msgspec.json.decode((finished[0] / "metrics.json").read_bytes())

    assert found["counts"]["ignored"] == {"eval": 4 * 2 * 16}
    assert all(found["overall"][name]["value"] is not None for name in NAMES)
    flags = {flag for name in NAMES for flag in found["overall"][name]["flags"]}
    assert not flags & {"early_evaluation", "evaluations_missing", "null_rewards"}
    assert found["identities"]["A"]["scores"]["backward_transfer"]["reason"] == "trained_last"
    rows = [row for row in read_rows(finished[0] / "trace.jsonl") if row.get("world") == "eval/192/B"]
    levels = [row["reward"] for row in rows if row["kind"] == "step"]
    at_the_end = found["identities"]["B"]["scores"]["average_performance"]["value"]
    assert at_the_end == pytest.approx(sum(levels) / len(levels))


def test_its_matrix_is_printed_and_reported(finished, capsys):
    assert main(["eval", str(finished[0])]) == 0
    printed = capsys.readouterr().out
    page = (finished[0] / "report.html").read_text()

    assert "frozen: at the end" in printed
    assert "trained last" in printed
    assert "With the policy frozen" in page
    assert "Scores of the frozen policy" in page


def test_without_evaluations_the_matrix_says_so(tmp_path):
    run_once(config(evaluate={**EVALUATE, "world": "none"}), tmp_path / "run")
    found = msgspec.json.decode((tmp_path / "run/metrics.json").read_bytes())

    assert {found["overall"][name]["reason"] for name in NAMES} == {"no_evaluation"}
    assert "With the policy frozen" not in (tmp_path / "run/report.html").read_text()
