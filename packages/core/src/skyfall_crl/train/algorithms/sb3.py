"""PPO and RecurrentPPO of Stable-Baselines3 on windows: worlds that never reset, bootstrapped where a window ends."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skyfall_crl.ports.algorithm import WeightsFormat, Window
from skyfall_crl.ports.errors import ConfigError, PolicyError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.experience import read_choices
from skyfall_crl.train.algorithms.returns import advantages, continues, next_values
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.arguments import check_count, check_real
from skyfall_crl.train.policies.arrays import Matrix
from skyfall_crl.train.policies.sb3 import Sb3Policy, Sb3RecurrentPolicy
from skyfall_crl.train.policies.sb3_extra import require

if TYPE_CHECKING:
    from skyfall_crl.train.algorithms.sb3_training import Training
    from skyfall_crl.train.policies.sb3_networks import States


class Sb3PPO:
    """Stable-Baselines3's PPO for the policy `sb3-ppo`; its arguments under our names, its defaults.

    The library trains, and never sees an environment: a run's session steps the worlds, no step is ever `done` to the
    library, and where a window, or an episode that was reset, ends, the value of what followed stands in. Needs the
    extra `sb3`. Source: Raffin et al., "Stable-Baselines3: Reliable Reinforcement Learning Implementations", 2021.
    """

    _expected = Sb3Policy, "sb3-ppo"

    def __init__(
        self,
        policy: Policy,
        *,
        learning_rate: float = 3e-4,
        discount: float = 0.99,
        gae_lambda: float = 0.95,
        clip: float = 0.2,
        epochs: int = 10,
        batch_size: int = 64,
        entropy: float = 0.0,
        value_coefficient: float = 0.5,
        max_gradient_norm: float = 0.5,
    ) -> None:
        require()
        kind, name = self._expected
        if type(policy) is not kind or not isinstance(policy, Sb3Policy):
            raise ConfigError(
                f"{type(self).__name__} needs the policy {name!r}, found {type(policy).__name__}"
            )
        self._sb3 = policy
        self._discount = check_real("discount", discount, at_most=1.0)
        self._trace_decay = check_real("gae_lambda", gae_lambda, at_most=1.0)
        self._generator: np.random.Generator | None = None
        self._training = self._trained_by(
            learning_rate=check_real("learning_rate", learning_rate, above_zero=True),
            clip_range=check_real("clip", clip, above_zero=True),
            n_epochs=check_count("epochs", epochs),
            batch_size=check_count("batch_size", batch_size, least=2),
            ent_coef=check_real("entropy", entropy),
            vf_coef=check_real("value_coefficient", value_coefficient),
            max_grad_norm=check_real("max_gradient_norm", max_gradient_norm, above_zero=True),
        )

    def _trained_by(self, **arguments: Any) -> "Training":
        from skyfall_crl.train.algorithms.sb3_training import Training

        return Training(self._sb3.network, recurrent=self._sb3.recurrent, arguments=arguments)

    @property
    def policy(self) -> Policy:
        """The policy that acts and is trained."""
        return self._sb3

    def seed(self, generator: np.random.Generator) -> None:
        """Take the generator that shuffles the rows of a window."""
        self._generator = generator

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from the valid rows; returns what the library logs, or nothing without rows."""
        if self._generator is None:
            raise PolicyError("algorithm: seed(generator) has to come before update")
        if not window.valid.any():
            return {}
        policy = self._sb3
        features = policy.encoder.encode([seen for row in window.observations for seen in row])
        values = policy.evaluate(features).values.reshape(window.rewards.shape)
        gains = self._gains(window, values, next_values(window, policy, ReturnScale(), values))
        rows = np.flatnonzero(window.valid)
        decisions = [decision for row in window.decisions for decision in row]
        infos = [info for row in window.infos for info in row]
        choices, log_probs = read_choices([decisions[row] for row in rows], policy)
        return self._training.learn(
            self._generator,
            features[rows][:, None],
            choices.astype(np.float64).reshape(len(rows), 1, -1),
            log_probs[:, None],
            values.ravel()[rows][:, None],
            gains.ravel()[rows][:, None],
            policy.actions.mask([infos[row] for row in rows]),
        )

    def _gains(self, window: Window, values: Matrix, following: Matrix) -> Matrix:
        return advantages(
            window.rewards,
            values,
            following,
            continues(window),
            discount=self._discount,
            trace_decay=self._trace_decay,
        )

    def checkpoint(self, directory: Path) -> WeightsFormat:
        """Write the network as safetensors and JSON into `directory`."""
        self._sb3.save_weights(directory)
        return WeightsFormat.WEIGHTS

    def save_state(self, directory: Path) -> None:
        """Write the optimiser's moments to `optimiser.safetensors` in `directory`."""
        self._training.save(directory)

    def load_state(self, directory: Path) -> None:
        """Take them back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        self._training.load(directory)


class Sb3RecurrentPPO(Sb3PPO):
    """sb3-contrib's RecurrentPPO for the policy `sb3-recurrent-ppo`; as `Sb3PPO` otherwise.

    What the network remembered at each row of a window is found again by letting it see the window from where the
    last one ended. Rows without a reward stay in their sequence with no advantage. An LSTM that sees rewards in its
    observations is the usual baseline for hidden contexts: Duan et al., "RL^2", 2016.
    """

    _expected = Sb3RecurrentPolicy, "sb3-recurrent-ppo"
    _entry: "States | None" = None

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from all rows in their order, and start the next window from what is remembered now."""
        if self._generator is None:
            raise PolicyError("algorithm: seed(generator) has to come before update")
        policy = self._sb3
        assert isinstance(policy, Sb3RecurrentPolicy)
        steps, worlds = window.rewards.shape
        entry, self._entry = self._entry, policy.memory
        if not window.valid.any():
            return {}
        features = policy.encoder.encode([seen for row in window.observations for seen in row])
        features = features.reshape(steps, worlds, -1)
        values, following, memories = self._follow(window, features, entry)
        gains = np.where(window.valid, self._gains(window, values, following), 0.0)
        choices, log_probs = self._choices(window)
        masks = policy.actions.mask([info for row in window.infos for info in row])
        if masks is not None:
            masks = masks.reshape(steps, worlds, -1).swapaxes(0, 1).reshape(steps * worlds, -1)
        return self._training.learn(
            self._generator, features, choices, log_probs, values, gains, masks, memories
        )

    def _choices(self, window: Window) -> tuple[Matrix, Matrix]:
        """Return choices (T, N, K) and log-probabilities (T, N); rows that aren't valid have zeros."""
        policy, rows = self._sb3, np.flatnonzero(window.valid)
        decisions = [decision for row in window.decisions for decision in row]
        read, known = read_choices([decisions[row] for row in rows], policy)
        read = read.reshape(len(rows), -1)
        choices, log_probs = np.zeros((window.valid.size, read.shape[1])), np.zeros(window.valid.size)
        choices[rows], log_probs[rows] = read, known
        return choices.reshape(*window.valid.shape, -1), log_probs.reshape(window.valid.shape)

    def _follow(
        self, window: Window, features: Matrix, entry: "States | None"
    ) -> tuple[Matrix, Matrix, list["States"]]:
        """Return values before and after each step (T, N), and what was remembered before each step."""
        network, encoder = self._sb3.network, self._sb3.encoder
        worlds = features.shape[1]
        states = entry if entry is not None and entry.worlds == worlds else network.nothing(worlds)
        values, following, memories = np.empty(features.shape[:2]), np.empty(features.shape[:2]), []
        finals = window.final_observations
        for step, seen in enumerate(features):
            memories.append(states)
            _, values[step], after = network.step(seen, states)
            assert after is not None
            ended = [world for world in range(worlds) if (step, world) in finals]
            if ended:
                last = np.array(seen)
                last[ended] = encoder.encode([finals[step, world] for world in ended])
                following[step, ended] = network.step(last, after)[1][ended]
            states = after
        last = network.step(encoder.encode(window.last_observations), states)[1]
        going_on = np.concatenate([values[1:], last[None]])
        for step, world in np.ndindex(*values.shape):
            if (step, world) not in finals:
                following[step, world] = going_on[step, world]
        following[window.terminated] = 0.0
        return values, following, memories

    def save_state(self, directory: Path) -> None:
        """Write the optimiser's moments, and what was remembered when the last window ended."""
        self._training.save(directory, self._entry)

    def load_state(self, directory: Path) -> None:
        """Take both back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        self._entry = self._training.load(directory)
