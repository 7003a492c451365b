"""Returns: generalised advantages over a window of worlds that may end, be reset, or just go on."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arrays import Mask, Matrix, Vector


def next_values(window: Window, policy: ActorCritic, scale: ReturnScale, values: Matrix) -> Matrix:
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
