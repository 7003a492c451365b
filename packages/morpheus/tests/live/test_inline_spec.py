"""A world may carry the spec that scores it; one that is given goes before it."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.ports.errors import EnvironmentFailure

MakeLive = Callable[..., MorpheusEnv]
NOTHING = {"method": "", "path": "", "body": ""}
OWN = {"name": "own", "version": 3, "terms": [{"name": "throughput", "weight": 1}]}


def test_a_worlds_own_spec_scores_it_once_there_is_a_world(deployment: Any, make_live: MakeLive) -> None:
    deployment.spec = OWN
    env = make_live()
    assert env.reward_spec is None
    env.reset()
    assert env.reward_spec is not None
    assert env.reward_spec.to_mapping() == OWN
    assert "reward_weights" in env.regime_axes
    assert env.step(NOTHING)[4]["reward_terms"] == {"throughput": 0.0}


def test_a_guest_is_scored_by_the_spec_of_the_world_it_visits(deployment: Any, make_live: MakeLive) -> None:
    deployment.spec = OWN
    env = make_live(world_id="of-somebody-else")
    env.reset()
    assert env.reward_spec is not None
    assert "create" not in deployment.calls


def test_a_spec_that_was_given_goes_before_it(deployment: Any, make_live: MakeLive) -> None:
    deployment.spec = OWN
    env = make_live(reward_spec=PAPER)
    env.reset()
    assert env.reward_spec == PAPER
    assert "reward_config" not in deployment.calls


def test_a_world_without_one_is_not_scored(deployment: Any, make_live: MakeLive) -> None:
    env = make_live()
    env.reset()
    _, reward, _, _, info = env.step(NOTHING)
    assert (env.reward_spec, reward) == (None, 0.0)
    assert "reward_terms" not in info


def test_a_new_world_brings_its_own_spec(deployment: Any, make_live: MakeLive) -> None:
    deployment.spec = OWN
    env = make_live()
    env.reset()
    deployment.spec = None
    env.reset(options={"reprovision": True})
    assert env.reward_spec is None


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"name": "x"}, ["version"]),
        ({"name": "x", "version": 1, "terms": [{"name": "profit", "weight": 1}]}, ["profit", "remediation"]),
        ({"name": "x", "version": 1, "terms": [{"name": "financial", "weight": -1}]}, ["weight"]),
        (
            {"name": "x", "version": 1, "terms": [{"name": "financial", "weight": 1, "params": {"leak": 1}}]},
            ["params.leak"],
        ),
        ([1], ["mapping"]),
    ],
)
def test_a_spec_that_makes_no_sense_stops_the_run_before_the_first_step(
    spec: Any, words: list[str], deployment: Any, make_live: MakeLive
) -> None:
    deployment.spec = spec
    env = make_live()
    with pytest.raises(EnvironmentFailure) as raised:
        env.reset()
    text = str(raised.value)
    assert "reward config of world 65f0c0ffee65f0c0ffee65f0" in text
    assert "\n" not in text
    assert all(word in text for word in words)


def test_a_spec_that_can_not_be_read_stops_the_run_too(deployment: Any, make_live: MakeLive) -> None:
    deployment.broken["reward_config"] = BackendError("no answer")
    with pytest.raises(EnvironmentFailure, match="no answer"):
        make_live().reset()
