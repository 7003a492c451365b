"""An agent that knows no more than the mesh and what tickets and answers say, working through the tool-call view."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.simulation import layout_named, layout_names
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift, ToolCallTaskView

REPAIR = re.compile(
    r"Repairs '(?P<title>[^']+)' at (?P<stage>\w+), where (?P<clue>\w+) of the \w+ equals (?P<figure>\w+) of the \w+: "
    r"(?P<method>[A-Z]+) (?P<path>\S+?)(?: with body (?P<body>\{.*\}))?; \{number\} is that of the order"
)
STEPS = 450


class Agent:
    """Looks at the oldest ticket of the stage with the most urgent one, then sends what the mesh says repairs it."""

    def __init__(self, mesh: Mapping[str, Any]) -> None:
        self.stage = ""
        self.repair: re.Match[str] | None = None
        self.repairs: dict[str, list[re.Match[str]]] = {}
        for endpoint in mesh["endpoints"]:
            for repair in REPAIR.finditer(endpoint["formatted"]):
                self.repairs.setdefault(repair["stage"], []).append(repair)

    def cycle(self, observation: Mapping[str, Any], view: ToolCallTaskView) -> Iterator[dict[str, str]]:
        """Yield the actions that one ticket takes; None of them where there is no ticket."""
        oldest = self._chosen(json.loads(observation["ticket_payload"]))
        self.repair = None
        if oldest is None:
            yield dict(view.no_action)
            return
        self.stage = stage = oldest["failed_step"]
        figures: dict[str, Any] = {}
        for linked in oldest["evidence"]:
            yield {"method": "GET", "path": linked["path"], "body": ""}
            data = json.loads(view.last_answer).get("data", {})
            figures.update(data.get("shipment", data).get("customFields", {}))
        for repair in self.repairs[stage]:
            if figures.get(repair["clue"]) is not None and figures[repair["clue"]] == figures.get(
                repair["figure"]
            ):
                number = oldest["title"].rpartition("_")[2]
                self.repair = repair
                yield {
                    "method": repair["method"],
                    "path": repair["path"].replace("{number}", number),
                    "body": (repair["body"] or "").replace("{number}", number),
                }
                return
        yield dict(view.no_action)

    def _chosen(self, tickets: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the oldest ticket of the first stage in which only one is the oldest."""
        for stage in dict.fromkeys(ticket["failed_step"] for ticket in tickets):
            queue = sorted(
                (ticket for ticket in tickets if ticket["failed_step"] == stage),
                key=lambda ticket: ticket["created_at"],
            )
            if len(queue) == 1 or queue[0]["created_at"] < queue[1]["created_at"]:
                return queue[0]
        return None


def even(env: MorpheusEnv) -> None:
    """Make every cause equally likely, and faults so rare that none is given up while it is looked at."""
    symptoms = len(layout_named(env.layout).symptoms)
    mix = [[1 / 3] * 3] * symptoms
    env.backend.set_chaos(
        env.lease.world_id, {"simulation": {"axes": {"cause_mix": mix, "fault_probability": 0.06}}}
    )


def worked(env: MorpheusEnv) -> tuple[list[tuple[int, float]], dict[tuple[str, str], int]]:
    """Return discrete actions that decide as the agent did, with the rewards it got, and what it repaired."""
    view = env.task_view
    assert isinstance(view, ToolCallTaskView)
    observation, _ = env.reset(seed=7)
    even(env)
    agent = Agent(env.backend.get_action_space(env.lease.world_id))
    layout = layout_named(env.layout)
    stages = [symptom.stage for symptom in layout.symptoms]
    taken: list[tuple[int, float]] = []
    repaired: dict[tuple[str, str], int] = {}
    while len(taken) < STEPS:
        before = len(taken)
        for action in agent.cycle(observation, view):
            observation, reward, _, _, info = env.step(action)
            assert info["outcome"].accepted, (action, info["outcome"], view.last_answer)
            position = len(taken) - before
            queue = stages.index(agent.stage) if action["method"] else 0
            choice = 0
            if action["method"] == "GET":
                choice = 1 + 3 * len(stages) + queue if position == 0 else 0
            elif agent.repair is not None and action["method"]:
                candidates = layout.symptoms[queue].candidates
                choice = 1 + 3 * queue + candidates.index(agent.repair["figure"])
                if env.reading.remedied:
                    key = (agent.stage, agent.repair["figure"])
                    repaired[key] = repaired.get(key, 0) + 1
            taken.append((choice, reward))
    return taken, repaired


@pytest.mark.parametrize("layout", layout_names())
def test_it_repairs_and_its_rewards_are_those_of_the_discrete_view_for_the_same_decisions(
    make_world: Callable[..., MorpheusEnv], layout: str
) -> None:
    taken, repaired = worked(make_world(layout=layout, task_view=ToolCallTaskView(), reward_spec=PAPER))
    symptoms = layout_named(layout).symptoms
    assert sum(repaired.values()) > STEPS / 10
    assert {stage for stage, _ in repaired} == {symptom.stage for symptom in symptoms}
    env = make_world(layout=layout, task_view=SchedulingUnderDrift(layout), reward_spec=PAPER)
    env.reset(seed=7)
    even(env)
    assert [env.step(choice)[1] for choice, _ in taken] == [reward for _, reward in taken]


def test_it_repairs_faults_of_every_kind(make_world: Callable[..., MorpheusEnv]) -> None:
    found: dict[tuple[str, str], int] = {}
    env = make_world(task_view=ToolCallTaskView(), reward_spec=PAPER)
    _, repaired = worked(env)
    found.update(repaired)
    layout = layout_named(env.layout)
    assert found.keys() == {(each.stage, figure) for each in layout.symptoms for figure in each.candidates}
