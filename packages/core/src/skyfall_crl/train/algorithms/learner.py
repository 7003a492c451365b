"""What REINFORCE and PPO share: rows of experience, the actor-critic gradient, and state on disk."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skyfall_crl.ports.algorithm import WeightsFormat, Window
from skyfall_crl.ports.errors import CheckpointError, ConfigError, PolicyError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.adam import Adam
from skyfall_crl.train.algorithms.returns import advantages, continues, next_values
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arguments import check_real
from skyfall_crl.train.policies.categorical import Categorical, Index, Mask, Matrix, stack_masks
from skyfall_crl.train.policies.weights_file import Vector, read_vector, write_vector

STATE_FILE = "optimiser.npy"


@dataclass(slots=True)
class Experience:
    """M rows to learn from: `features` (M, D), `mask` (M, A) where there is one, all else of shape (M,)."""

    features: Matrix
    choices: Index
    log_probs: Vector
    advantages: Vector
    returns: Vector
    mask: Mask | None

    def take(self, rows: Index) -> "Experience":
        """Return some of the rows."""
        return Experience(
            self.features[rows],
            self.choices[rows],
            self.log_probs[rows],
            self.advantages[rows],
            self.returns[rows],
            None if self.mask is None else self.mask[rows],
        )


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
                f"algorithm: {type(self).__name__} needs a policy with gradients, one derived from "
                "skyfall_crl.train.policies.ActorCritic such as 'linear' or 'mlp', "
                f"found {type(policy).__name__}"
            )
        self._policy = policy
        self._discount = check_real("algorithm.kwargs.discount", discount, at_most=1.0)
        self._trace_decay = trace_decay
        self._entropy = check_real("algorithm.kwargs.entropy", entropy)
        self._value_coefficient = check_real("algorithm.kwargs.value_coefficient", value_coefficient)
        self._optimiser = Adam(
            policy.weights.size,
            learning_rate=check_real("algorithm.kwargs.learning_rate", learning_rate, above_zero=True),
            max_gradient_norm=check_real(
                "algorithm.kwargs.max_gradient_norm", max_gradient_norm, above_zero=True
            ),
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
        """Write the optimiser's moments into `directory`."""
        write_vector(directory / STATE_FILE, self._optimiser.state)

    def load_state(self, directory: Path) -> None:
        """Take the moments back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        state = read_vector(directory / STATE_FILE, self._optimiser.state.size)
        if state[0] < 0 or state[0] != int(state[0]) or (state[1 + self._policy.weights.size :] < 0).any():
            raise CheckpointError(
                f"{directory / STATE_FILE}: expected a step count and two moments, found others"
            )
        self._optimiser.state = state

    def _experience(self, window: Window) -> Experience:
        """Return the valid rows of a window, in (step, world) order, with advantages normalised over them."""
        policy, valid = self._policy, window.valid
        features = policy.encoder.encode([seen for row in window.observations for seen in row])
        values = policy.evaluate(features).values.reshape(valid.shape)
        estimates = advantages(
            window.rewards,
            values,
            next_values(window, policy, values),
            continues(window),
            discount=self._discount,
            trace_decay=self._trace_decay,
        )
        returns = (estimates + values)[valid]
        estimates = estimates[valid]
        rows = np.flatnonzero(valid)
        infos = [info for row in window.infos for info in row]
        choices, log_probs = self._choices(window, rows)
        return Experience(
            features[rows],
            choices,
            log_probs,
            (estimates - estimates.mean()) / (estimates.std() + 1e-8),
            returns,
            stack_masks([infos[i] for i in rows], policy.action_count),
        )

    def _choices(self, window: Window, rows: Index) -> tuple[Index, Vector]:
        decisions = [decision for row in window.decisions for decision in row]
        try:
            choices = np.array([decisions[i].action for i in rows], dtype=np.intp) - self._policy.first_action
            log_probs = np.array([decisions[i].log_prob for i in rows], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise PolicyError(
                f"window: expected a discrete action in every valid decision: {error}"
            ) from error
        if (
            choices.min() < 0
            or choices.max() >= self._policy.action_count
            or not np.isfinite(log_probs).all()
        ):
            raise PolicyError(
                "window: expected an action of the space and a log_prob in every valid decision"
            )
        return choices, log_probs

    def _descend(
        self, rows: Experience, hidden: Matrix, values: Vector, distribution: Categorical, pull: Vector
    ) -> Step:
        """Take one step that raises each row's choice in log-probability as strongly as `pull` (M,) says."""
        probabilities, log_probabilities = distribution
        count, error = len(values), values - rows.returns
        entropies = -np.einsum("ij,ij->i", probabilities, log_probabilities)
        outputs = np.empty((count, self._policy.action_count + 1))
        logits = outputs[:, :-1]
        np.add(log_probabilities, entropies[:, None], out=logits)
        logits *= self._entropy
        logits += pull[:, None]
        logits *= probabilities
        logits[np.arange(count), rows.choices] -= pull
        outputs[:, -1] = self._value_coefficient * error
        outputs /= count
        norm = self._optimiser.step(
            self._policy.weights, self._policy.gradient(rows.features, hidden, outputs)
        )
        return Step(0.5 * float(error @ error) / count, float(entropies.mean()), norm)
