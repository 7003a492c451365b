"""Experience: the rows of a window that can be learnt from, with what each was worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.algorithms.returns import advantages, continues, next_values
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arrays import Choices, Index, Mask, Matrix, Vector
from skyfall_crl.train.policies.distribution import Actions, unreadable


@dataclass(slots=True)
class Experience:
    """M rows: `features` (M, D), `mask` (M, A) where there is one, `choices` as the actions number them.

    All else has shape (M,); `advantages` have mean 0 and deviation 1; `returns` are in units of the return scale.
    """

    features: Matrix
    choices: Choices
    log_probs: Vector
    advantages: Vector
    returns: Vector
    mask: Mask | None

    def take(self, rows: Index) -> "Experience":
        """Return some of the rows."""
        return Experience(
            self.features[rows],
            self.choices[rows],
            self.log_probs[rows],
            self.advantages[rows],
            self.returns[rows],
            None if self.mask is None else self.mask[rows],
        )


def gather(
    window: Window, policy: ActorCritic, scale: ReturnScale, *, discount: float, trace_decay: float
) -> Experience:
    """Return the valid rows of a window, in (step, world) order; `scale` follows their returns.

    Raises `PolicyError` where a valid decision lacks its action or log-probability.
    """
    features = policy.encoder.encode([seen for row in window.observations for seen in row])
    values = scale.mean + scale.spread * _estimates(window, policy, features)
    following = next_values(window, policy, scale, values)
    gains = advantages(
        window.rewards, values, following, continues(window), discount=discount, trace_decay=trace_decay
    )
    returns = (gains + values)[window.valid]
    gains = gains[window.valid]
    scale.follow(returns)
    rows = np.flatnonzero(window.valid)
    infos = [info for row in window.infos for info in row]
    decisions = [decision for row in window.decisions for decision in row]
    choices, log_probs = read_choices([decisions[row] for row in rows], policy)
    return Experience(
        features[rows],
        choices,
        log_probs,
        (gains - gains.mean()) / (gains.std() + 1e-8),
        (returns - scale.mean) / scale.spread,
        policy.actions.mask([infos[row] for row in rows]),
    )


class Chooser(Protocol):
    """A policy whose decisions can be read."""

    actions: Actions


def read_choices(decisions: Sequence[Decision], policy: Chooser) -> tuple[Choices, Vector]:
    """Return the choices and log-probabilities of decisions; raises `PolicyError` where one lacks them."""
    choices = policy.actions.read(decisions)
    try:
        log_probs = np.array([decision.log_prob for decision in decisions], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise unreadable("a log_prob") from error
    if not np.isfinite(log_probs).all():
        raise unreadable("a log_prob")
    return choices, log_probs


def _estimates(window: Window, policy: ActorCritic, features: Matrix) -> Matrix:
    estimates = np.array([[decision.value for decision in row] for row in window.decisions], dtype=np.float64)
    if np.isnan(estimates).any():
        estimates = policy.evaluate(features).values.reshape(estimates.shape)
    return estimates
