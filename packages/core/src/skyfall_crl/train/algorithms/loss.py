"""The actor-critic loss: its gradient with respect to what a policy puts out."""

import numpy as np

from skyfall_crl.train.policies.arrays import Choices, Matrix, Vector
from skyfall_crl.train.policies.distribution import Distribution


def loss_gradient(
    distribution: Distribution,
    choices: Choices,
    pull: Vector,
    errors: Vector,
    *,
    columns: int,
    entropy: float,
    value_coefficient: float,
) -> Matrix:
    """Return the gradient with respect to N rows of logits and, in the last column, values: (N, `columns` + 1).

    The loss is the mean over rows of `-pull * log p(choice) - entropy * H(p) + value_coefficient * errors ** 2 / 2`,
    where `errors` are values minus their targets; `pull` and `errors` have shape (N,).
    """
    outputs = np.empty((len(pull), columns + 1))
    distribution.gradient(choices, pull, entropy, outputs[:, :-1])
    outputs[:, -1] = value_coefficient * errors
    outputs /= len(pull)
    return outputs
