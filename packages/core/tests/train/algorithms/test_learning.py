"""What holds for REINFORCE and for PPO alike: they learn, resume, and refuse what they can't use."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.ports.algorithm import Algorithm, ResumableAlgorithm, SeededAlgorithm, WeightsFormat
from skyfall_crl.ports.errors import CheckpointError, ConfigError, PolicyError
from skyfall_crl.ports.policy import Decision
from skyfall_crl.train.algorithms import PPO, Reinforce
from skyfall_crl.train.policies import ActorCritic, RandomPolicy

pytestmark = pytest.mark.floor

MakePolicy = Callable[..., ActorCritic]
Make = Callable[..., Any]


@pytest.fixture(params=[PPO, Reinforce])
def make_algorithm(request: pytest.FixtureRequest) -> Make:
    def make(policy: ActorCritic, *, seed: int = 0, **kwargs: float) -> Any:
        algorithm = request.param(policy, **kwargs)
        if isinstance(algorithm, SeededAlgorithm):
            algorithm.seed(np.random.default_rng([seed, 3]))
        return algorithm

    return make


def test_it_keeps_the_contracts_of_a_resumable_algorithm(
    make_policy: MakePolicy, make_algorithm: Make
) -> None:
    policy = make_policy()
    algorithm = make_algorithm(policy)
    assert isinstance(algorithm, Algorithm)
    assert isinstance(algorithm, ResumableAlgorithm)
    assert algorithm.policy is policy


def test_it_learns_which_arm_the_context_asks_for(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make
) -> None:
    policy = make_policy()
    bandit, algorithm = make_bandit(policy), make_algorithm(policy, learning_rate=0.02)
    assert 0.3 < bandit.mean_reward() < 0.7
    for _ in range(100):
        report = algorithm.update(bandit.window())
    assert bandit.mean_reward() > 0.9
    assert {"policy_loss", "value_loss", "entropy", "gradient_norm"} <= set(report)
    assert all(type(number) is float and np.isfinite(number) for number in report.values())


def test_it_learns_from_rewards_of_any_size_and_level(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make
) -> None:
    rewards = []
    for size, level in ((1000.0, 0.0), (0.001, 0.0), (1.0, 5.0)):
        policy = make_policy()
        bandit, algorithm = make_bandit(policy), make_algorithm(policy, learning_rate=0.02)
        bandit.size, bandit.level = size, level
        for _ in range(100):
            algorithm.update(bandit.window())
        rewards.append((bandit.mean_reward() - level) / size)
    assert min(rewards) > 0.9


def test_equal_seeds_learn_equal_weights(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make
) -> None:
    weights = []
    for seed in (1, 1, 2):
        policy = make_policy(seed)
        bandit, algorithm = make_bandit(policy, seed=seed), make_algorithm(policy, seed=seed)
        for _ in range(3):
            algorithm.update(bandit.window())
        weights.append(policy.weights.copy())
    np.testing.assert_array_equal(weights[0], weights[1])
    assert (weights[0] != weights[2]).any()


def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make, tmp_path: Path
) -> None:
    first = make_policy(0)
    recorder = make_bandit(first)
    algorithm = make_algorithm(first)
    windows = [recorder.window() for _ in range(4)]
    for window in windows[:2]:
        algorithm.update(window)
    assert algorithm.checkpoint(tmp_path) is WeightsFormat.WEIGHTS
    algorithm.save_state(tmp_path)

    second = make_policy(9)
    second.load_weights(tmp_path)
    resumed = make_algorithm(second, seed=9)
    resumed.load_state(tmp_path)
    reports = []
    for learner in (algorithm, resumed):
        if isinstance(learner, SeededAlgorithm):
            learner.seed(np.random.default_rng(5))
        reports.append([learner.update(window) for window in windows[2:]])
    assert reports[0] == reports[1]
    np.testing.assert_array_equal(first.weights, second.weights)


def test_state_that_does_not_fit_is_refused_and_changes_nothing(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make, tmp_path: Path
) -> None:
    policy = make_policy()
    algorithm = make_algorithm(policy)
    algorithm.update(make_bandit(policy).window())
    algorithm.save_state(tmp_path)
    (path,) = tmp_path.iterdir()
    good = np.load(path, allow_pickle=False)
    for index, wrong in ((0, 2.0), (3, 1.5), (3, -1.0), (len(good) - 1, -1.0), (5, np.nan)):
        bad = good.copy()
        bad[index] = wrong
        np.save(path, bad)
        with pytest.raises(CheckpointError, match=r"learner\.npy"):
            algorithm.load_state(tmp_path)
    np.save(path, good[:-1])
    with pytest.raises(CheckpointError, match="expected"):
        algorithm.load_state(tmp_path)
    algorithm.save_state(tmp_path)
    np.testing.assert_array_equal(np.load(path, allow_pickle=False), good)


def test_rows_that_are_not_valid_teach_nothing(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make
) -> None:
    weights = []
    for placeholder in (Decision(None), Decision(6, None, -0.7, 3.0)):
        policy = make_policy()
        window = make_bandit(policy).window()
        window.valid[5:, 1] = False
        window.terminated[4, 1] = True
        for row in window.decisions[5:]:
            row[1] = placeholder
        make_algorithm(policy).update(window)
        weights.append(policy.weights.copy())
    np.testing.assert_array_equal(weights[0], weights[1])
    assert (weights[0] != make_policy().weights).any()


def test_a_window_without_a_valid_row_is_left_alone(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make
) -> None:
    policy = make_policy()
    window = make_bandit(policy).window()
    window.valid[:] = False
    assert make_algorithm(policy).update(window) == {}
    np.testing.assert_array_equal(policy.weights, make_policy().weights)


def test_it_learns_under_masks_which_forbid_the_best_arm(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make
) -> None:
    policy = make_policy(actions=3)
    bandit, algorithm = make_bandit(policy), make_algorithm(policy, learning_rate=0.02)
    bandit.info = {"action_mask": np.array([False, True, True])}
    for _ in range(100):
        window = bandit.window()
        assert {decision.action for row in window.decisions for decision in row} <= {6, 7}
        algorithm.update(window)
    logits = policy.evaluate(policy.encoder.encode([np.array([1.0, 1.0])])).logits[0]
    assert logits[1] > logits[2] + 1


@pytest.mark.parametrize(
    "broken", [Decision(None, None, 0.0, 0.0), Decision(6), Decision(7, None, -0.1, 0.0)]
)
def test_a_valid_decision_needs_an_action_and_a_log_probability(
    make_policy: MakePolicy, make_algorithm: Make, make_bandit: Make, broken: Decision
) -> None:
    policy = make_policy()
    window = make_bandit(policy).window()
    window.decisions[3][2] = broken
    with pytest.raises(PolicyError, match="window"):
        make_algorithm(policy).update(window)


def test_a_policy_without_gradients_is_refused_and_the_fitting_ones_named(make_algorithm: Make) -> None:
    with pytest.raises(ConfigError, match=r"'linear' or 'mlp', found RandomPolicy"):
        make_algorithm(RandomPolicy())


def ranges(names: Sequence[str], values: Sequence[object]) -> list[tuple[str, object]]:
    return [(name, value) for name in names for value in values]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *ranges(["learning_rate", "max_gradient_norm"], [0, -1.0, float("inf"), 10**400, "fast", True]),
        *ranges(["discount"], [-0.1, 1.1, float("nan"), None]),
        *ranges(["entropy", "value_coefficient"], [-0.1, float("nan"), "x"]),
    ],
)
def test_hyper_parameters_out_of_range_are_named(
    make_policy: MakePolicy, make_algorithm: Make, name: str, value: Any
) -> None:
    with pytest.raises(ConfigError, match=rf"{name}: expected a number"):
        make_algorithm(make_policy(), **{name: value})
