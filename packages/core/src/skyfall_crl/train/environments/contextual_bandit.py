"""The contextual bandit: features say which class a step is of, the regime says which action a class wants."""

import hashlib
from collections.abc import Mapping
from typing import Any

import gymnasium
import msgspec
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.snapshot import Snapshot
from skyfall_crl.regime import Regime
from skyfall_crl.reward import RewardSpec, RewardTerm


class ContextualBandit(gymnasium.Env[Any, Any]):
    """A world of Tier 3 that never ends: each step shows `features` normal numbers and wants one of `actions` actions.

    The class of a step is the largest of `actions` fixed linear scores of the features, drawn from `task_seed`, so
    that worlds of one run share them. Action `(class + labels) % actions` earns 1, others 0, where the axis `labels`
    is a whole number: any two different ones want different actions for every class. Guessing earns 1 / `actions`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "in_process": True}  # noqa: RUF012
    reward_signals = ("hit",)
    regime_axes = ("labels",)

    def __init__(self, *, features: int = 8, actions: int = 4, task_seed: int = 0) -> None:
        for name, value, least in (
            ("features", features, 1),
            ("actions", actions, 2),
            ("task_seed", task_seed, 0),
        ):
            _check_whole(name, value, least)
        self.observation_space = spaces.Box(-np.inf, np.inf, (features,), np.float32)
        self.action_space = spaces.Discrete(actions)
        self.reward_spec = RewardSpec("hit", 1, (RewardTerm("hit", 1.0),))
        self.owns_world = True
        scores = np.random.default_rng(task_seed).normal(size=(features, actions))
        self._scores = scores / np.linalg.norm(scores, axis=0)
        self._described = {"features": features, "actions": actions, "task_seed": task_seed}
        self._regime_id: str | None = None
        self._labels = 0
        self._steps = 0
        self._reward = 0.0
        self._seen: NDArray[np.float32] = np.zeros(features, np.float32)

    @property
    def regime_id(self) -> str | None:
        """The configuration in force, for logs."""
        return self._regime_id

    def describe(self) -> Mapping[str, Any]:
        """Return what this world is configured with."""
        return {"world": "contextual bandit", "arguments": self._described}

    def references(self, regime: Regime) -> Mapping[str, float]:
        """Return the mean reward of guessing and of always knowing the answer."""
        return {"random": 1 / self._described["actions"], "informed": 1.0}

    def apply_regime(self, regime: Regime, progress: float | None) -> Applied:
        """Set the labels, to the nearest whole number, and read them back."""
        self._regime_id = regime.regime_id
        self._labels = regime.axes.get("labels", 0)
        selected = regime.select(self.regime_axes)
        read_back = {"labels": self._labels} if selected else {}
        return Applied(selected, tuple(regime.exclude(self.regime_axes)), read_back)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._steps, self._reward = 0, 0.0
        self._look()
        return self._seen.copy(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        wanted = (int((self._seen @ self._scores).argmax()) + round(self._labels)) % self._described[
            "actions"
        ]
        self._reward = 1.0 if action == wanted else 0.0
        self._steps += 1
        self._look()
        return self._seen.copy(), self._reward, False, False, self._info()

    def snapshot(self) -> Snapshot:
        """Return the world as plain data."""
        bits = self.np_random.bit_generator.state
        words = {name: str(word) for name, word in bits["state"].items()}
        state = {
            "generator": {**bits, "state": words},
            "steps": self._steps,
            "seen": self._seen.tolist(),
            "reward": self._reward,
            "labels": self._labels,
            "regime_id": self._regime_id,
        }
        return Snapshot("bandit/contextual", 1, state)

    def restore(self, snapshot: Snapshot) -> tuple[Any, dict[str, Any]]:
        """Put the world back."""
        state = snapshot.state
        bits = dict(state["generator"])
        bits["state"] = {name: int(word) for name, word in bits["state"].items()}
        self.np_random.bit_generator.state = bits
        self._steps, self._reward = state["steps"], state["reward"]
        self._seen = np.array(state["seen"], np.float32)
        self._labels, self._regime_id = state["labels"], state["regime_id"]
        return self._seen.copy(), self._info()

    def fork(self) -> "ContextualBandit":
        """Return an independent copy."""
        copy = ContextualBandit(**self._described)
        copy.restore(self.snapshot())
        return copy

    def commit(self, fork: gymnasium.Env[Any, Any]) -> None:
        """Take over a fork's state."""
        assert isinstance(fork.unwrapped, ContextualBandit)
        self.restore(fork.unwrapped.snapshot())

    def digest(self) -> str:
        """Return a digest of the whole state."""
        return hashlib.sha256(msgspec.json.encode(self.snapshot().state, order="deterministic")).hexdigest()

    def _look(self) -> None:
        self._seen = self.np_random.standard_normal(self._seen.size, dtype=np.float32)

    def _info(self) -> dict[str, Any]:
        return {"world_time": self._steps, "reward_terms": {"hit": self._reward}}


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{name}: expected a whole number of at least {least}, found {value!r}")
