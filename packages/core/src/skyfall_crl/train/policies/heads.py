"""Several networks of which one acts: what an algorithm that tells hidden contexts apart switches between."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.train.policies.arguments import check_count
from skyfall_crl.train.policies.mlp import MlpPolicy
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

WEIGHTS_FILE = "weights.npy"


class HeadsPolicy:
    """`heads` networks like the policy `mlp`, each with weights of its own; number `active` acts.

    Trained by the algorithm `latent-context`, which sets `active`.
    """

    def __init__(self, *, heads: int = 5, hidden: int = 64, greedy: bool = False) -> None:
        self.members = [MlpPolicy(hidden=hidden, greedy=greedy) for _ in range(check_count("heads", heads))]
        self.active = 0

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generators for first weights and for sampling actions; the heads share them."""
        for member in self.members:
            member.seed(initial, sampling)

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the spaces of one world and draw first weights; raises `PolicyError` for unfit spaces."""
        for member in self.members:
            member.bind(observation_space, action_space, task_view)

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return the decisions of the active head."""
        return self.members[self.active].act(batch, infos)

    def save_weights(self, directory: Path) -> None:
        """Write which head is active, then all weights, to one flat `weights.npy` in `directory`."""
        everything = np.concatenate([[float(self.active)], *(member.weights for member in self.members)])
        write_vector(directory / WEIGHTS_FILE, everything)

    def load_weights(self, directory: Path) -> None:
        """Take them back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        sizes = [member.weights.size for member in self.members]
        vector = read_vector(directory / WEIGHTS_FILE, 1 + sum(sizes))
        if vector[0] not in range(len(self.members)):
            raise CheckpointError(
                f"{directory / WEIGHTS_FILE}: expected the number of a head, found {vector[0]}"
            )
        self.active = int(vector[0])
        for member, weights in zip(self.members, np.split(vector[1:], np.cumsum(sizes)[:-1]), strict=True):
            member.weights[:] = weights
