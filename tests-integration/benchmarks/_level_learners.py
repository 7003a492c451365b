"""PPO on worlds of a layout, no environment between: trained under a schedule, scored under any configuration."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from gymnasium import spaces

from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.ppo import PPO
from skyfall_crl.train.policies.mlp import MlpPolicy

WORLDS, WINDOW = 8, 64
_NO_INFO: Mapping[str, object] = {}

Axes = Mapping[str, object]
Schedule = Callable[[int], Axes]


def trained(layout: Layout, schedule: Schedule, steps: int, seed: int) -> MlpPolicy:
    """Return PPO with 64 hidden units after `steps` steps, over 8 worlds; `schedule` gives the axes of a window."""
    desks = [Desk(layout, 1_000_000 + 1_000 * seed + place) for place in range(WORLDS)]
    initial, sampling, shuffling = (np.random.default_rng([seed, stream]) for stream in range(3))
    policy = MlpPolicy(hidden=64)
    policy.seed(initial, sampling)
    policy.bind(desks[0].space, spaces.Discrete(desks[0].reader.actions))
    learner = PPO(policy)
    learner.seed(shuffling)
    for number in range(steps // (WORLDS * WINDOW)):
        for desk in desks:
            desk.world.configure(schedule(number))
        learner.update(_window(desks, policy))
    return policy


def scored(layout: Layout, policy: MlpPolicy, axes: Axes, seeds: Sequence[int], steps: int) -> list[float]:
    """Return the mean reward per step of a policy that learns no more, one for each seed."""
    desks = [Desk(layout, seed) for seed in seeds]
    for desk in desks:
        desk.world.configure(axes)
    totals = [0.0] * len(desks)
    infos = [_NO_INFO] * len(desks)
    for _ in range(steps):
        for place, decision in enumerate(policy.act([desk.encoded() for desk in desks], infos)):
            totals[place] += desks[place].step(decision.action)
    return [total / steps for total in totals]


def _window(desks: Sequence[Desk], policy: MlpPolicy) -> Window:
    infos = [_NO_INFO] * len(desks)
    observations: list[Sequence[object]] = []
    decisions = []
    rewards = np.zeros((WINDOW, len(desks)))
    for step in range(WINDOW):
        seen = [desk.encoded() for desk in desks]
        decided = policy.act(seen, infos)
        observations.append(seen)
        decisions.append(decided)
        for place, decision in enumerate(decided):
            rewards[step, place] = desks[place].step(decision.action)
    never = np.zeros(rewards.shape, bool)
    return Window(
        observations=observations,
        infos=[infos] * WINDOW,
        decisions=decisions,
        rewards=rewards,
        valid=~never,
        terminated=never,
        truncated=never,
        last_observations=[desk.encoded() for desk in desks],
        last_infos=infos,
        final_observations={},
    )
