"""Adam moves a flat vector of weights."""

import numpy as np
import pytest

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.algorithms import Adam


def test_steps_are_those_of_the_published_rule() -> None:
    weights, expected = np.array([1.0, -2.0, 0.5]), np.array([1.0, -2.0, 0.5])
    adam = Adam(3, learning_rate=0.1, max_gradient_norm=100.0)
    mean, square = np.zeros(3), np.zeros(3)
    for step in range(1, 6):
        gradient = np.array([1.0, -3.0, 0.01]) * step
        adam.step(weights, gradient.copy())
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        expected -= 0.1 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    np.testing.assert_allclose(weights, expected, rtol=1e-12)


def test_long_gradients_are_shortened_and_their_norm_reported() -> None:
    weights = [np.zeros(2), np.zeros(2)]
    norms = []
    for vector, gradient in zip(weights, ([3.0, 4.0], [0.3, 0.4]), strict=True):
        adam = Adam(2, learning_rate=0.1, max_gradient_norm=0.5)
        norms.append(adam.step(vector, np.array(gradient)))
        adam.step(vector, np.array([0.3, 0.4]))
    np.testing.assert_allclose(weights[0], weights[1])
    assert norms == pytest.approx([5.0, 0.5])


def test_a_gradient_that_is_not_finite_leaves_the_weights_alone() -> None:
    weights = np.ones(2)
    adam = Adam(2, learning_rate=0.1, max_gradient_norm=0.5)
    with pytest.raises(PolicyError, match="not finite"):
        adam.step(weights, np.array([np.nan, 1.0]))
    assert weights.tolist() == [1.0, 1.0]
    assert adam.state.tolist() == [0.0] * 5
