"""What holds a network of Stable-Baselines3: built from a seed, stepped without gradients, stored without pickle."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.distributions import CategoricalDistribution
from stable_baselines3.common.policies import ActorCriticPolicy

from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.train.policies.arrays import Matrix, Vector

WEIGHTS_FILE, DESCRIPTION_FILE = "weights.safetensors", "weights.json"
FORBIDDEN = -1e8

Array = NDArray[np.float32]


class _Masked:
    """Lets a policy of the library obey `mask`, a tensor of booleans (N, A), while it is set."""

    mask: Any = None

    def _get_action_dist_from_latent(self, latent: Any) -> Any:
        distribution = super()._get_action_dist_from_latent(latent)  # type: ignore[misc]
        if self.mask is None or not isinstance(distribution, CategoricalDistribution):
            return distribution
        logits = distribution.distribution.logits.masked_fill(~self.mask, FORBIDDEN)
        return distribution.proba_distribution(action_logits=logits)


class _Feedforward(_Masked, ActorCriticPolicy):  # type: ignore[misc]
    """The library's policy, with masks."""


class _Recurrent(_Masked, RecurrentActorCriticPolicy):  # type: ignore[misc]
    """The library's recurrent policy, with masks."""


@dataclass(frozen=True, slots=True)
class States:
    """What an LSTM remembers of N worlds: hidden and cell states of actor and critic, each (layers, N, units)."""

    actor: tuple[Any, Any]
    critic: tuple[Any, Any]

    @classmethod
    def of(cls, arrays: Sequence[Array]) -> "States":
        """Return the states that `arrays` gave."""
        first, second, third, fourth = (torch.as_tensor(array) for array in arrays)
        return cls((first, second), (third, fourth))

    def arrays(self) -> list[Array]:
        """Return the four tensors as arrays, the actor's first."""
        return [tensor.numpy() for tensor in (*self.actor, *self.critic)]

    @property
    def worlds(self) -> int:
        """How many worlds are remembered."""
        return int(self.actor[0].shape[1])

    @property
    def as_library(self) -> RNNStates:
        """The states as the library passes them around."""
        return RNNStates(self.actor, self.critic)


class Network:
    """A policy of the library over features of length `size` and the units of an action space.

    Its action space is the one the numpy policies have: choices from 0, and Box in half widths around its centre.
    """

    def __init__(
        self, size: int, action_space: spaces.Space[Any], *, hidden: int, recurrent: bool, seed: int
    ) -> None:
        self.observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = _plain(action_space)
        torch.set_num_threads(1)
        kind = _Recurrent if recurrent else _Feedforward
        arguments: dict[str, Any] = {"lstm_hidden_size": hidden} if recurrent else {}
        arguments["net_arch"] = [] if recurrent else {"pi": [hidden, hidden], "vf": [hidden, hidden]}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.module = kind(self.observation_space, self.action_space, lambda _: 3e-4, **arguments)
        self.module.set_training_mode(False)

    def nothing(self, worlds: int) -> States:
        """Return what a recurrent network remembers before it has seen anything of N worlds."""
        lstm = self.module.lstm_actor
        empty = torch.zeros((lstm.num_layers, worlds, lstm.hidden_size))
        return States((empty, empty), (empty, empty))

    def step(self, features: Matrix, states: States | None) -> tuple[Matrix, Vector, States | None]:
        """Return outputs (N, A), values (N,) and the states after features (N, D); states are a recurrent network's."""
        module = self.module
        with torch.no_grad():
            seen = module.extract_features(torch.as_tensor(features, dtype=torch.float32))
            if states is None:
                actor, critic = module.mlp_extractor(seen)
                after = None
            else:
                starts = torch.zeros(len(features))
                lstms = ((states.actor, module.lstm_actor), (states.critic, module.lstm_critic))
                (actor, first), (critic, second) = (
                    module._process_sequence(seen, part, starts, lstm) for part, lstm in lstms
                )
                actor, critic = (
                    module.mlp_extractor.forward_actor(actor),
                    module.mlp_extractor.forward_critic(critic),
                )
                after = States(first, second)
            outputs = module.action_net(actor)
            if isinstance(self.action_space, spaces.Box):
                outputs = torch.cat([outputs, module.log_std.expand_as(outputs)], dim=1)
            values = module.value_net(critic).flatten()
        return outputs.numpy().astype(np.float64), values.numpy().astype(np.float64), after

    def save(self, directory: Path) -> None:
        """Write the state dict as safetensors and its description as JSON."""
        save_file(self.module.state_dict(), directory / WEIGHTS_FILE)
        (directory / DESCRIPTION_FILE).write_text(json.dumps(self._description(), indent=2, sort_keys=True))

    def load(self, directory: Path) -> None:
        """Take both back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        path = directory / DESCRIPTION_FILE
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path}: can't be read: {error}") from error
        if found != self._description():
            raise CheckpointError(f"{path}: expected {self._description()}, found {found}")
        self.module.load_state_dict(read_tensors(directory / WEIGHTS_FILE, self.module.state_dict()))

    def _description(self) -> dict[str, Any]:
        shapes = {name: list(tensor.shape) for name, tensor in self.module.state_dict().items()}
        return {"format": "stable-baselines3 state dict", "version": 1, "shapes": shapes}


def read_tensors(path: Path, like: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors of a safetensors file; raises `CheckpointError` unless finite and shaped as `like`."""
    try:
        tensors: dict[str, Any] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: can't be read: {error}") from error
    if {name: tensor.shape for name, tensor in tensors.items()} != {n: t.shape for n, t in like.items()}:
        raise CheckpointError(
            f"{path}: expected the tensors of this learner, found others; is it of this run?"
        )
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise CheckpointError(f"{path}: expected finite numbers")
    return tensors


def _plain(space: spaces.Space[Any]) -> spaces.Space[Any]:
    if isinstance(space, spaces.Discrete):
        return spaces.Discrete(int(space.n))
    if isinstance(space, spaces.MultiDiscrete):
        return spaces.MultiDiscrete(np.asarray(space.nvec))
    return spaces.Box(-1.0, 1.0, (int(np.prod(space.shape or ())),), np.float32)
