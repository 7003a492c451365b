"""Discrete choices are drawn as their probabilities say, and never against a mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.train.policies.categorical import categorical, choose, stack_masks

LOGITS = hnp.arrays(np.float64, (3, 5), elements=st.floats(-700, 700))
MASKS = hnp.arrays(np.bool_, (3, 5)).filter(lambda mask: mask.any(1).all())


@given(logits=LOGITS, mask=MASKS, seed=st.integers(0, 2**32 - 1))
def test_a_masked_choice_is_never_drawn(logits: np.ndarray, mask: np.ndarray, seed: int) -> None:
    for generator in (np.random.default_rng(seed), None):
        chosen, log_probs = choose(logits, mask, generator)
        assert mask[np.arange(3), chosen].all()
        assert np.isfinite(log_probs).all()


@given(logits=LOGITS, mask=MASKS, seed=st.integers(0, 2**32 - 1))
def test_the_log_probability_of_a_draw_is_the_distributions(
    logits: np.ndarray, mask: np.ndarray, seed: int
) -> None:
    chosen, log_probs = choose(logits, mask, np.random.default_rng(seed))
    distribution = categorical(logits, mask)
    expected = distribution.log_probabilities[np.arange(3), chosen]
    np.testing.assert_allclose(log_probs, expected, atol=1e-9, rtol=1e-9)
    np.testing.assert_allclose(distribution.probabilities.sum(1), 1.0)
    assert (distribution.probabilities[~mask] == 0).all()
    assert np.isfinite(distribution.entropies()).all()


def test_frequencies_follow_the_softmax() -> None:
    logits = np.log([[0.6, 0.3, 0.1]])
    draws, _ = choose(np.repeat(logits, 20000, axis=0), None, np.random.default_rng(1))
    np.testing.assert_allclose(np.bincount(draws) / 20000, [0.6, 0.3, 0.1], atol=0.015)


def test_without_a_generator_the_likeliest_choice_wins() -> None:
    chosen, _ = choose(np.array([[0.0, 2.0, 1.0]]), np.array([[True, False, True]]), None)
    assert chosen.tolist() == [2]


def test_a_draw_takes_one_uniform_number_a_row() -> None:
    used, plain = np.random.default_rng(3), np.random.default_rng(3)
    choose(np.zeros((4, 7)), None, used)
    plain.random(4)
    assert used.random() == plain.random()


def test_worlds_without_a_mask_allow_everything() -> None:
    assert stack_masks([{}, {"outcome": 1}], 2) is None
    stacked = stack_masks([{}, {"action_mask": np.array([0, 1], dtype=np.int8)}], 2)
    assert stacked is not None
    assert stacked.tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize("masks", [[[True, True]], [[True] * 3, [True] * 2], [[[True] * 3]], [True]])
def test_a_mask_of_another_length_is_refused(masks: list[object]) -> None:
    with pytest.raises(PolicyError, match=r"expected shape \(3,\)"):
        stack_masks([{"action_mask": mask} for mask in masks], 3)


def test_a_mask_that_allows_nothing_is_refused_and_the_world_named() -> None:
    with pytest.raises(PolicyError, match="world 1"):
        stack_masks([{}, {"action_mask": [False, False]}], 2)
