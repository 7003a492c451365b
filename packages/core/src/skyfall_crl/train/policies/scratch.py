"""The policy that starts from scratch whenever the world's configuration changes, which it is told."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skyfall_crl.ports.environment import attribute
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.policies.mlp import MlpPolicy


class ScratchPolicy(MlpPolicy):
    """An `mlp` that draws new first weights at each boundary; privileged, since it reads the world's `regime_id`.

    It notices a boundary with the first decision after the first step of the new configuration, in the first world it
    was attached to. Trained by the algorithm `scratch`.
    """

    def __init__(self, *, hidden: int = 64, greedy: bool = False) -> None:
        super().__init__(hidden=hidden, greedy=greedy)
        self._world: Any = None
        self._regime_id: str | None = None
        self.decisions_since_start = 0

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generators for first weights, those of later starts too, and for sampling actions."""
        super().seed(initial, sampling)
        self._initial = initial

    def attach(self, environment: Any) -> None:
        """Take the world whose configuration is watched; only the first one counts."""
        if self._world is None:
            self._world = environment

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Start anew if the configuration is another than with the last decision, then decide."""
        regime_id = None if self._world is None else attribute(self._world, "regime_id", None)
        if regime_id != self._regime_id:
            if self._regime_id is not None:
                self.weights[:] = self.draw_weights(self._initial)
                self.decisions_since_start = 0
            self._regime_id = regime_id
        self.decisions_since_start += 1
        return super().act(batch, infos)

    def state(self) -> Mapping[str, Any]:
        """Return the configuration last seen, and how many decisions were made since the last start."""
        return {"regime_id": self._regime_id, "decisions_since_start": self.decisions_since_start}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self._regime_id = state["regime_id"]
        self.decisions_since_start = state["decisions_since_start"]
