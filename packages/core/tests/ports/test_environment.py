"""Tiers of environments."""

import gymnasium
import pytest
from gymnasium import spaces
from gymnasium.wrappers import OrderEnforcing, TimeLimit

from skyfall_crl.ports.environment import capabilities
from skyfall_crl.testing.doubles import SwitchingBandit


class Bare(gymnasium.Env):
    observation_space = action_space = spaces.Discrete(2)


class Told(Bare):
    reward_spec = None
    reward_signals = ()
    regime_id = None

    def describe(self) -> dict:
        return {}

    def apply_regime(self, regime: object, progress: float | None) -> None: ...


@pytest.mark.parametrize(("env", "tier"), [(Bare, 1), (Told, 2), (SwitchingBandit, 3)])
def test_a_tier_is_what_an_environment_offers_through_any_number_of_wrappers(env: type, tier: int) -> None:
    assert capabilities(env()).tier == tier
    assert capabilities(TimeLimit(OrderEnforcing(env()), 5)).tier == tier


def test_a_tier_is_not_taken_from_a_base_class_whose_promise_is_unkept() -> None:
    class Broken(Told):
        @property
        def describe(self) -> None:
            raise AttributeError("not here")

    assert capabilities(Broken()).tier == 1


def test_what_is_found_is_stored_as_plain_data() -> None:
    row = capabilities(SwitchingBandit()).to_row()
    assert row["tier"] == 3
    assert row["snapshots"] is True
    assert row["regime_axes"] == ("offset",)
    assert row["regime_owner"] == "session"
