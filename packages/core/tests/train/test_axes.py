"""Tier 1 shifts: a regime's axes reach attributes and arguments, are read back, and are on record."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from skyfall_crl.config import RunConfig
from skyfall_crl.config.schema import AxisTarget
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.regime import Regime
from skyfall_crl.train.axes import MappedAxes
from skyfall_crl.train.run import run

WEST, EAST = ["SF", "HG"], ["SH", "FG"]
POLE = [AxisTarget(attribute="length", factor=0.5), AxisTarget(attribute="polemass_length", factor=0.05)]


def lake(desc: Any = WEST, **arguments: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("FrozenLake-v1", desc=desc, is_slippery=False, **arguments)


def mapped_lake(**arguments: Any) -> MappedAxes:
    env = lake(**arguments)
    env.reset(seed=1)
    axes = {"layout": [AxisTarget(argument="desc")]}
    return MappedAxes(env, axes, lambda given: lake(**{**arguments, **given}), {"desc": WEST, **arguments})


def test_one_axis_sets_several_attributes_with_factors_and_goes_back() -> None:
    cartpole = gymnasium.make("CartPole-v1")
    env = MappedAxes(cartpole, {"pole_length": POLE}, lambda given: cartpole)
    applied = env.apply_regime(Regime("long", axes={"pole_length": 3.0, "other": 1}), None)
    assert (applied.selected, applied.excluded) == ({"pole_length": 3.0}, ("other",))
    assert (applied.read_back, applied.rebuilt) == ({"pole_length": 3.0}, False)
    assert (cartpole.unwrapped.length, cartpole.unwrapped.polemass_length) == (1.5, pytest.approx(0.15))
    assert env.regime_id == "long"
    env.apply_regime(Regime("first"), None)
    assert (cartpole.unwrapped.length, cartpole.unwrapped.polemass_length) == (0.5, pytest.approx(0.05))


def test_an_attribute_that_does_not_take_the_value_is_read_back_as_it_is() -> None:
    class Stubborn(gymnasium.Env[Any, Any]):
        observation_space = action_space = spaces.Discrete(2)

        @property
        def speed(self) -> float:
            return 1.0

        @speed.setter
        def speed(self, value: float) -> None:
            pass

    env = MappedAxes(
        Stubborn(), {"pace": [AxisTarget(attribute="speed", factor=2.0)]}, lambda given: Stubborn()
    )
    assert env.apply_regime(Regime("fast", axes={"pace": 3.0}), None).read_back == {"pace": 0.5}


def test_an_argument_that_changes_builds_the_environment_anew_and_once() -> None:
    env = mapped_lake()
    first = env.env
    assert not env.apply_regime(Regime("west", axes={"layout": WEST}), None).rebuilt
    assert env.env is first
    applied = env.apply_regime(Regime("east", axes={"layout": EAST}), None)
    assert (applied.read_back, applied.rebuilt) == ({"layout": EAST}, True)
    assert not env.apply_regime(Regime("east again", axes={"layout": EAST}), None).rebuilt
    _, reward, terminated, _, _ = env.step(2)
    assert (reward, terminated) == (0.0, True), "the hole is in the east of the second map"
    assert env.apply_regime(Regime("default"), None).rebuilt


def test_equal_seeds_build_equal_worlds() -> None:
    seeds = []
    for _ in range(2):
        env = mapped_lake()
        env.apply_regime(Regime("east", axes={"layout": EAST}), None)
        seeds.append(env.unwrapped.np_random_seed)
    assert seeds[0] == seeds[1]


def test_a_map_of_another_size_is_refused_and_the_old_world_stays() -> None:
    env = mapped_lake()
    first = env.env
    with pytest.raises(EnvironmentFailure, match="observation_space: expected"):
        env.apply_regime(Regime("large", axes={"layout": ["SFF", "FFF", "FFG"]}), None)
    assert env.env is first


def test_an_argument_nothing_reports_is_not_read_back() -> None:
    class Silent(gymnasium.Env[Any, Any]):
        observation_space = action_space = spaces.Discrete(2)

        def __init__(self, level: int = 0) -> None:
            """Take a level and keep it to itself."""

    env = MappedAxes(Silent(), {"level": [AxisTarget(argument="level")]}, lambda given: Silent(**given))
    assert env.apply_regime(Regime("one", axes={"level": 1}), None).read_back == {}


def test_only_numbers_have_factors() -> None:
    env = lake()
    mapped = MappedAxes(
        env, {"layout": [AxisTarget(argument="desc", factor=2.0)]}, lambda given: lake(**given)
    )
    with pytest.raises(EnvironmentFailure, match="layout: expected a number"):
        mapped.apply_regime(Regime("east", axes={"layout": EAST}), None)


@pytest.mark.parametrize("target", [{}, {"attribute": "a", "argument": "b"}])
def test_a_target_is_either_an_attribute_or_an_argument(
    configure: Callable[..., RunConfig], target: dict[str, str]
) -> None:
    with pytest.raises(ConfigError, match="either attribute or argument"):
        configure(env={"id": "CartPole-v1", "axes": {"x": [target]}})


def test_a_run_records_where_the_environment_was_built_anew(
    configure: Callable[..., RunConfig], read: Callable[[Path], list[dict[str, Any]]], tmp_path: Path
) -> None:
    regimes = [
        {"regime_id": "west", "duration_steps": 20, "axes": {"layout": WEST}},
        {"regime_id": "east", "duration_steps": 20, "axes": {"layout": EAST}},
    ]
    config = configure(
        env={
            "id": "FrozenLake-v1",
            "kwargs": {"desc": WEST, "is_slippery": False},
            "axes": {"layout": [{"argument": "desc"}]},
        },
        regime={"params": {"schedule": {"shift_mode": "cyclic", "regimes": regimes}}},
        run={"steps": 60, "num_envs": 1},
    )
    assert run(config, tmp_path / "run").status == "completed"
    shifts = [row for row in read(tmp_path / "run") if row["kind"] == "shift"]
    assert [(row["step"], row["applied"], row.get("rebuilt", False)) for row in shifts] == [
        (0, True, False),
        (20, True, True),
        (40, True, True),
    ]
