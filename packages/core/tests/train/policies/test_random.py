"""The random policy treats all actions alike."""

from collections.abc import Callable

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Policy, SeededPolicy
from skyfall_crl.train.policies import RandomPolicy


@pytest.fixture
def bound() -> Callable[..., RandomPolicy]:
    def bind(space: spaces.Space, seed: int = 0) -> RandomPolicy:
        policy = RandomPolicy()
        policy.seed(np.random.default_rng(0), np.random.default_rng(seed))
        policy.bind(spaces.Text(3), space)
        return policy

    return bind


def test_it_keeps_the_contracts_of_a_seeded_policy() -> None:
    assert isinstance(RandomPolicy(), Policy)
    assert isinstance(RandomPolicy(), SeededPolicy)


@pytest.mark.parametrize(
    "space",
    [
        spaces.Discrete(3, start=-1),
        spaces.MultiDiscrete([2, 5, 1], start=[0, 3, 7]),
        spaces.MultiDiscrete([[2, 3], [4, 5]]),
        spaces.Box(-2, 3, (2, 2), np.float32),
        spaces.Box(0, 255, (3,), np.uint8),
    ],
)
def test_every_draw_lies_in_the_action_space(bound: Callable[..., RandomPolicy], space: spaces.Space) -> None:
    for _ in range(50):
        for decision in bound(space).act(["a", "b"], [{}, {}]):
            assert space.contains(decision.action)


def test_discrete_actions_are_equally_likely_among_those_a_mask_allows(
    bound: Callable[..., RandomPolicy],
) -> None:
    policy = bound(spaces.Discrete(4, start=1))
    infos = [{"action_mask": np.array([True, False, True, True])}] * 9000
    actions = [decision.action for decision in policy.act(["x"] * 9000, infos)]
    np.testing.assert_allclose(
        np.bincount(actions, minlength=5) / 9000, [0, 1 / 3, 0, 1 / 3, 1 / 3], atol=0.02
    )
    assert all(type(action) is int for action in actions)


def test_integer_boxes_reach_both_bounds(bound: Callable[..., RandomPolicy]) -> None:
    policy = bound(spaces.Box(0, 2, (1,), np.int8))
    drawn = {int(decision.action[0]) for decision in policy.act(["x"] * 200, [{}] * 200)}
    assert drawn == {0, 1, 2}


def test_equal_seeds_draw_equal_actions(bound: Callable[..., RandomPolicy]) -> None:
    runs = [
        [decision.action for decision in bound(spaces.Discrete(9), seed).act(["x"] * 50, [{}] * 50)]
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("space", [spaces.Text(3), spaces.Box(0, np.inf, (1,))])
def test_spaces_it_cannot_draw_from_are_refused(
    bound: Callable[..., RandomPolicy], space: spaces.Space
) -> None:
    with pytest.raises(PolicyError, match="Discrete, MultiDiscrete and bounded Box"):
        bound(space)


def test_it_has_to_be_seeded_first() -> None:
    with pytest.raises(PolicyError, match="seed"):
        RandomPolicy().bind(spaces.Text(3), spaces.Discrete(2))
