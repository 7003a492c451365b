"""The contextual bandit keeps the contract of a world that can be put back, and pays as its regime says."""

import numpy as np
import pytest

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import Regime
from skyfall_crl.testing import check_environment
from skyfall_crl.train.environments.contextual_bandit import ContextualBandit


def test_it_keeps_the_contract_of_its_tier() -> None:
    check_environment(ContextualBandit)


def answers(env: ContextualBandit, labels: int, rows: int = 200) -> list[int]:
    """Return which action paid in each of some steps, found by asking forks."""
    env.reset(seed=1)
    env.apply_regime(Regime("any", axes={"labels": labels}), None)
    found = []
    for _ in range(rows):
        rewards = [env.fork().step(action)[1] for action in range(4)]
        assert sorted(rewards) == [0.0, 0.0, 0.0, 1.0]
        found.append(int(np.argmax(rewards)))
        env.step(0)
    return found


def test_any_two_labels_want_different_actions_everywhere_and_every_action_somewhere() -> None:
    env = ContextualBandit()
    first, second, third = (answers(env, labels) for labels in (0, 1, 2))
    assert set(first) == {0, 1, 2, 3}
    for one, other in ((first, second), (first, third), (second, third)):
        assert all(a != b for a, b in zip(one, other, strict=True))
    assert answers(env, 4) == first


def test_worlds_share_the_task_and_not_what_they_show() -> None:
    one, other = ContextualBandit(), ContextualBandit()
    shown = [env.reset(seed=seed)[0] for env, seed in ((one, 1), (other, 2))]
    assert (shown[0] != shown[1]).any()
    other.restore(one.snapshot())
    assert [one.step(2)[1] for _ in range(50)] == [other.step(2)[1] for _ in range(50)]
    assert answers(ContextualBandit(task_seed=1), 0) != answers(ContextualBandit(), 0)


@pytest.mark.parametrize(
    "arguments", [{"features": 0}, {"actions": 1}, {"task_seed": -1}, {"features": True}]
)
def test_arguments_out_of_range_are_named(arguments: dict[str, int]) -> None:
    (name,) = arguments
    with pytest.raises(ConfigError, match=f"{name}: expected a whole number"):
        ContextualBandit(**arguments)
