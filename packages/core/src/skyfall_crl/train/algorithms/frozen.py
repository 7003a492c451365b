"""A frozen learner: acts on what it has, after a first stretch of training or from a checkpoint."""

from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.ppo import PPO, PPOArguments
from skyfall_crl.train.policies.arguments import check_count
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

STEPS_FILE = "frozen.npy"


class Frozen(PPO):
    """PPO that stops learning once `train_steps` steps of each world have gone by, and acts on as it is.

    With `checkpoint`, a folder that another run wrote (`checkpoints/final`), it starts from those weights. The first
    weights of all are kept where neither is given. A baseline for what learning on is worth; trained where the
    regime switches every 64 steps it is the regime-blind policy.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        checkpoint: str | None = None,
        train_steps: int = 0,
        **ppo: Unpack[PPOArguments],
    ) -> None:
        super().__init__(policy, **ppo)
        self._left = check_count("train_steps", train_steps, least=0)
        if checkpoint is not None:
            try:
                self._policy.load_weights(Path(checkpoint))
            except CheckpointError as error:
                raise ConfigError(f"checkpoint: {error}") from error

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn while there are steps left to learn from; whole windows count."""
        if self._left <= 0:
            return {}
        self._left -= len(window.rewards)
        return super().update(window)

    def save_state(self, directory: Path) -> None:
        """Write the learner's state and how many steps it still learns from."""
        super().save_state(directory)
        write_vector(directory / STEPS_FILE, np.array([float(self._left)]))

    def load_state(self, directory: Path) -> None:
        """Take both back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        left = read_vector(directory / STEPS_FILE, 1)
        super().load_state(directory)
        self._left = int(left[0])
