"""The actor-critic loss: its gradient with respect to what a policy puts out."""

import numpy as np

from skyfall_crl.train.policies.arrays import Index, Matrix, Vector
from skyfall_crl.train.policies.categorical import Categorical


def loss_gradient(
    distribution: Categorical,
    choices: Index,
    pull: Vector,
    errors: Vector,
    *,
    entropy: float,
    value_coefficient: float,
) -> Matrix:
    """Return the gradient with respect to N rows of logits and, in the last column, values: (N, A + 1).

    The loss is the mean over rows of `-pull * log p(choice) - entropy * H(p) + value_coefficient * errors ** 2 / 2`,
    where `errors` are values minus their targets; all arrays but the distribution have shape (N,).
    """
    probabilities, log_probabilities = distribution
    count, actions = probabilities.shape
    outputs = np.empty((count, actions + 1))
    logits = outputs[:, :-1]
    np.add(log_probabilities, distribution.entropies()[:, None], out=logits)
    logits *= entropy
    logits += pull[:, None]
    logits *= probabilities
    logits[np.arange(count), choices] -= pull
    outputs[:, -1] = value_coefficient * errors
    outputs /= count
    return outputs
