"""What holds for the linear policy and for the network alike."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.errors import CheckpointError, ConfigError, PolicyError
from skyfall_crl.ports.policy import Policy, SeededPolicy, WeightedPolicy
from skyfall_crl.train.policies import ActorCritic, LinearPolicy, MlpPolicy, RandomPolicy

MakePolicy = Callable[..., ActorCritic]


def observations(count: int = 6, seed: int = 5) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).normal(size=(count, 4)).astype(np.float32))


def scramble(policy: ActorCritic) -> None:
    policy.weights[:] = np.random.default_rng(9).normal(size=policy.weights.size)


def test_it_keeps_the_contracts_of_a_seeded_weighted_policy(make_policy: MakePolicy) -> None:
    policy = make_policy()
    for contract in (Policy, SeededPolicy, WeightedPolicy):
        assert isinstance(policy, contract)


def test_gradients_agree_with_finite_differences(make_policy: MakePolicy) -> None:
    policy = make_policy()
    scramble(policy)
    features = np.array(observations(), dtype=np.float64)
    outputs = np.random.default_rng(3).normal(size=(6, 4))

    def loss() -> float:
        logits, values, _ = policy.evaluate(features)
        return float((outputs[:, :-1] * logits).sum() + outputs[:, -1] @ values)

    gradient = policy.gradient(features, policy.evaluate(features).hidden, outputs).copy()
    numeric = np.empty_like(gradient)
    for i in range(len(numeric)):
        kept = policy.weights[i]
        policy.weights[i] = kept + 1e-6
        above = loss()
        policy.weights[i] = kept - 1e-6
        numeric[i] = (above - loss()) / 2e-6
        policy.weights[i] = kept
    np.testing.assert_allclose(gradient, numeric, atol=1e-7, rtol=1e-6)


def test_decisions_are_plain_numbers_that_fit_the_action_space(make_policy: MakePolicy) -> None:
    policy = make_policy()
    scramble(policy)
    decisions = policy.act(observations(50), [{}] * 50)
    assert {decision.action for decision in decisions} == {10, 11, 12}
    for decision in decisions:
        assert type(decision.action) is int
        assert type(decision.log_prob) is float
        assert type(decision.value) is float
        assert decision.log_prob <= 0


def test_values_and_log_probabilities_are_those_of_an_evaluation(make_policy: MakePolicy) -> None:
    policy = make_policy()
    scramble(policy)
    decisions = policy.act(observations(), [{}] * 6)
    logits, values, _ = policy.evaluate(policy.encoder.encode(observations()))
    np.testing.assert_allclose([decision.value for decision in decisions], values)
    log_probabilities = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    for row, decision in zip(log_probabilities, decisions, strict=True):
        assert decision.log_prob == pytest.approx(row[decision.action - 10])


def test_masked_actions_are_never_chosen(make_policy: MakePolicy) -> None:
    policy = make_policy()
    scramble(policy)
    infos = [{"action_mask": np.array([True, False, True])}, {"action_mask": np.array([False, True, False])}]
    for _ in range(200):
        first, second = policy.act(observations(2), infos)
        assert first.action != 11
        assert (second.action, second.log_prob) == (11, pytest.approx(0.0))


def test_equal_seeds_give_equal_weights_and_actions(make_policy: MakePolicy) -> None:
    one, other, different = make_policy(seed=4), make_policy(seed=4), make_policy(seed=5)
    np.testing.assert_array_equal(one.weights, other.weights)
    runs = [
        [decision.action for _ in range(20) for decision in policy.act(observations(), [{}] * 6)]
        for policy in (one, other, different)
    ]
    assert runs[0] == runs[1] != runs[2]


def test_greedy_takes_the_likeliest_action_without_a_draw(make_policy: MakePolicy) -> None:
    policy = make_policy(greedy=True)
    scramble(policy)
    likeliest = policy.evaluate(policy.encoder.encode(observations())).logits.argmax(1) + 10
    for _ in range(3):
        assert [d.action for d in policy.act(observations(), [{}] * 6)] == likeliest.tolist()


def test_no_worlds_means_no_decisions(make_policy: MakePolicy) -> None:
    assert make_policy().act([], []) == []


def test_weights_come_back_from_disk(make_policy: MakePolicy, tmp_path: Path) -> None:
    policy, other = make_policy(seed=1), make_policy(seed=2)
    scramble(policy)
    policy.save_weights(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["weights.npy"]
    other.load_weights(tmp_path)
    features = policy.encoder.encode(observations())
    np.testing.assert_array_equal(policy.evaluate(features).logits, other.evaluate(features).logits)
    np.testing.assert_array_equal(policy.evaluate(features).values, other.evaluate(features).values)


def test_weights_that_do_not_fit_change_nothing(make_policy: MakePolicy, tmp_path: Path) -> None:
    policy = make_policy()
    before = policy.weights.copy()
    np.save(tmp_path / "weights.npy", np.ones(policy.weights.size - 1))
    with pytest.raises(CheckpointError, match=str(policy.weights.size)):
        policy.load_weights(tmp_path)
    damaged = np.ones(policy.weights.size)
    damaged[-1] = np.nan
    np.save(tmp_path / "weights.npy", damaged)
    with pytest.raises(CheckpointError, match="not finite"):
        policy.load_weights(tmp_path)
    np.testing.assert_array_equal(policy.weights, before)


def test_the_two_policies_have_weights_of_different_sizes() -> None:
    sizes = set()
    for policy in (LinearPolicy(), MlpPolicy()):
        policy.seed(np.random.default_rng(0), np.random.default_rng(1))
        policy.bind(spaces.Box(0, 1, (81,)), spaces.Discrete(29))
        sizes.add(policy.weights.size)
    assert sizes == {81 * 30 + 30, 81 * 64 + 64 + 64 * 30 + 30}


def test_an_observation_that_is_not_finite_is_an_error_not_an_action(make_policy: MakePolicy) -> None:
    policy = make_policy()
    with pytest.raises(PolicyError, match="not finite"):
        policy.act([np.array([0, np.nan, 0, 0])], [{}])


def test_first_steps_out_of_order_say_what_comes_first() -> None:
    policy = LinearPolicy()
    with pytest.raises(PolicyError, match="seed"):
        policy.bind(spaces.Box(0, 1, (2,)), spaces.Discrete(2))
    with pytest.raises(PolicyError, match="bind"):
        _ = policy.weights


@pytest.mark.parametrize(
    "space", [spaces.Text(3), spaces.Box(0, 3, (2,), np.int64), spaces.MultiDiscrete([[2, 3], [4, 5]])]
)
def test_actions_that_no_distribution_fits_are_refused(space: spaces.Space[object]) -> None:
    policy = LinearPolicy()
    policy.seed(np.random.default_rng(0), np.random.default_rng(1))
    with pytest.raises(PolicyError, match="action space: "):
        policy.bind(spaces.Box(0, 1, (2,)), space)


@pytest.mark.parametrize("hidden", [0, -1, 2.5, "64", True, None])
def test_a_hidden_layer_has_a_whole_number_of_units(hidden: object) -> None:
    with pytest.raises(ConfigError, match="hidden"):
        MlpPolicy(hidden=hidden)  # type: ignore[arg-type]


def test_greedy_is_true_or_false() -> None:
    with pytest.raises(ConfigError, match="greedy"):
        LinearPolicy(greedy="yes")  # type: ignore[arg-type]


def test_the_random_policy_is_none_of_them() -> None:
    assert not isinstance(RandomPolicy(), ActorCritic)
