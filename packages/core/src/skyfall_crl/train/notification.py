"""The one declared way to tell a policy about the regime: a signal or a label beside the observation."""

from typing import Any, Literal

import gymnasium
from gymnasium import spaces

OBSERVATION = "observation"
SIGNAL = "regime_changed"
LABEL = "regime"


class NotifiedEnvironment(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds `Discrete(2)`, 1 on the first step of a new identity, or `Discrete(n)` over the identities.

    The session sets `notification` to what is in force for the *next* action before it resets or steps.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], level: Literal["signal", "label"], identities: tuple[str, ...]
    ) -> None:
        super().__init__(env)
        self.level: Literal["signal", "label"] = level
        self.identities = identities
        self.notification = 0
        self._indices = {identity: number for number, identity in enumerate(identities)}
        self._key = SIGNAL if level == "signal" else LABEL
        size = 2 if level == "signal" else len(identities)
        self.observation_space = spaces.Dict(
            {OBSERVATION: env.observation_space, self._key: spaces.Discrete(size)}
        )

    def notify(self, identity: str, changed: bool) -> None:
        """Set what the next observation says: the identity in force for the action that answers it."""
        self.notification = int(changed) if self.level == "signal" else self._indices[identity]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return self.observe(observation), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observe(observation), reward, terminated, truncated, info

    def around(self, env: gymnasium.Env[Any, Any]) -> "NotifiedEnvironment":
        """Return another environment with the same notification."""
        return NotifiedEnvironment(env, self.level, self.identities)

    def observe(self, observation: Any) -> dict[str, Any]:
        """Return the observation with the notification beside it."""
        return {OBSERVATION: observation, self._key: self.notification}
