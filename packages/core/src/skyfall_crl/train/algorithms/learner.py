"""What REINFORCE and PPO share: the actor-critic gradient step, and state on disk."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from skyfall_crl.ports.algorithm import WeightsFormat, Window
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.adam import Adam
from skyfall_crl.train.algorithms.experience import Experience, gather
from skyfall_crl.train.algorithms.loss import loss_gradient
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arguments import check_real
from skyfall_crl.train.policies.arrays import Matrix, Vector
from skyfall_crl.train.policies.categorical import Categorical
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

STATE_FILE = "learner.npy"


class Step(NamedTuple):
    """What one gradient step saw, as means over its rows."""

    value_loss: float
    entropy: float
    gradient_norm: float


class Learner:
    """An algorithm that trains an `ActorCritic` by gradient steps on windows of experience."""

    def __init__(
        self,
        policy: Policy,
        *,
        learning_rate: float,
        discount: float,
        trace_decay: float,
        entropy: float,
        value_coefficient: float,
        max_gradient_norm: float,
    ) -> None:
        if not isinstance(policy, ActorCritic):
            raise ConfigError(
                f"{type(self).__name__} needs a policy with gradients, one derived from "
                "skyfall_crl.train.policies.ActorCritic such as 'linear' or 'mlp', "
                f"found {type(policy).__name__}"
            )
        self._policy = policy
        self._discount = check_real("discount", discount, at_most=1.0)
        self._trace_decay = trace_decay
        self._entropy = check_real("entropy", entropy)
        self._value_coefficient = check_real("value_coefficient", value_coefficient)
        self._scale = ReturnScale()
        self._optimiser = Adam(
            policy.weights.size,
            learning_rate=check_real("learning_rate", learning_rate, above_zero=True),
            max_gradient_norm=check_real("max_gradient_norm", max_gradient_norm, above_zero=True),
        )

    @property
    def policy(self) -> Policy:
        """The policy that acts and is trained."""
        return self._policy

    def checkpoint(self, directory: Path) -> WeightsFormat:
        """Write the policy's `weights.npy` into `directory`."""
        self._policy.save_weights(directory)
        return WeightsFormat.WEIGHTS

    def save_state(self, directory: Path) -> None:
        """Write the return scale and the optimiser's moments to `learner.npy` in `directory`."""
        write_vector(directory / STATE_FILE, np.concatenate([self._scale.state, self._optimiser.state]))

    def load_state(self, directory: Path) -> None:
        """Take them back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        own = ReturnScale.SIZE
        state = read_vector(directory / STATE_FILE, own + self._optimiser.state.size)
        steps, squares = state[own], state[own + 1 + self._policy.weights.size :]
        if steps < 0 or steps != int(steps) or (squares < 0).any() or not 0 <= state[0] <= 1:
            raise CheckpointError(
                f"{directory / STATE_FILE}: expected a return scale, a step count and two moments, found others"
            )
        self._scale.state, self._optimiser.state = state[:own], state[own:]

    def _gather(self, window: Window) -> Experience:
        return gather(
            window, self._policy, self._scale, discount=self._discount, trace_decay=self._trace_decay
        )

    def _descend(
        self, rows: Experience, hidden: Matrix, values: Vector, distribution: Categorical, pull: Vector
    ) -> Step:
        """Take one step that raises each row's choice in log-probability as strongly as `pull` (M,) says."""
        errors = values - rows.returns
        outputs = loss_gradient(
            distribution,
            rows.choices,
            pull,
            errors,
            entropy=self._entropy,
            value_coefficient=self._value_coefficient,
        )
        gradient = self._policy.gradient(rows.features, hidden, outputs)
        norm = self._optimiser.step(self._policy.weights, gradient)
        return Step(0.5 * float(errors @ errors) / len(errors), float(distribution.entropies().mean()), norm)
