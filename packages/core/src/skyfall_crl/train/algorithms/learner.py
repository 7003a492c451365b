"""What REINFORCE and PPO share: the actor-critic gradient step with its hooks, and state on disk."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skyfall_crl.ports.algorithm import WeightsFormat, Window
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.adam import Adam
from skyfall_crl.train.algorithms.experience import Experience, gather
from skyfall_crl.train.algorithms.hook import Bench, Hook
from skyfall_crl.train.algorithms.hooks import build_hooks
from skyfall_crl.train.algorithms.loss import loss_gradient
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arguments import check_real
from skyfall_crl.train.policies.arrays import Matrix, Vector
from skyfall_crl.train.policies.distribution import Distribution
from skyfall_crl.train.policies.weights_file import read_vector, write_vector

STATE_FILE = "learner.npy"


class Step(NamedTuple):
    """What one gradient step saw, as means over its rows; `added_loss` is what the hooks added."""

    value_loss: float
    entropy: float
    gradient_norm: float
    added_loss: float


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
        hooks: Sequence[Hook | Mapping[str, Any]],
    ) -> None:
        if not isinstance(policy, ActorCritic):
            raise ConfigError(
                f"{type(self).__name__} needs a policy with gradients, one derived from "
                "skyfall_crl.train.policies.ActorCritic such as 'linear' or 'mlp', "
                f"found {type(policy).__name__}"
            )
        self._policy = policy
        self._trace_decay = trace_decay
        self._bench = Bench(
            policy,
            Adam(
                policy.weights.size,
                learning_rate=check_real("learning_rate", learning_rate, above_zero=True),
                max_gradient_norm=check_real("max_gradient_norm", max_gradient_norm, above_zero=True),
            ),
            ReturnScale(),
            check_real("discount", discount, at_most=1.0),
            check_real("entropy", entropy),
            check_real("value_coefficient", value_coefficient),
        )
        self._hooks = build_hooks(hooks)
        for hook in self._hooks:
            hook.bind(self._bench)

    @property
    def policy(self) -> Policy:
        """The policy that acts and is trained."""
        return self._policy

    def seed(self, generator: np.random.Generator) -> None:
        """Take the generator of the learner and its hooks."""
        self._bench.seeded = generator

    def checkpoint(self, directory: Path) -> WeightsFormat:
        """Write the policy's `weights.npy` into `directory`."""
        self._policy.save_weights(directory)
        return WeightsFormat.WEIGHTS

    def save_state(self, directory: Path) -> None:
        """Write return scale and optimiser to `learner.npy` in `directory`, and a file for each hook with a state."""
        bench = self._bench
        write_vector(directory / STATE_FILE, np.concatenate([bench.scale.state, bench.optimiser.state]))
        for number, hook in enumerate(self._hooks):
            if hook.state.size:
                write_vector(directory / _hook_file(number), hook.state)

    def load_state(self, directory: Path) -> None:
        """Take them back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        bench, own = self._bench, ReturnScale.SIZE
        state = read_vector(directory / STATE_FILE, own + bench.optimiser.state.size)
        steps, squares = state[own], state[own + 1 + self._policy.weights.size :]
        if steps < 0 or steps != int(steps) or (squares < 0).any() or not 0 <= state[0] <= 1:
            raise CheckpointError(
                f"{directory / STATE_FILE}: expected a return scale, a step count and two moments, found others"
            )
        states = [
            read_vector(directory / _hook_file(number), hook.state.size) if hook.state.size else None
            for number, hook in enumerate(self._hooks)
        ]
        bench.scale.state, bench.optimiser.state = state[:own], state[own:]
        for hook, carried in zip(self._hooks, states, strict=True):
            if carried is not None:
                hook.state = carried

    def _gather(self, window: Window) -> Experience:
        bench = self._bench
        return gather(
            window, self._policy, bench.scale, discount=bench.discount, trace_decay=self._trace_decay
        )

    def _descend(
        self, rows: Experience, hidden: Matrix, values: Vector, distribution: Distribution, pull: Vector
    ) -> Step:
        """Take one step that raises each row's choice in log-probability as strongly as `pull` (M,) says."""
        bench, policy = self._bench, self._policy
        errors = values - rows.returns
        outputs = loss_gradient(
            distribution,
            rows.choices,
            pull,
            errors,
            columns=policy.actions.columns,
            entropy=bench.entropy,
            value_coefficient=bench.value_coefficient,
        )
        gradient = policy.gradient(rows.features, hidden, outputs)
        added = 0.0
        if self._hooks:
            gradient = gradient.copy()
            added = sum(hook.add_gradient(gradient, len(errors)) for hook in self._hooks)
        norm = bench.optimiser.step(policy.weights, gradient)
        for hook in self._hooks:
            hook.stepped(rows, hidden)
        loss, entropy = 0.5 * float(errors @ errors) / len(errors), float(distribution.entropies().mean())
        return Step(loss, entropy, norm, added)

    def _finish(self, window: Window, rows: Experience) -> dict[str, float]:
        """Let every hook hear that a window was learned from, and return what they have to say."""
        return {name: number for hook in self._hooks for name, number in hook.learned(window, rows).items()}


def _hook_file(number: int) -> str:
    return f"hook-{number}.npy"
