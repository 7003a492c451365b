"""The reservoir keeps a fair share of the past as it was, and V-trace is plain return where nothing has changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skyfall_crl.testing.window import collect_window
from skyfall_crl.train.algorithms import PPO
from skyfall_crl.train.algorithms.replay import Replay
from skyfall_crl.train.algorithms.reservoir import Reservoir, Sequences
from skyfall_crl.train.algorithms.returns import v_trace
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies import ActorCritic, MlpPolicy

pytestmark = pytest.mark.floor

MakePolicy = Callable[..., ActorCritic]


def sequences(rewards: np.ndarray, goes_on: np.ndarray, terminated: np.ndarray) -> Sequences:
    nothing = np.zeros((*rewards.shape, 1))
    valid = np.ones(rewards.shape, np.bool_)
    flat = np.zeros(rewards.size, np.intp)
    return Sequences(
        nothing, nothing, nothing, flat, None, rewards, rewards, rewards, valid, terminated, goes_on
    )


def test_on_policy_targets_are_discounted_returns_up_to_the_end_of_the_sequence() -> None:
    generator = np.random.default_rng(0)
    rewards, values, last = (
        generator.normal(size=(2, 4)),
        generator.normal(size=(2, 4)),
        generator.normal(size=2),
    )
    following = np.concatenate([values[:, 1:], last[:, None]], axis=1)
    goes_on = np.array([[True, True, True, False]] * 2)
    drawn = sequences(rewards, goes_on, np.zeros((2, 4), np.bool_))
    targets, gains = v_trace(drawn, values, following, np.ones((2, 4)), 0.9)
    expected = last
    for step in (3, 2, 1, 0):
        expected = rewards[:, step] + 0.9 * expected
        np.testing.assert_allclose(targets[:, step], expected)
        np.testing.assert_allclose(gains[:, step], expected - values[:, step])


def test_nothing_is_expected_after_a_termination() -> None:
    drawn = sequences(np.ones((1, 2)), np.zeros((1, 2), np.bool_), np.ones((1, 2), np.bool_))
    targets, _ = v_trace(drawn, np.zeros((1, 2)), np.full((1, 2), 9.0), np.ones((1, 2)), 0.9)
    np.testing.assert_array_equal(targets, [[1.0, 1.0]])


def test_actions_that_are_no_longer_taken_teach_nothing() -> None:
    drawn = sequences(np.ones((1, 2)), np.array([[True, False]]), np.zeros((1, 2), np.bool_))
    values = np.array([[0.2, 0.4]])
    targets, _ = v_trace(drawn, values, np.zeros((1, 2)), np.zeros((1, 2)), 0.9)
    np.testing.assert_array_equal(targets, values)


@pytest.fixture
def actor() -> MlpPolicy:
    from skyfall_crl.testing.window import small_world

    made = MlpPolicy(hidden=4)
    made.seed(np.random.default_rng(0), np.random.default_rng(1))
    world = small_world()
    made.bind(world.observation_space, world.action_space)
    return made


def test_a_window_comes_back_as_sequences_with_ends_where_they_were(actor: MlpPolicy) -> None:
    window = collect_window(actor, steps=10, worlds=2, auto_reset=True)
    reservoir = Reservoir(50, 4, actor)
    reservoir.take(window, actor, ReturnScale(), np.random.default_rng(0))
    assert reservoir.filled == 6, "ten steps are two full sequences and half a one, in each world"
    drawn = reservoir.draw(400, np.random.default_rng(0))
    assert {tuple(row) for row in drawn.valid} == {(True,) * 4, (True, False, False, False)}
    stored = {tuple(row) for row in drawn.rewards[drawn.valid.all(1)].tolist()}
    rewards = window.rewards.T.tolist()
    assert stored == {tuple(world[start : start + 4]) for world in rewards for start in (0, 4)}
    (first, *_) = window.final_observations.values()
    after = drawn.following.reshape(-1, drawn.following.shape[-1])
    assert (after == actor.encoder.encode([first])).all(1).any(), (
        "what followed a reset world is its last sight"
    )


def test_every_sequence_ever_seen_is_kept_with_equal_chance(actor: MlpPolicy) -> None:
    kept = np.zeros(40)
    window = collect_window(actor, steps=5, worlds=1)
    window.valid[:] = True
    for run in range(40):
        reservoir, generator = Reservoir(10, 5, actor), np.random.default_rng(run)
        for number in range(40):
            window.rewards[:] = number
            reservoir.take(window, actor, ReturnScale(), generator)
        seen = np.unique(reservoir.state[1:].reshape(10, 5, -1)[:, 0, _reward_column(reservoir)]).astype(int)
        kept[seen] += 1
    assert abs(kept[:20].sum() - kept[20:].sum()) < 5 * np.sqrt(40 * 10 / 4)


def _reward_column(reservoir: Reservoir) -> int:
    return reservoir._columns["rewards"].start


def test_replay_keeps_what_was_learned_while_something_else_is(
    make_policy: MakePolicy, make_bandit: Callable[..., Any]
) -> None:
    remembered = []
    for hooks in ([], [Replay(unroll=4, policy_cloning=1.0)]):
        policy = make_policy()
        algorithm = PPO(policy, hooks=hooks, learning_rate=0.02, discount=0.0)
        algorithm.seed(np.random.default_rng(0))
        bandit = make_bandit(policy)
        for _ in range(60):
            algorithm.update(bandit.window())
        seen = policy.encoder.encode([np.array([1.0, 1.0]), np.array([-1.0, 1.0])])
        before = policy.evaluate(seen).logits
        bandit.size = 0.0
        for _ in range(60):
            algorithm.update(bandit.window())
        gap = policy.evaluate(seen).logits - before
        remembered.append(float(np.abs(gap - gap.mean(1, keepdims=True)).max()))
    assert remembered[1] < remembered[0]
