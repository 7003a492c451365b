"""Learning from scratch at each boundary: the line that every continual learner is to be held against."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.ppo import PPO, PPOArguments
from skyfall_crl.train.policies.scratch import ScratchPolicy


class Scratch(PPO):
    """PPO that forgets all it has once the world's configuration changed, for the policy `scratch` alone.

    The policy sees the change and draws new first weights; the optimiser and the return scale start anew with it, and
    of the window in which that happened only the rows after it are learned from.
    """

    def __init__(self, policy: Policy, **ppo: Unpack[PPOArguments]) -> None:
        super().__init__(policy, **ppo)
        if not isinstance(policy, ScratchPolicy):
            raise ConfigError(
                f"Scratch needs the policy 'scratch', which is told of boundaries, found {type(policy).__name__}"
            )
        self._scratch = policy

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from the rows since the last boundary, from the start where there was one in this window."""
        since = self._scratch.decisions_since_start
        steps = len(window.rewards)
        if since <= steps:
            self._bench.scale.state = 0 * self._bench.scale.state
            self._bench.optimiser.state = 0 * self._bench.optimiser.state
        return super().update(window if since >= steps else _tail(window, steps - since))


def _tail(window: Window, first: int) -> Window:
    """Return the rows of a window from `first` on."""
    finals = {(step - first, world): seen for (step, world), seen in window.final_observations.items()}
    arrays = {name: getattr(window, name)[first:] for name in ("rewards", "valid", "terminated", "truncated")}
    return replace(
        window,
        observations=window.observations[first:],
        infos=window.infos[first:],
        decisions=window.decisions[first:],
        final_observations={place: seen for place, seen in finals.items() if place[0] >= 0},
        **arrays,
    )
