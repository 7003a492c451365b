"""The library's own training loop on rows that it did not collect, and its optimiser on disk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from sb3_contrib import RecurrentPPO
from sb3_contrib.common.recurrent.buffers import RecurrentRolloutBuffer
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import FloatSchedule

from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.train.policies.arrays import Mask, Matrix
from skyfall_crl.train.policies.sb3_networks import Network, States, read_tensors

STATE_FILE, MEMORY_FILE = "optimiser.safetensors", "memory.safetensors"

SETTINGS = ("n_updates", "clip_range", "learning_rate")
"""What the library logs that is no finding of an update."""


class _Rows(RolloutBuffer):  # type: ignore[misc]
    """Rows in any order; tells the network which masks belong to the minibatch that it hands out."""

    masks: Any = None
    module: Any = None

    def _get_samples(self, batch_inds: Any, env: Any = None) -> Any:
        self.module.mask = None if self.masks is None else torch.as_tensor(self.masks[batch_inds])
        return super()._get_samples(batch_inds, env)


class _Sequences(RecurrentRolloutBuffer):  # type: ignore[misc]
    """Rows in their order, filled up to equal lengths; masks are filled up with rows that allow everything."""

    masks: Any = None
    module: Any = None

    def _get_samples(self, batch_inds: Any, env_change: Any, env: Any = None) -> Any:
        samples = super()._get_samples(batch_inds, env_change, env)
        self.module.mask = None
        if self.masks is not None:
            padded = self.pad(self.masks[batch_inds].astype(np.float32)).reshape(-1, self.masks.shape[1]) > 0
            self.module.mask = padded | ~padded.any(1, keepdim=True)
        return samples


class Training:
    """One PPO object of the library around a network; it has no environment and is never asked to collect."""

    def __init__(self, network: Network, *, recurrent: bool, arguments: Mapping[str, Any]) -> None:
        self._network, self._recurrent = network, recurrent
        kind, name = (RecurrentPPO, "MlpLstmPolicy") if recurrent else (PPO, "MlpPolicy")
        self._batch_size = arguments["batch_size"]
        model = kind(name, None, device="cpu", _init_setup_model=False, **arguments)
        model.action_space, model.policy = network.action_space, network.module
        model._setup_lr_schedule()
        model.clip_range = FloatSchedule(model.clip_range)
        self._model = model

    def learn(
        self,
        generator: np.random.Generator,
        features: Matrix,
        choices: Matrix,
        log_probs: Matrix,
        values: Matrix,
        gains: Matrix,
        masks: Mask | None,
        memories: list[States] | None = None,
    ) -> dict[str, float]:
        """Let the library pass over T steps of N worlds; features are (T, N, D), choices (T, N, K), others (T, N).

        `masks` are (N * T, A), world by world; `memories` are a recurrent network's before each step. Returns what the
        library logs. Its shuffle draws from numpy's global generator, which is seeded for that and put back.
        """
        model = self._model
        model.rollout_buffer = self._filled(features, choices, log_probs, values, gains, masks, memories)
        rows = gains.size
        model.normalize_advantage = rows > 1
        model.batch_size = self._batch_size + (rows > 1 and rows % self._batch_size == 1)
        model.set_logger(Logger(None, []))
        kept = np.random.get_state()
        np.random.seed(int(generator.integers(2**32)))
        try:
            model.train()
        finally:
            np.random.set_state(kept)
            self._network.module.mask = None
            self._network.module.set_training_mode(False)
        logged = {name.removeprefix("train/"): float(n) for name, n in model.logger.name_to_value.items()}
        return {
            name: number for name, number in logged.items() if name not in SETTINGS and np.isfinite(number)
        }

    def _filled(
        self,
        features: Matrix,
        choices: Matrix,
        log_probs: Matrix,
        values: Matrix,
        gains: Matrix,
        masks: Mask | None,
        memories: list[States] | None,
    ) -> Any:
        """Return a buffer of the library that holds the rows as if it had collected them."""
        network, (steps, worlds) = self._network, gains.shape
        spaces = network.observation_space, network.action_space
        buffer: Any
        if memories is None:
            buffer = _Rows(steps, *spaces, device="cpu", n_envs=worlds)
        else:
            parts = [np.stack(column) for column in zip(*(m.arrays() for m in memories), strict=True)]
            buffer = _Sequences(steps, *spaces, parts[0].shape, device="cpu", n_envs=worlds)
            names = ("hidden_states_pi", "cell_states_pi", "hidden_states_vf", "cell_states_vf")
            for name, part in zip(names, parts, strict=True):
                setattr(buffer, name, part)
        rows = {"observations": features, "log_probs": log_probs, "values": values, "advantages": gains}
        for name, array in (rows | {"returns": gains + values}).items():
            setattr(buffer, name, array.astype(np.float32))
        buffer.actions = choices.astype(buffer.actions.dtype)
        buffer.masks, buffer.module = masks, network.module
        buffer.pos, buffer.full = steps, True
        return buffer

    def save(self, directory: Path, memory: States | None = None) -> None:
        """Write the optimiser's moments, and what a recurrent network remembers, as safetensors."""
        save_file(self._moments(), directory / STATE_FILE)
        if memory is not None:
            parts = {
                str(number): torch.as_tensor(part).clone() for number, part in enumerate(memory.arrays())
            }
            save_file(parts, directory / MEMORY_FILE)

    def load(self, directory: Path) -> States | None:
        """Take them back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        moments = read_tensors(directory / STATE_FILE, self._moments())
        memory = None
        if self._recurrent and (directory / MEMORY_FILE).exists():
            try:
                parts = load_file(directory / MEMORY_FILE)
                memory = States.of([parts[str(number)].numpy() for number in range(4)])
            except Exception as error:
                raise CheckpointError(f"{directory / MEMORY_FILE}: can't be read: {error}") from error
        optimiser = self._model.policy.optimizer
        optimiser.state.clear()
        for number, parameter in enumerate(self._parameters()):
            if moments[f"{number}.step"] > 0:
                names = ("step", "exp_avg", "exp_avg_sq")
                optimiser.state[parameter] = {name: moments[f"{number}.{name}"].clone() for name in names}
        return memory

    def _parameters(self) -> list[Any]:
        return [
            parameter for group in self._model.policy.optimizer.param_groups for parameter in group["params"]
        ]

    def _moments(self) -> dict[str, Any]:
        """Return step and both moments of every parameter, zeros where there are none yet."""
        moments: dict[str, Any] = {}
        for number, parameter in enumerate(self._parameters()):
            state = self._model.policy.optimizer.state.get(parameter, {})
            moments[f"{number}.step"] = state.get("step", torch.tensor(0.0)).clone()
            for name in ("exp_avg", "exp_avg_sq"):
                moments[f"{number}.{name}"] = state.get(name, torch.zeros_like(parameter)).clone()
        return moments
