"""Run directories written by hand: learners that improve, drop at each shift and relearn."""

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

LEVELS = {
    "A": {"random": 0.09, "do_nothing": 0.069, "hand_rule": 0.194, "informed": 0.574, "bound": 0.593},
    "B": {"random": 0.126, "do_nothing": 0.111, "hand_rule": 0.19, "informed": 0.574, "bound": 0.593},
    "C": {"random": 0.146, "do_nothing": 0.139, "hand_rule": 0.197, "informed": 0.575, "bound": 0.593},
}
WriteRun = Callable[..., Path]


def provenance(
    *,
    worlds: int,
    steps: int,
    regimes: Sequence[tuple[str, int]],
    references: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """The first line of a trace, as a run writes it."""
    config = {
        "env": {"id": "morpheus/world", "kwargs": {"layout": "process-outbound", "reward_spec": "paper"}},
        "regime": {"provider": "scheduled", "notify": "hidden"},
        "policy": {"id": "builtin/mlp", "kwargs": {}},
        "algorithm": {"id": "builtin/ppo", "kwargs": {"learning_rate": 0.003, "discount": 0.9}},
        "run": {"steps": steps, "num_envs": worlds, "window_steps": 64, "seed": 7},
        "secret": "${env:API_KEY}",
    }
    return {
        "v": 1,
        "kind": "provenance",
        "run_id": "0f7c1a52d6d94c0b",
        "created": "2026-11-30T12:00:00+00:00",
        "config": config,
        "seed": 7,
        "worlds": [f"w{world}" for world in range(worlds)],
        "steps": steps,
        "capabilities": {"tier": 3, "persistent": True},
        "environment": {
            "layout": "process-outbound",
            "task_view": "scheduling-under-drift",
            "backend": "simulated",
        },
        "schedule": {
            "shift_mode": "cyclic",
            "drift_window": 0,
            "regimes": [
                {"regime_id": name, "identity": name, "duration_steps": length, "axes": {"cause_mix": place}}
                for place, (name, length) in enumerate(regimes)
            ],
        },
        "references": {identity: dict(levels) for identity, levels in references.items()},
        "reward_spec": {
            "name": "paper",
            "version": 1,
            "terms": [
                {"name": "remediation", "weight": 0.5},
                {"name": "financial", "weight": 0.3},
                {"name": "throughput", "weight": 0.2, "params": {"capacity": 2}},
            ],
        },
        "versions": {"skyfall-crl": "1.0.0", "numpy": "2.4.0"},
        "plugins": {"builtin": "skyfall-crl 1.0.0"},
        "platform": {"python": "3.11.7", "system": "Linux"},
        "privileged": False,
    }


def rows(
    *, worlds: int, steps: int, regimes: Sequence[tuple[str, int]], seed: int, drift_window: int = 0
) -> Iterator[dict[str, Any]]:
    """Step rows in the order a run writes them; skill grows in the regime in force and fades in the others."""
    generator = random.Random(seed)
    skill = [dict.fromkeys(LEVELS, 0.05) for _ in range(worlds)]
    pace = 3.0 / max(length for _, length in regimes)
    place, since = 0, 0
    for step in range(steps):
        if since == regimes[place % len(regimes)][1]:
            place, since = place + 1, 0
        name = regimes[place % len(regimes)][0]
        drifting = bool(drift_window) and place > 0
        progress = min(1.0, (since + 1) / drift_window) if drifting else None
        for world in range(worlds):
            yield _row(step, world, name, progress, skill[world], pace, generator)
        since += 1


def _row(
    step: int,
    world: int,
    name: str,
    progress: float | None,
    skill: dict[str, float],
    pace: float,
    generator: random.Random,
) -> dict[str, Any]:
    identity = name.rstrip("2")
    for other in skill:
        skill[other] += pace * (0.9 - skill[other]) if other == identity else -0.4 * pace * skill[other]
    low, high = LEVELS[identity]["random"], LEVELS[identity]["informed"]
    target = low + (high - low) * skill[identity]
    terms = {
        "remediation": min(1.0, max(0.0, target + generator.gauss(0, 0.2))),
        "financial": min(1.0, max(0.0, 0.6 * target + 0.1 + generator.gauss(0, 0.05))),
        "throughput": min(1.0, max(0.0, 1.2 * target + generator.gauss(0, 0.2))),
    }
    reward = 0.5 * terms["remediation"] + 0.3 * terms["financial"] + 0.2 * terms["throughput"]
    refused = generator.random() < 0.15 * math.exp(-4 * skill[identity])
    outcome: dict[str, Any] = {"accepted": True, "sent": True}
    if refused:
        outcome = {"accepted": False, "reason": generator.choice(["out_of_scope", "rejected", "rejected"])}
    elif generator.random() < target:
        outcome["verified"] = [f"ticket-{step}"]
    favourite = 3 + 3 * "ABC".index(identity)
    return {
        "v": 1,
        "kind": "step",
        "step": step,
        "world": f"w{world}",
        "phase": "train",
        "regime_id": name,
        "regime_identity": identity,
        "drift_progress": progress,
        "reward": reward,
        "reward_terms": terms,
        "action": favourite if generator.random() < skill[identity] else generator.randrange(29),
        "outcome": outcome,
        "policy_version": step // 64,
        "wall_ms": 4.0 * step + 1,
    }


@pytest.fixture
def write_run(tmp_path: Path) -> WriteRun:
    """Write a run directory; `change` edits the header and every row, None drops a row, `score` adds metrics."""

    def write(
        *,
        worlds: int = 8,
        steps: int = 1200,
        regimes: Sequence[tuple[str, int]] = (("A", 200), ("B", 200), ("C", 200)),
        references: Mapping[str, Mapping[str, float]] = LEVELS,
        drift_window: int = 0,
        header: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda record: record,
        change: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda row: row,
        score: bool = True,
        name: str = "run",
    ) -> Path:
        directory = tmp_path / name
        directory.mkdir()
        first = header(provenance(worlds=worlds, steps=steps, regimes=regimes, references=references))
        lines = [] if first is None else [first]
        made = rows(worlds=worlds, steps=steps, regimes=regimes, seed=1, drift_window=drift_window)
        lines += [changed for row in made if (changed := change(row)) is not None]
        trace = directory / "trace.jsonl"
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        if first is not None:
            (directory / "config.yaml").write_text(json.dumps(first["config"], indent=2), encoding="utf-8")
        if score:
            from skyfall_crl.metrics import evaluate

            evaluation = evaluate(trace).to_mapping()
            (directory / "metrics.json").write_text(json.dumps(evaluation), encoding="utf-8")
        return directory

    return write
