"""Doubles: a small world that never resets, for tests of whatever drives environments."""

import hashlib
from collections.abc import Mapping
from typing import Any

import gymnasium
import msgspec
import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.snapshot import Snapshot
from skyfall_crl.regime import Regime
from skyfall_crl.reward import RewardSpec, RewardTerm

CONTEXTS = 4
ACTIONS = 3


class SwitchingBandit(gymnasium.Env[Any, Any]):
    """A contextual bandit of Tier 3 whose right answers depend on the axis `offset`.

    Each step shows one of four contexts, one-hot with the last reward behind it, float32 of shape (5,). Action
    `(context + offset) % 3` earns 1, others 0. `max_steps` steps make an episode; the world steps on. With
    `fail_at` the step of that number raises, once.
    """

    metadata: dict[str, Any] = {"render_modes": [], "in_process": True}  # noqa: RUF012
    reward_signals = ("hit",)
    regime_axes = ("offset",)

    def __init__(self, *, max_steps: int = 50, fail_at: int | None = None) -> None:
        self.observation_space = spaces.Box(0.0, 1.0, (CONTEXTS + 1,), np.float32)
        self.action_space = spaces.Discrete(ACTIONS)
        self.reward_spec = RewardSpec("hit", 1, (RewardTerm("hit", 1.0),))
        self.owns_world = True
        self.closed = False
        self._max_steps, self._fail_at = max_steps, fail_at
        self._regime_id: str | None = None
        self._offset = 0
        self._steps = self._context = 0
        self._reward = 0.0

    @property
    def regime_id(self) -> str | None:
        """The configuration in force, for logs."""
        return self._regime_id

    def describe(self) -> Mapping[str, Any]:
        """Return what this world is configured with."""
        return {"world": "switching bandit", "max_steps": self._max_steps}

    def references(self, regime: Regime) -> Mapping[str, float]:
        """Return the mean reward of guessing and of always knowing the answer."""
        return {"random": 1 / ACTIONS, "informed": 1.0}

    def apply_regime(self, regime: Regime, progress: float | None) -> Applied:
        """Set the offset, rounded to a whole number, and read it back."""
        self._regime_id = regime.regime_id
        self._offset = regime.axes.get("offset", 0)
        selected = regime.select(self.regime_axes)
        read_back = {"offset": self._offset} if selected else {}
        return Applied(selected, tuple(regime.exclude(self.regime_axes)), read_back)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._steps, self._reward = 0, 0.0
        self._context = int(self.np_random.integers(CONTEXTS))
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._fail_at == self._steps:
            self._fail_at = None
            raise RuntimeError(f"step {self._steps} fails as asked")
        answer = (self._context + round(self._offset)) % ACTIONS
        self._reward = 1.0 if action == answer else 0.0
        self._context = int(self.np_random.integers(CONTEXTS))
        self._steps += 1
        truncated = self._steps % self._max_steps == 0
        return self._observe(), self._reward, False, truncated, self._info()

    def close(self) -> None:
        self.closed = True

    def snapshot(self) -> Snapshot:
        """Return the world as plain data."""
        bits = self.np_random.bit_generator.state
        words = {name: str(word) for name, word in bits["state"].items()}
        state = {
            "generator": {**bits, "state": words},
            "steps": self._steps,
            "context": self._context,
            "reward": self._reward,
            "offset": self._offset,
            "regime_id": self._regime_id,
        }
        return Snapshot("testing/switching-bandit", 1, state)

    def restore(self, snapshot: Snapshot) -> tuple[Any, dict[str, Any]]:
        """Put the world back."""
        state = snapshot.state
        bits = dict(state["generator"])
        bits["state"] = {name: int(word) for name, word in bits["state"].items()}
        self.np_random.bit_generator.state = bits
        self._steps, self._context, self._reward = state["steps"], state["context"], state["reward"]
        self._offset, self._regime_id = state["offset"], state["regime_id"]
        return self._observe(), self._info()

    def fork(self) -> "SwitchingBandit":
        """Return an independent copy."""
        copy = SwitchingBandit(max_steps=self._max_steps)
        copy.restore(self.snapshot())
        return copy

    def commit(self, fork: gymnasium.Env[Any, Any]) -> None:
        """Take over a fork's state."""
        assert isinstance(fork.unwrapped, SwitchingBandit)
        self.restore(fork.unwrapped.snapshot())

    def digest(self) -> str:
        """Return a digest of the whole state."""
        return hashlib.sha256(msgspec.json.encode(self.snapshot().state, order="deterministic")).hexdigest()

    def _observe(self) -> np.ndarray:
        observation = np.zeros(CONTEXTS + 1, np.float32)
        observation[self._context] = 1.0
        observation[CONTEXTS] = self._reward
        return observation

    def _info(self) -> dict[str, Any]:
        return {"world_time": self._steps, "reward_terms": {"hit": self._reward}}
