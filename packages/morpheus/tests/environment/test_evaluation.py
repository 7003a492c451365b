"""Frozen policies evaluated on forks of the embedded world."""

from pathlib import Path

import msgspec

from skyfall_crl.config import parse_config
from skyfall_crl.study import run_once
from skyfall_crl.train.evaluation import Evaluator


def test_forks_are_scored_and_the_training_world_keeps_its_digest(tmp_path: Path, monkeypatch) -> None:
    schedule = {
        "shift_mode": "abrupt",
        "regimes": [
            {"regime_id": name, "duration_steps": 96, "axes": {"cause_mix": name, "payment_terms": name}}
            for name in "AB"
        ],
    }
    document = {
        "env": {
            "id": "morpheus/world",
            "kwargs": {
                "layout": "process-outbound",
                "task_view": "scheduling-under-drift",
                "reward_spec": "paper",
            },
        },
        "regime": {"provider": "scheduled", "params": {"schedule": schedule}},
        "policy": {"id": "mlp", "kwargs": {"hidden": 16}},
        "algorithm": {"id": "ppo"},
        "run": {"steps": 192, "num_envs": 2, "window_steps": 32},
        "evaluate": {"every_steps": 96, "steps": 32, "regimes": "all", "world": "fork"},
    }
    digests = []
    evaluated = Evaluator.evaluate

    def watched(self, *arguments):
        worlds = self._parts.fanout.environments
        before = [world.digest() for world in worlds]
        evaluated(self, *arguments)
        digests.append((before, [world.digest() for world in worlds]))

    monkeypatch.setattr(Evaluator, "evaluate", watched)
    run_once(parse_config(document, source="test"), tmp_path / "run")
    found = msgspec.json.decode((tmp_path / "run/metrics.json").read_bytes())

    assert len(digests) == 3
    assert all(before == after for before, after in digests)
    assert found["counts"]["ignored"] == {"eval": 3 * 2 * 32}
    for name in ("average_performance", "backward_transfer", "forward_transfer", "forgetting_max_final"):
        assert found["overall"][name]["value"] is not None, name
    assert found["identities"]["A"]["scores"]["average_performance"]["value"] > 0
