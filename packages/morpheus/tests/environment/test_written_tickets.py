"""Tickets that agents wrote: an observation shows them the way the world reports them, in forks too."""

import json
from collections.abc import Callable
from typing import Any

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.taskview import ToolCallTaskView


def shown(observation: Any) -> dict[str, dict[str, Any]]:
    return {ticket["ticket_id"]: ticket for ticket in json.loads(observation["ticket_payload"])}


def test_what_an_agent_does_to_tickets_is_observed(make_world: Callable[..., MorpheusEnv]) -> None:
    env = make_world(task_view=ToolCallTaskView())
    observation, _ = env.reset(seed=3)
    while len(shown(observation)) < 4:
        observation, *_ = env.step(dict(env.task_view.no_action))
    closed, raised, gone = list(shown(observation))[:3]
    for method, path, body in (
        ("PATCH", f"tickets/{closed}/status", {"status": "closed"}),
        ("PUT", f"tickets/{raised}", {"priority": "critical", "title": "mine"}),
        ("DELETE", f"tickets/{gone}", None),
        ("POST", "tickets", {"title": "own", "description": "x", "requester": "me"}),
    ):
        action = {"method": method, "path": f"/{{worldId}}/{path}", "body": json.dumps(body) if body else ""}
        observation, _, _, _, info = env.step(action)
        assert info["outcome"].accepted
    seen = shown(observation)
    assert closed not in seen
    assert gone not in seen
    assert (seen[raised]["priority"], seen[raised]["title"]) == ("critical", "mine")
    assert [ticket["title"] for ticket in seen.values()].count("own") == 1
    assert observation["open_by_status"].sum() == len(seen)
    fork = env.fork()
    nothing = dict(env.task_view.no_action)
    theirs, ours = shown(fork.step(nothing)[0]), shown(env.step(nothing)[0])
    assert [(key, each["title"]) for key, each in theirs.items()] == [
        (key, each["title"]) for key, each in ours.items()
    ]
    fork.close()
