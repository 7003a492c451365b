"""Distributions of all action spaces: gradients agree with finite differences, draws with densities."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.testing import check_algorithm, check_policy
from skyfall_crl.train.algorithms import PPO, Reinforce
from skyfall_crl.train.policies import LinearPolicy, MlpPolicy
from skyfall_crl.train.policies.action_spaces import actions_of
from skyfall_crl.train.policies.gaussian import UNCLIPPED

SPACES = {
    "discrete": spaces.Discrete(4, start=2),
    "multi": spaces.MultiDiscrete([3, 2], start=[1, 0]),
    "box": spaces.Box(np.array([-2, 0], np.float32), np.array([2, 10], np.float32)),
    "unbounded": spaces.Box(-np.inf, np.inf, (1, 2), np.float64),
}
EACH = pytest.mark.parametrize("space", SPACES.values(), ids=list(SPACES))


def drawn(space: spaces.Space[Any], rows: int = 5) -> tuple[Any, np.ndarray, Any, list[Decision]]:
    actions = actions_of(space)
    outputs = np.random.default_rng(0).normal(size=(rows, actions.columns))
    found = actions.draw(outputs, None, np.random.default_rng(1))
    extras = found.extras or [{}] * rows
    parts = zip(found.actions, found.log_probs, extras, strict=True)
    return actions, outputs, found, [Decision(a, None, p, 0.0, e) for a, p, e in parts]


@EACH
def test_what_was_drawn_is_of_the_space_and_has_the_log_probability_it_was_drawn_with(
    space: spaces.Space[Any],
) -> None:
    actions, outputs, found, decisions = drawn(space)
    assert all(space.contains(action) for action in found.actions)
    choices = actions.read(decisions)
    assert choices.shape == (5, *actions.choice_shape)
    np.testing.assert_allclose(actions.distribution(outputs, None).log_probs(choices), found.log_probs)


@EACH
def test_the_gradient_is_that_of_the_loss(space: spaces.Space[Any]) -> None:
    actions, outputs, _, decisions = drawn(space)
    choices, pull = actions.read(decisions), np.array([1.0, -0.5, 0.0, 2.0, 0.3])
    gradient = np.empty_like(outputs)
    actions.distribution(outputs, None).gradient(choices, pull, 0.1, gradient)

    def loss(at: np.ndarray) -> float:
        there = actions.distribution(at, None)
        return float((-pull * there.log_probs(choices) - 0.1 * there.entropies()).sum())

    np.testing.assert_allclose(gradient, numeric(loss, outputs), atol=1e-6)


@EACH
def test_divergence_is_zero_from_itself_and_its_gradient_that_of_its_value(space: spaces.Space[Any]) -> None:
    actions, outputs, _, _ = drawn(space)
    now = actions.distribution(outputs, None)
    np.testing.assert_allclose(now.divergences(now), 0.0, atol=1e-12)
    before = actions.distribution(outputs + np.random.default_rng(2).normal(size=outputs.shape), None)
    assert (now.divergences(before) > 0).all()

    def total(at: np.ndarray) -> float:
        return float(actions.distribution(at, None).divergences(before).sum())

    np.testing.assert_allclose(now.divergence_gradient(before), numeric(total, outputs), atol=1e-5)


def numeric(loss: Any, at: np.ndarray) -> np.ndarray:
    slopes = np.empty_like(at)
    for place in np.ndindex(*at.shape):
        nudge = np.zeros_like(at)
        nudge[place] = 1e-6
        slopes[place] = (loss(at + nudge) - loss(at - nudge)) / 2e-6
    return slopes


def test_what_lies_outside_a_box_is_clipped_and_kept_beside() -> None:
    actions = actions_of(SPACES["box"])
    found = actions.draw(np.array([[9.0, 0.0, -20.0, -20.0], [0.0, 0.0, -20.0, -20.0]]), None, None)
    np.testing.assert_allclose(found.actions, [[2.0, 5.0], [0.0, 5.0]])
    assert found.extras == [{UNCLIPPED: [18.0, 5.0]}, {}]
    read = actions.read([Decision(found.actions[0], extras=found.extras[0])])
    np.testing.assert_allclose(read, [[9.0, 0.0]])


@pytest.mark.parametrize(
    ("name", "action"),
    [("discrete", 1), ("multi", [0, 0]), ("multi", 3), ("box", [np.nan, 0.0]), ("box", "far")],
)
def test_actions_outside_the_space_can_not_be_read(name: str, action: Any) -> None:
    with pytest.raises(PolicyError, match="window: expected"):
        actions_of(SPACES[name]).read([Decision(action)])


@pytest.mark.parametrize("factory", [LinearPolicy, lambda: MlpPolicy(hidden=5)], ids=["linear", "mlp"])
@pytest.mark.parametrize("name", ["multi", "box", "unbounded"])
def test_policies_keep_their_contract_in_every_space(factory: Any, name: str) -> None:
    check_policy(factory, action_space=SPACES[name])


class Wheel:
    """Builds a world that pays the less, the further an action lies from the last sight."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.space = space

    def __call__(self) -> Any:
        import gymnasium

        space = self.space

        class World(gymnasium.Env[Any, Any]):
            observation_space = spaces.Box(-1, 1, (2,), np.float32)
            action_space = space

            def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
                super().reset(seed=seed)
                return self._look(), {}

            def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
                reward = -float(np.abs(np.asarray(action, np.float64) - 1.0).sum())
                return self._look(), reward, False, False, {}

            def _look(self) -> np.ndarray:
                return self.np_random.uniform(-1, 1, 2).astype(np.float32)

        return World()


@pytest.mark.parametrize("name", ["multi", "box"])
@pytest.mark.parametrize("learner", [PPO, Reinforce])
def test_learners_keep_their_contract_in_every_space(learner: Any, name: str) -> None:
    check_algorithm(learner, lambda: MlpPolicy(hidden=5), environment=Wheel(SPACES[name]))


@pytest.mark.parametrize("name", ["multi", "box", "unbounded"])
def test_ppo_learns_what_pays_in_every_space(name: str) -> None:
    from skyfall_crl.testing.window import collect_window

    policy, world = LinearPolicy(), Wheel(SPACES[name])
    policy.seed(np.random.default_rng(0), np.random.default_rng(1))
    policy.bind(world().observation_space, SPACES[name])
    learner = PPO(policy, learning_rate=0.03, discount=0.0)
    learner.seed(np.random.default_rng(2))
    rewards = []
    for _ in range(40):
        window = collect_window(policy, world, steps=32, worlds=1)
        rewards.append(window.rewards.mean())
        learner.update(window)
    assert np.mean(rewards[-5:]) > 0.5 * np.mean(rewards[:5]), "losses halve"
