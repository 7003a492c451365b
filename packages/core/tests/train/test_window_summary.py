"""What sinks for trackers make of rows and configs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.train.sinks.tracker import library
from skyfall_crl.train.sinks.window_summary import flat_config, window_scalars, window_step

ROW = {
    "kind": "step",
    "step": 3,
    "phase": "train",
    "regime_identity": "a",
    "reward": 1.0,
    "reward_terms": {"hit": 0.25},
    "outcome": {"accepted": True},
}


def test_a_window_becomes_means_by_phase_configuration_and_term() -> None:
    other = {**ROW, "step": 4, "regime_identity": "b", "reward": 0.0, "outcome": {"accepted": False}}
    evaluated = {**ROW, "phase": "eval", "reward": 0.5, "reward_terms": None, "outcome": None}
    missing = {**ROW, "reward": None, "reward_terms": {"hit": None}, "outcome": None}
    update = {"kind": "note", "note": "update", "values": {"loss": 2}}
    rows = [ROW, other, evaluated, missing, update, {"kind": "something newer"}]
    assert window_scalars(rows) == {
        "train/reward": 0.5,
        "train/reward_in/a": 1.0,
        "train/reward_in/b": 0.0,
        "train/reward_terms/hit": 0.25,
        "train/accepted": 0.5,
        "eval/reward": 0.5,
        "eval/reward_in/a": 0.5,
        "update/loss": 2.0,
    }
    assert window_step(rows) == 4
    assert window_step([update]) is None


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_the_mean_of_a_window_is_the_mean_of_its_rewards(rewards: list[float]) -> None:
    found = window_scalars([{**ROW, "reward": reward} for reward in rewards])["train/reward"]
    assert math.isclose(found, math.fsum(rewards) / len(rewards), rel_tol=1e-9, abs_tol=1e-3)


def test_a_config_becomes_one_level_of_keys() -> None:
    config = {"env": {"id": "x", "kwargs": {}}, "run": {"steps": 3}, "sinks": [{"id": "y"}]}
    assert flat_config({"config": config}) == {
        "env.id": "x",
        "env.kwargs": {},
        "run.steps": 3,
        "sinks": [{"id": "y"}],
    }


def test_a_library_that_is_not_there_is_named_with_its_extra() -> None:
    with pytest.raises(
        ConfigError, match=r"builtin/tensorboard needs nothing_such.*skyfall-crl\[tensorboard\]"
    ):
        library("nothing_such", "tensorboard")
