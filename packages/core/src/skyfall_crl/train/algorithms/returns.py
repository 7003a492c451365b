"""Returns: generalised advantages over a window of worlds that may end, be reset, or just go on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import Evaluation
from skyfall_crl.train.policies.arrays import Mask, Matrix, Vector
from skyfall_crl.train.policies.features import FeatureEncoder

if TYPE_CHECKING:
    from skyfall_crl.train.algorithms.reservoir import Sequences


class Critic(Protocol):
    """A policy whose value estimates can be asked for."""

    encoder: FeatureEncoder

    def evaluate(self, features: Matrix) -> Evaluation:
        """Return the values of features (N, D), beside the logits."""
        ...


def next_values(window: Window, policy: Critic, scale: ReturnScale, values: Matrix) -> Matrix:
    """Return what `policy` expects after each step, shape (T, N), from `values`, what it expected before.

    That is the value of the observation that followed: of `final_observations` where the world was reset, 0
    where it terminated.
    """

    def expect(observations: Sequence[Any]) -> Vector:
        estimates = policy.evaluate(policy.encoder.encode(observations)).values
        return scale.mean + scale.spread * estimates

    last = expect(window.last_observations)
    following = np.concatenate([values[1:], last[None]])
    if window.final_observations:
        ends = list(window.final_observations)
        following[tuple(np.array(ends).T)] = expect(list(window.final_observations.values()))
    following[window.terminated] = 0.0
    return following


def next_observations(window: Window) -> list[Any]:
    """Return the observation after each step, in (step, world) order: the final one where a world was reset."""
    rows = [list(row) for row in (*window.observations[1:], window.last_observations)]
    for (step, world), final in window.final_observations.items():
        rows[step][world] = final
    return [observation for row in rows for observation in row]


def continues(window: Window) -> Mask:
    """Return where the next row of the window goes on from this one, shape (T, N).

    A truncated world that wasn't reset goes on; a reset, a termination, and a row without a reward on either
    side cut the trace.
    """
    goes_on = window.valid & ~window.terminated
    goes_on[:-1] &= window.valid[1:]
    for step, world in window.final_observations:
        goes_on[step, world] = False
    return goes_on


def advantages(
    rewards: Matrix,
    values: Matrix,
    following: Matrix,
    goes_on: Mask,
    *,
    discount: float,
    trace_decay: float,
) -> Matrix:
    """Return generalised advantage estimates, shape (T, N), from arrays of that shape."""
    surprises = rewards + discount * following - values
    decay = discount * trace_decay * goes_on
    estimates = np.empty_like(surprises)
    trace = np.zeros(surprises.shape[1])
    for step in range(len(surprises) - 1, -1, -1):
        trace = surprises[step] + decay[step] * trace
        estimates[step] = trace
    return estimates


def v_trace(
    drawn: "Sequences", values: Matrix, following: Matrix, ratios: Matrix, discount: float
) -> tuple[Matrix, Matrix]:
    """Return value targets and policy gains of S sequences of L steps, both (S, L), corrected off-policy.

    `values` and `following` are what is expected before and after each step, `ratios` the probability now over that
    when the action was taken, at most 1. Source: Espeholt et al., "IMPALA", 2018, section 4.1.
    """
    after = np.where(drawn.terminated, 0.0, following)
    surprises = ratios * (drawn.rewards + discount * after - values)
    targets, gains = np.empty_like(values), np.empty_like(values)
    correction = np.zeros(len(values))
    for step in range(values.shape[1] - 1, -1, -1):
        carried = drawn.goes_on[:, step] * correction
        gains[:, step] = drawn.rewards[:, step] + discount * (after[:, step] + carried) - values[:, step]
        correction = surprises[:, step] + discount * ratios[:, step] * carried
        targets[:, step] = values[:, step] + correction
    return targets, gains
