"""Building what a config names."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest

from skyfall_crl.ports.errors import ConfigError, CrlError, EnvironmentFailure
from skyfall_crl.train.build import build
from skyfall_crl.train.run import run


class Texts(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(5)
    action_space = gymnasium.spaces.Discrete(2)


class Owner(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    regime_owner = "environment"


def explodes(token: str = "") -> gymnasium.Env:
    raise ValueError(f"no world behind {token}")


def unbuildable() -> gymnasium.Env:
    raise RuntimeError("disk on fire")


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"env": {"id": "CartPoll-v1"}}, "CartPole"),
        ({"env": {"id": "nowhere/world"}}, "nowhere"),
        ({"env": {"id": "builtins:dict", "kwargs": {}}}, "to build a Gymnasium environment, found dict"),
        ({"policy": {"id": "mpl"}}, "mlp"),
        ({"algorithm": {"id": "pppo"}}, "ppo"),
        ({"regime": {"provider": "schedule"}}, "scheduled"),
        (
            {"env": {"kwargs": {"max_stepz": 3}}},
            "env.kwargs: got an unexpected keyword argument 'max_stepz'; it takes",
        ),
        ({"policy": {"id": "mlp", "kwargs": {"hidden": 0}}}, "policy.kwargs"),
        ({"algorithm": {"id": "ppo", "kwargs": {"discount": 3}}}, "algorithm.kwargs"),
        ({"regime": {"params": {}}}, "regime.params: missing a required argument: 'schedule'"),
        ({"env": {"id": f"{__name__}:Texts"}, "regime": None}, "Text"),
        ({"env": {"id": "CartPole-v1"}}, "regimes[1].axes.offset: CartPole-v1 can't be told this axis"),
        (
            {"env": {"id": "CartPole-v1", "require": "tier2"}, "regime": None},
            "expected tier2, found CartPole-v1",
        ),
        ({"env": {"id": f"{__name__}:Owner"}}, "built with a regime of its own"),
        ({"env": {"axes": {"gravity": [{"attribute": "nope"}]}}}, "number at attribute 'nope'"),
        ({"sinks": [{"id": "nothing"}]}, "nothing"),
    ],
)
def test_what_can_not_be_run_is_one_line_before_a_directory_exists(
    configure, tmp_path: Path, sections: dict, said: str
) -> None:
    with pytest.raises(CrlError) as caught:
        run(configure(**sections), tmp_path / "run")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    assert not (tmp_path / "run").exists()


def test_a_resolved_secret_does_not_come_back_in_an_error(configure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRL_CANARY", "canary-77")
    config = configure(env={"id": f"{__name__}:explodes", "kwargs": {"token": "${env:CRL_CANARY}"}})
    with pytest.raises(ConfigError) as caught:
        build(config)
    assert "canary-77" not in str(caught.value)
    assert "${env:CRL_CANARY}" in str(caught.value)


def test_an_environment_that_can_not_be_built_names_its_id(configure) -> None:
    with pytest.raises(
        EnvironmentFailure, match="unbuildable could not be built: RuntimeError: disk on fire"
    ):
        build(configure(env={"id": f"{__name__}:unbuildable"}))


def test_reset_policy_follows_the_tier_unless_it_is_said(configure) -> None:
    cart = {"env": {"id": "CartPole-v1", "kwargs": {}}, "regime": None}
    for sections, expected in (({}, False), (cart, True), ({"run": {"auto_reset": True}}, True)):
        parts = build(configure(**sections))
        assert parts.auto_reset is expected
        parts.close()


def test_a_schedule_shifts_a_gymnasium_environment_through_declared_attributes(
    configure, read, tmp_path
) -> None:
    config = configure(
        env={
            "id": "CartPole-v1",
            "axes": {"pole": [{"attribute": "length"}, {"attribute": "polemass_length", "factor": 0.1}]},
        },
        regime={
            "params": {
                "schedule": {
                    "regimes": [
                        {"regime_id": "short", "duration_steps": 20, "axes": {"pole": 0.25}},
                        {"regime_id": "plain"},
                    ]
                }
            }
        },
    )
    parts = build(config)
    env = parts.fanout.environments[0]
    assert env.get_wrapper_attr("apply_regime")(parts.provider.at(0).regime, None).read_back == {"pole": 0.25}
    assert (env.unwrapped.length, env.unwrapped.polemass_length) == (0.25, 0.025)
    env.get_wrapper_attr("apply_regime")(parts.provider.at(20).regime, None)
    assert (env.unwrapped.length, env.unwrapped.polemass_length) == (0.5, 0.05)
    parts.close()
    run(config, tmp_path / "run")
    assert [row["applied"] for row in read(tmp_path / "run") if row["kind"] == "shift"] == [True] * 4


def test_axes_that_nobody_can_apply_are_recorded_when_asked(configure, read, tmp_path) -> None:
    config = configure(env={"id": "CartPole-v1", "kwargs": {}}, regime={"on_mismatch": "record"})
    run(config, tmp_path / "run")
    shifts = [row for row in read(tmp_path / "run") if row["kind"] == "shift" and row["world"] == "w0"]
    assert [(row["regime_id"], row["applied"]) for row in shifts] == [("A", True), ("B", False)] * 2
    assert shifts[1]["problem"] == "the environment can't be told offset"
