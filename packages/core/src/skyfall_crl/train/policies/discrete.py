"""Discrete actions: one choice among a few, by a softmax, with masks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.policies.arrays import Choices, Mask, Matrix
from skyfall_crl.train.policies.categorical import Categorical, categorical, choose, stack_masks
from skyfall_crl.train.policies.distribution import Drawn, unreadable


class DiscreteActions:
    """The actions of a Discrete space; choice 0 is its `start`."""

    free = 0
    start = 0.0
    choice_shape: tuple[int, ...] = ()
    discrete = True

    def __init__(self, space: spaces.Discrete) -> None:
        self.columns = int(space.n)
        self._first = int(space.start)

    def mask(self, infos: Sequence[Mapping[str, Any]]) -> Mask | None:
        """Return `info["action_mask"]` of each world, or None when no world has one."""
        return stack_masks(infos, self.columns)

    def draw(self, outputs: Matrix, mask: Mask | None, generator: np.random.Generator | None) -> Drawn:
        """Draw one choice a row."""
        chosen, log_probs = choose(outputs, mask, generator)
        return Drawn((chosen + self._first).tolist(), log_probs.tolist(), None)

    def distribution(self, outputs: Matrix, mask: Mask | None) -> Categorical:
        """Return the softmax over what the mask allows."""
        return categorical(outputs, mask)

    def read(self, decisions: Sequence[Decision]) -> Choices:
        """Return the number of each choice, shape (N,)."""
        try:
            choices = np.array([decision.action for decision in decisions], dtype=np.intp) - self._first
        except (TypeError, ValueError) as error:
            raise unreadable("a discrete action") from error
        if choices.shape != (len(decisions),) or choices.min() < 0 or choices.max() >= self.columns:
            raise unreadable("an action of the space")
        return choices
