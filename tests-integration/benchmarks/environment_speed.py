"""How fast an embedded world is stepped through `MorpheusEnv`, as a share of the bare engine in the same run.

Each round replays the same recorded actions on fresh worlds of one seed, one kind of stepping after the other, so that
choosing actions costs nothing. Time is CPU time of this process, which other jobs on the machine disturb least.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.references import HandRule
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.ports.tools import ToolCall

LAYOUT = "process-outbound"
SEED = 5
TARGETS = {
    "engine": 20_000.0,
    "discrete view, random": 12_000.0,
    "discrete view, hand rule": 12_000.0,
    "full text, hand rule": 4_000.0,
}


class Recording(SchedulingUnderDrift):
    """The discrete view, keeping the call behind each action; None where there was none."""

    def __init__(self) -> None:
        super().__init__(LAYOUT)
        self.calls: list[ToolCall | None] = []

    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        """Map the action as the view does, and keep what came out."""
        call = super().to_tool_call(action, world_id=world_id, observation=observation)
        self.calls.append(call)
        return call


def hand_rule_actions(steps: int) -> tuple[list[int], list[ToolCall | None]]:
    """Return what the hand rule does in a world of `SEED`, as discrete actions and as calls."""
    view = Recording()
    env = world(task_view=view)
    policy = HandRule()
    policy.bind(env.observation_space, env.action_space, view)
    observation, _ = env.reset(seed=SEED)
    actions = []
    for _ in range(steps):
        action = policy.act([observation], [{}])[0].action
        observation, *_ = env.step(action)
        actions.append(int(action))
    env.close()
    return actions, view.calls


def engine_rate(actions: Sequence[int]) -> float:
    """Return steps a second of the engine alone under discrete actions."""
    engine = World(layout_named(LAYOUT), SEED)
    queues = engine.board.queues
    started = time.process_time()
    for action in actions:
        engine.begin()
        if 0 < action < 22:
            queue, remedy = divmod(action - 1, 3)
            if queues[queue]:
                engine.mend(queues[queue][0], remedy)
        engine.advance()
    return len(actions) / (time.process_time() - started)


def environment_rate(view: str, actions: Sequence[Any]) -> float:
    """Return steps a second of an environment under one view."""
    env = world(task_view=view)
    env.reset(seed=SEED)
    step = env.step
    started = time.process_time()
    for action in actions:
        step(action)
    rate = len(actions) / (time.process_time() - started)
    env.close()
    return rate


def contestants(steps: int) -> dict[str, Callable[[], float]]:
    """Return what is measured, by name."""
    random = np.random.default_rng(SEED).integers(0, 29, steps).tolist()
    hand, calls = hand_rule_actions(steps)
    nothing = {"method": "", "path": "", "body": ""}
    requests = [nothing if call is None else call for call in calls]
    return {
        "engine": lambda: engine_rate(hand),
        "discrete view, random": lambda: environment_rate("scheduling-under-drift", random),
        "discrete view, hand rule": lambda: environment_rate("scheduling-under-drift", hand),
        "full text, hand rule": lambda: environment_rate("tool-call", requests),
    }


def main() -> None:
    """Print medians and ranges over interleaved rounds, with the share of the engine's rate in the same round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="at least 7 (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=4000, help="steps each (default: %(default)s)")
    arguments = parser.parse_args()
    measured = contestants(arguments.steps)
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(arguments.rounds):
        for name, measure in measured.items():
            rates[name].append(measure())
    print(
        f"steps per second of CPU time, {arguments.rounds} rounds of {arguments.steps} steps: median [range]"
    )
    for name, values in rates.items():
        shares = [value / engine for value, engine in zip(values, rates["engine"], strict=True)]
        verdict = "met" if max(values) >= TARGETS[name] else "MISSED"
        print(
            f"{name:26s} {statistics.median(values):9,.0f} [{min(values):,.0f}, {max(values):,.0f}]  "
            f"{statistics.median(shares):.3f} of the engine [{min(shares):.3f}, {max(shares):.3f}]  "
            f"target {TARGETS[name]:,.0f}: {verdict}"
        )


if __name__ == "__main__":
    main()
