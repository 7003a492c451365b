"""The loss gradient is the gradient of the loss."""

import numpy as np
import pytest

from skyfall_crl.train.algorithms.loss import loss_gradient
from skyfall_crl.train.policies.categorical import categorical

MASK = np.array([[True, True, True, True], [True, False, True, True], [True, True, False, False]])


@pytest.mark.parametrize("mask", [None, MASK])
def test_it_agrees_with_finite_differences(mask: np.ndarray | None) -> None:
    generator = np.random.default_rng(0)
    logits, values = generator.normal(size=(3, 4)), generator.normal(size=3)
    choices, pull, targets = np.array([3, 2, 0]), np.array([1.5, -0.7, 0.3]), np.array([0.1, 0.2, 0.3])

    def loss(logits: np.ndarray, values: np.ndarray) -> float:
        distribution = categorical(logits, mask)
        chosen = distribution.log_probabilities[np.arange(3), choices]
        errors = values - targets
        return float(np.mean(-pull * chosen - 0.05 * distribution.entropies() + 0.3 * errors**2 / 2))

    gradient = loss_gradient(
        categorical(logits, mask),
        choices,
        pull,
        values - targets,
        columns=4,
        entropy=0.05,
        value_coefficient=0.3,
    )
    numeric = np.empty((3, 5))
    for row, column in np.ndindex(3, 5):
        nudge, shift = np.zeros((3, 4)), np.zeros(3)
        if column < 4:
            nudge[row, column] = 1e-6
        else:
            shift[row] = 1e-6
        numeric[row, column] = (
            loss(logits + nudge, values + shift) - loss(logits - nudge, values - shift)
        ) / 2e-6
    np.testing.assert_allclose(gradient, numeric, atol=1e-8)


def test_masked_logits_get_no_gradient() -> None:
    logits = np.random.default_rng(1).normal(size=(3, 4))
    gradient = loss_gradient(
        categorical(logits, MASK),
        np.array([0, 0, 0]),
        np.ones(3),
        np.ones(3),
        columns=4,
        entropy=0.1,
        value_coefficient=1.0,
    )
    assert (gradient[:, :-1][~MASK] == 0).all()
    assert (gradient[:, :-1][MASK] != 0).all()
