"""Shifting a world: what it takes, what it reads back, and what the policy is not told."""

from collections.abc import Callable

import numpy as np
import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.regime import ConstantRegime, Regime, ScheduledRegime
from skyfall_crl.ports.environment import capabilities
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure

MakeWorld = Callable[..., MorpheusEnv]
B = Regime("B", axes={"cause_mix": "B", "payment_terms": "B"})


def axes_of(env: MorpheusEnv) -> dict[str, object]:
    return dict(env.backend.engine(env.world_id).axes)  # type: ignore[attr-defined]


def test_a_regime_is_pushed_and_read_back(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    applied = env.apply_regime(B, None)
    assert applied.selected == applied.read_back == {"cause_mix": "B", "payment_terms": "B"}
    assert applied.excluded == ()
    assert env.regime_id == "B"
    assert axes_of(env)["cause_mix"] == "B"


def test_axes_a_world_can_not_be_told_are_named_and_the_others_still_hold(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    applied = env.apply_regime(Regime("x", axes={"demand": 0.5, "gravity": 2}), None)
    assert applied.excluded == ("gravity",)
    assert applied.read_back == {"demand": 0.5}


def test_an_axis_a_regime_does_not_set_goes_back_to_its_default(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    before = axes_of(env)
    env.apply_regime(Regime("busy", axes={"demand": 2.0}), None)
    assert axes_of(env) != before
    env.apply_regime(Regime("calm"), None)
    assert axes_of(env) == before


def test_values_that_make_no_sense_are_refused_with_their_axis(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    with pytest.raises(EnvironmentFailure, match="demand"):
        env.apply_regime(Regime("x", axes={"demand": -1}), None)


def test_a_regime_can_weigh_the_reward_and_the_spec_stays_as_it_was(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    weights = {"remediation": 0.0, "financial": 1.0, "throughput": 0.0}
    applied = env.apply_regime(Regime("money", axes={"reward_weights": weights}), None)
    assert applied.read_back == {"reward_weights": weights}
    _, reward, _, _, info = env.step(0)
    assert reward == info["reward_terms"]["financial"]
    spec = env.reward_spec
    assert spec is not None
    assert [term.weight for term in spec.terms] == [0.5, 0.3, 0.2]
    env.apply_regime(Regime("plain"), None)
    _, reward, _, _, info = env.step(0)
    assert reward == pytest.approx(sum(t.weight * info["reward_terms"][t.name] for t in spec.terms))


def test_a_new_world_is_told_what_its_predecessor_was(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    env.apply_regime(B, None)
    env.reset(seed=2, options={"reprovision": True})
    assert axes_of(env)["cause_mix"] == "B"
    assert env.regime_id == "B"


def test_a_regime_needs_a_world(make_world: MakeWorld) -> None:
    with pytest.raises(EnvironmentFailure, match="call reset first"):
        make_world().apply_regime(B, None)


def test_a_policy_is_told_nothing_of_a_regime(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=1)
    env.apply_regime(B, None)
    assert "regime_id" not in env.step(0)[4]


SCHEDULE = {
    "shift_mode": "cyclic",
    "regimes": [
        {"regime_id": "A", "duration_steps": 3, "axes": {"cause_mix": "A"}},
        {"regime_id": "B", "duration_steps": 2, "axes": {"cause_mix": "B"}},
    ],
}


def test_an_environment_with_a_provider_of_its_own_follows_it(make_world: MakeWorld) -> None:
    env = make_world(regime=ScheduledRegime(SCHEDULE), max_steps=2)
    assert capabilities(env).regime_owner == "environment"
    env.reset(seed=1)
    seen = []
    for _ in range(10):
        info = env.step(0)[4]
        seen.append((info["regime_id"], info["regime_identity"], info["drift_progress"]))
        assert axes_of(env)["cause_mix"] == info["regime_id"]
        env.reset()
    assert [regime_id for regime_id, _, _ in seen] == list("AAABBAAABB")
    assert {progress for *_, progress in seen} == {None}


def test_a_drift_of_its_own_is_pushed_at_most_twenty_times(make_world: MakeWorld) -> None:
    schedule = {
        "shift_mode": "linear_drift",
        "drift_window": 200,
        "regimes": [
            {"regime_id": "calm", "duration_steps": 10, "axes": {"demand": 0.2}},
            {"regime_id": "busy", "axes": {"demand": 1.2}},
        ],
    }
    env = make_world(regime=ScheduledRegime(schedule))
    env.reset(seed=1)
    pushed: list[float] = []
    write = env.backend.set_chaos

    def counted(world_id: str, chaos: object) -> object:
        answer = write(world_id, chaos)  # type: ignore[arg-type]
        pushed.append(answer["simulation"]["axes"]["demand"])
        return answer

    env.backend.set_chaos = counted  # type: ignore[method-assign, assignment]
    for _ in range(230):
        info = env.step(0)[4]
    assert pushed[0] == 0.2
    assert pushed[-1] == 1.2
    assert sorted(pushed) == pushed
    assert 10 < len(pushed) <= 21
    assert info["drift_progress"] == 1.0


def test_a_provider_with_an_axis_the_world_does_not_take_stops_it(make_world: MakeWorld) -> None:
    env = make_world(regime=ConstantRegime("x", {"gravity": 1}))
    env.reset(seed=1)
    with pytest.raises(EnvironmentFailure, match="gravity"):
        env.step(0)


def test_regimes_by_value_are_built_from_a_provider_and_its_params(make_world: MakeWorld) -> None:
    provider = {
        "provider": "skyfall_crl.regime.provider:ScheduledRegime",
        "params": {"schedule": SCHEDULE},
    }
    env = make_world(regime=provider)
    env.reset(seed=1)
    assert env.step(0)[4]["regime_id"] == "A"
    with pytest.raises(ConfigError, match=r"regime.*provider"):
        make_world(regime={"schedule": SCHEDULE})


def test_the_reward_follows_the_configuration_that_is_in_force(make_world: MakeWorld) -> None:
    idle = {}
    for name in "AC":
        env = make_world()
        env.reset(seed=1)
        env.apply_regime(Regime(name, axes={"payment_terms": name}), None)
        idle[name] = np.mean([env.step(0)[1] for _ in range(400)])
    assert idle["C"] > idle["A"] + 0.02


def test_references_are_known_for_the_layouts_own_configurations_only(make_world: MakeWorld) -> None:
    env = make_world()
    known = env.references(B)
    assert known["random"] < known["informed"] <= known["bound"]
    assert env.references(Regime("busy", axes={"demand": 3.0})) == {}
    assert env.references(Regime("w", axes={"reward_weights": {"financial": 1.0}})) == {}
    assert make_world(reward_spec=None).references(B) == {}
