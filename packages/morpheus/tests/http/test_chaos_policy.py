"""Regimes of a deployment that knows nothing of simulated axes: they are told through its own chaos policy."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.chaos_policy import policy_axes, policy_document
from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.regime import Regime

STALE = {"type": "stale_data", "weight": 2, "description": "an old copy", "config": {"hours": 3}}
POLICY = {
    "enabled": False,
    "probability": 0.05,
    "scenarios": [STALE],
    "seed": "s",
    "persistCorruptedData": True,
}
MIX = {"stale_data": 1, "rate_limit": 4}
NOTHING = {"method": "", "path": "", "body": ""}


@pytest.fixture
def env(stub: Any, backend: HttpBackend, world: str) -> MorpheusEnv:
    stub.policy_alone = True
    stub.chaos[world] = POLICY
    made = MorpheusEnv(backend, layout="a-layout-of-theirs", world_id=world, close_backend=False)
    made.reset(seed=1)
    stub.received.clear()
    return made


def test_how_often_and_in_which_ways_things_go_wrong_is_written_and_read_back(
    env: MorpheusEnv, stub: Any, world: str
) -> None:
    """What the policy said otherwise is kept, since a write replaces the whole of it."""
    applied = env.apply_regime(Regime("busy", axes={"fault_probability": 0.3, "scenario_weights": MIX}), None)
    assert applied.read_back == applied.selected == {"fault_probability": 0.3, "scenario_weights": MIX}
    assert applied.excluded == ()
    limit = {"type": "rate_limit", "weight": 4, "description": "rate_limit", "config": {}}
    expected = {
        **POLICY,
        "enabled": True,
        "probability": 0.3,
        "scenarios": [{**STALE, "weight": 1}, limit],
    }
    assert stub.chaos[world] == expected
    env.close()


def test_an_axis_the_next_regime_does_not_set_goes_back_to_what_the_world_had(
    env: MorpheusEnv, stub: Any, world: str
) -> None:
    env.apply_regime(Regime("busy", axes={"fault_probability": 0.3, "scenario_weights": MIX}), None)
    env.apply_regime(Regime("calm"), None)
    assert stub.chaos[world] == POLICY
    env.close()


def test_a_policy_told_ahead_costs_no_request_at_the_boundary(env: MorpheusEnv, stub: Any) -> None:
    regime = Regime("busy", axes={"fault_probability": 0.3})
    env.announce_regime(regime, None)
    env.step(NOTHING)
    stub.received.clear()
    assert env.apply_regime(regime, None).read_back is None
    assert stub.received == []
    assert env.step(NOTHING)[4]["regime_read_back"] == {"fault_probability": 0.3}
    env.close()


def test_a_regime_that_sets_nothing_leaves_the_policy_of_a_world_alone(env: MorpheusEnv, stub: Any) -> None:
    env.apply_regime(Regime("plain"), None)
    assert stub.received == []
    env.close()


def test_an_axis_only_a_simulator_knows_does_not_read_back(env: MorpheusEnv, world: str) -> None:
    known = MorpheusEnv(env.backend, world_id=world, close_backend=False)
    known.reset(seed=1)
    applied = known.apply_regime(Regime("B", axes={"cause_mix": "B", "fault_probability": 0.2}), None)
    assert applied.selected == {"cause_mix": "B", "fault_probability": 0.2}
    assert applied.read_back == {"fault_probability": 0.2}
    known.close()
    env.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "weight", "scenarios", "probability", "simulation", "axes"]), inner
        )
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from(["probability", "scenarios", "simulation", "enabled", "else"]), JSON, max_size=5
    )
)
def test_no_policy_upsets_what_is_read_of_it_or_written_over_it(policy: dict[str, Any]) -> None:
    axes = {"fault_probability": 0.25, "scenario_weights": MIX}
    assert isinstance(policy_axes(policy), dict)
    assert policy_axes(policy_document(axes, policy)) == axes
