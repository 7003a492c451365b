"""A world is configured by value: ids, mappings and numbers, each wrong one an error that names itself."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from gymnasium import spaces

from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.reward_specs import PAPER, REWARD_SIGNALS
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.taskview import ResourceAllocation, SchedulingUnderDrift, ToolCallTaskView
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import ToolCall

MakeWorld = Callable[..., MorpheusEnv]


class Idle(TaskView):
    """A view of somebody else's: one action, which does nothing."""

    action_space = spaces.Discrete(1)
    no_action = 0

    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        return None


def test_the_defaults_are_a_discrete_embedded_world_that_pays(make_world: MakeWorld) -> None:
    env = make_world()
    assert isinstance(env.backend, SimulatedBackend)
    assert isinstance(env.task_view, SchedulingUnderDrift)
    assert env.reward_spec == PAPER
    assert env.max_steps == 100
    assert env.describe()["layout"] == "process-outbound"


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("tool-call", ToolCallTaskView),
        ("resource-allocation", ResourceAllocation),
        ("morpheus/scheduling-under-drift", SchedulingUnderDrift),
        ("skyfall_crl.env.morpheus.taskview:ToolCallTaskView", ToolCallTaskView),
    ],
)
def test_task_views_are_found_by_id(identifier: str, expected: type, make_world: MakeWorld) -> None:
    assert isinstance(make_world(task_view=identifier).task_view, expected)


def test_objects_are_taken_as_they_are(make_world: MakeWorld) -> None:
    view, backend = Idle(), SimulatedBackend()
    env = make_world(task_view=view, backend=backend, reward_spec=PAPER)
    assert env.task_view is view
    assert env.backend is backend
    env.reset(seed=1)
    observation, reward, *_ = env.step(0)
    assert env.observation_space.contains(observation)
    assert reward > 0


def test_a_reward_spec_may_be_written_inline(make_world: MakeWorld) -> None:
    spec = {"name": "units", "version": 2, "terms": [{"name": "throughput", "weight": 1}]}
    env = make_world(reward_spec=spec)
    assert env.reward_spec is not None
    assert json.loads(json.dumps(env.reward_spec.to_mapping())) == spec


def test_paper_weighs_what_the_layout_says() -> None:
    weights = tuple((term.name, term.weight) for term in PAPER.terms)
    assert weights == layout_named("process-outbound").reward
    assert tuple(name for name, _ in weights) == REWARD_SIGNALS


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"task_veiw": "tool-call"}, ["task_veiw", "did you mean 'task_view'"]),
        ({"colour": "red"}, ["colour", "unknown argument of morpheus/world", "max_steps"]),
        ({"task_view": "schedulling-under-drift"}, ["schedulling-under-drift"]),
        ({"task_view": 3}, ["task_view", "3"]),
        ({"backend": "telepathy"}, ["telepathy"]),
        ({"backend": {"id": "simulated"}}, ["backend", "MorpheusBackend"]),
        ({"backend_kwargs": {"base_url": "x"}}, ["backend_kwargs", "base_url"]),
        ({"reward_spec": "peper"}, ["peper"]),
        ({"reward_spec": {"name": "x"}}, ["reward_spec.version"]),
        (
            {"reward_spec": {"name": "x", "version": 1, "terms": [{"name": "profit", "weight": 1}]}},
            ["profit", "remediation"],
        ),
        ({"action_scope": {"domains": "erp"}}, ["action_scope.domains", "list"]),
        ({"action_scope": {"domains": ["od"]}}, ["od"]),
        ({"action_scope": {"paths": []}}, ["action_scope.paths"]),
        ({"max_steps": 0}, ["max_steps", "at least 1"]),
        ({"regime": 3}, ["regime"]),
        ({"regime": {"provider": "skyfall_crl.regime.provider:Nothing"}}, ["Nothing"]),
    ],
)
def test_a_mistake_is_a_config_error_that_names_it(settings: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        world(**settings)
    text = str(raised.value)
    assert raised.value.exit_code == 2
    assert "\n" not in text
    for word in words:
        assert word in text


def test_backend_arguments_belong_to_a_backend_that_is_named() -> None:
    with pytest.raises(ConfigError, match="backend_kwargs"):
        world(backend=SimulatedBackend(), backend_kwargs={})
