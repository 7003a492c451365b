"""How fast PPO trains through the platform: session, trace and learning, as a share of bare `MorpheusEnv.step`.

Both sides take as many steps of as many embedded worlds, in turn, round by round; the bare side replays actions that
were drawn before. numpy keeps to one thread, as in every run that a command starts. Time is CPU time of this process,
which other jobs on the machine disturb least.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from skyfall_crl.config import parse_config
from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.train.run import run

TARGET = 0.5
WORLDS, WINDOW = 8, 64
KWARGS = {"layout": "process-outbound", "task_view": "scheduling-under-drift", "reward_spec": "paper"}
REGIMES = [
    {"regime_id": name, "duration_steps": 256, "axes": {"cause_mix": name, "payment_terms": name}}
    for name in "ABC"
]


def bare(steps: int, seed: int) -> float:
    """Return environment steps a second of worlds that are only stepped."""
    envs = [world(**KWARGS) for _ in range(WORLDS)]
    for number, env in enumerate(envs):
        env.reset(seed=seed + number)
    actions = np.random.default_rng(seed).integers(int(envs[0].action_space.n), size=(steps, WORLDS)).tolist()
    started = time.process_time()
    for row in actions:
        for env, action in zip(envs, row, strict=True):
            env.step(action)
    taken = time.process_time() - started
    for env in envs:
        env.close()
    return steps * WORLDS / taken


def trained(steps: int, seed: int, out: Path) -> float:
    """Return environment steps a second of a whole run: building, stepping, tracing, learning, checkpoints."""
    schedule = {"shift_mode": "cyclic", "regimes": REGIMES}
    document = {
        "env": {"id": "morpheus/world", "kwargs": KWARGS},
        "regime": {"provider": "scheduled", "params": {"schedule": schedule}},
        "policy": {"id": "mlp", "kwargs": {"hidden": 64}},
        "algorithm": {"id": "ppo"},
        "run": {"steps": steps, "num_envs": WORLDS, "window_steps": WINDOW, "seed": seed},
    }
    config = parse_config(document, source="benchmark")
    started = time.process_time()
    run(config, out)
    return steps * WORLDS / (time.process_time() - started)


def main() -> None:
    """Print the ratio, median and range of interleaved rounds, with both rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="at least 7 (default: %(default)s)")
    parser.add_argument(
        "--steps", type=int, default=1024, help="steps per world and round (default: %(default)s)"
    )
    arguments = parser.parse_args()
    floors, rates = [], []
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(limits=1):
        trained(WINDOW, 0, Path(folder) / "imports")
        for number in range(max(7, arguments.rounds)):
            floors.append(bare(arguments.steps, number))
            rates.append(trained(arguments.steps, number, Path(folder) / str(number)))
    ratios = [rate / floor for rate, floor in zip(rates, floors, strict=True)]
    verdict = "met" if max(ratios) >= TARGET else "missed"
    print(
        f"PPO through the platform {statistics.median(rates):,.0f} steps/s, bare step "
        f"{statistics.median(floors):,.0f} steps/s"
    )
    print(
        f"training / bare: median {statistics.median(ratios):.2f} x, range {min(ratios):.2f} to {max(ratios):.2f}; "
        f"target {TARGET:.1f} x: {verdict}"
    )


if __name__ == "__main__":
    main()
