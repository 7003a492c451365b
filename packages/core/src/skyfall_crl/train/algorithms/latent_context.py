"""Telling hidden contexts apart by their reward: a network for each, and a search when the reward drops."""

from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

import numpy as np

from skyfall_crl.ports.algorithm import WeightsFormat, Window
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.level import RewardLevel
from skyfall_crl.train.algorithms.ppo import PPO, PPOArguments
from skyfall_crl.train.policies.arguments import check_real
from skyfall_crl.train.policies.heads import HeadsPolicy
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

STATE_FILE = "contexts.npy"
NOBODY = -1


class LatentContext:
    """PPO on one of several heads, for the policy `heads`; nothing but rewards tells it which context is in force.

    A window whose mean reward lies more than `drop` deviations under the active head's usual level starts a search:
    every head with experience acts for one window, without learning. Of those that earn what they used to the best
    one goes on; where none does, a head without experience begins, or, once all have some, the best one adapts.

    Source: the idea of one partial model for each context, chosen by how well it does, is that of da Silva et al.,
    "Dealing with non-stationary environments using context detection", 2006.
    """

    def __init__(self, policy: Policy, *, drop: float = 4.0, **ppo: Unpack[PPOArguments]) -> None:
        if not isinstance(policy, HeadsPolicy):
            raise ConfigError(f"LatentContext needs the policy 'heads', found {type(policy).__name__}")
        self._policy = policy
        self._drop = check_real("drop", drop, above_zero=True)
        self._learners = [PPO(member, **ppo) for member in policy.members]
        self._levels = [RewardLevel() for _ in policy.members]
        self._tried = np.full(len(policy.members), np.nan)
        self._searching = False

    @property
    def policy(self) -> Policy:
        """The policy that acts and is trained."""
        return self._policy

    def seed(self, generator: np.random.Generator) -> None:
        """Take the generator that the heads' learners share."""
        for learner in self._learners:
            learner.seed(generator)

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn with the active head, or go on with the search; returns also which head acted."""
        if not window.valid.any():
            return {}
        head, reward = self._policy.active, float(window.rewards[window.valid].mean())
        acted = {"context": float(head)}
        if self._searching:
            self._tried[head] = reward
            self._search()
            return acted
        if self._levels[head].is_above(reward, self._drop):
            self._tried[:] = np.nan
            self._tried[head] = reward
            self._searching = True
            self._search()
            return acted
        self._levels[head].follow(reward)
        return {**self._learners[head].update(window), **acted}

    def _search(self) -> None:
        """Let the next head with experience act, or decide once all of them have."""
        heads = range(len(self._levels))
        waiting = [head for head in heads if self._levels[head].windows and np.isnan(self._tried[head])]
        if waiting:
            self._policy.active = waiting[0]
            return
        self._searching = False
        fitting = [
            head
            for head in heads
            if not np.isnan(self._tried[head])
            and not self._levels[head].is_above(self._tried[head], self._drop)
        ]
        unused = [head for head in heads if not self._levels[head].windows]
        if fitting:
            self._policy.active = max(fitting, key=lambda head: self._tried[head])
        elif unused:
            self._policy.active = unused[0]
        else:
            self._policy.active = int(np.nanargmax(self._tried))
            self._levels[self._policy.active] = RewardLevel()

    def checkpoint(self, directory: Path) -> WeightsFormat:
        """Write the weights of all heads into `directory`."""
        self._policy.save_weights(directory)
        return WeightsFormat.WEIGHTS

    def save_state(self, directory: Path) -> None:
        """Write where the search is, and each head's learner into a folder of its own."""
        tried = np.where(np.isnan(self._tried), NOBODY, self._tried)
        known = np.isfinite(self._tried).astype(np.float64)
        levels = [level.state for level in self._levels]
        write_vector(
            directory / STATE_FILE, np.concatenate([[float(self._searching)], tried, known, *levels])
        )
        for number, learner in enumerate(self._learners):
            folder = directory / f"head-{number}"
            folder.mkdir(exist_ok=True)
            learner.save_state(folder)

    def load_state(self, directory: Path) -> None:
        """Take both back; raises `CheckpointError` if they don't fit."""
        count = len(self._levels)
        vector = read_vector(directory / STATE_FILE, 1 + count * (2 + RewardLevel.SIZE))
        for number, learner in enumerate(self._learners):
            learner.load_state(directory / f"head-{number}")
        self._searching = bool(vector[0])
        tried, known = vector[1 : 1 + count], vector[1 + count : 1 + 2 * count]
        self._tried = np.where(known > 0, tried, np.nan)
        for level, state in zip(self._levels, vector[1 + 2 * count :].reshape(count, -1), strict=True):
            level.state = state
