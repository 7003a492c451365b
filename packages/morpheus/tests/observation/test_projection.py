"""The observation keeps one shape, whatever the world reports."""

import json
import random
import string
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.observation import PRIORITIES, ObservationProjector
from skyfall_crl.ports.tools import ActionOutcome


def payload(number: int, priority: str = "low", **more: Any) -> dict[str, Any]:
    return {"_id": f"t{number}", "priority": priority, "createdAt": f"2026-01-{number:02d}", **more}


def shown(observation: dict[str, Any]) -> list[str]:
    return [ticket["ticket_id"] for ticket in json.loads(observation["ticket_payload"])]


def test_every_text_may_be_empty_and_holds_printable_characters_only() -> None:
    text = ObservationProjector().space["ticket_payload"]
    assert isinstance(text, spaces.Text)
    assert text.min_length == 0
    assert set(text.character_set) == set(string.printable)


def test_the_most_urgent_tickets_come_first_and_the_oldest_first_among_them() -> None:
    tickets = [payload(1), payload(4, "high"), payload(3, "critical"), payload(2, "high")]
    assert shown(ObservationProjector().project(tickets)) == ["t3", "t2", "t4", "t1"]


def test_whole_tickets_are_dropped_from_the_least_urgent_end_and_counted() -> None:
    tickets = [payload(n, PRIORITIES[n % 4], title="x" * 100) for n in range(1, 21)]
    everything = ObservationProjector().project(tickets)
    cut = ObservationProjector(payload_limit=1500).project(tickets)
    assert len(cut["ticket_payload"]) <= 1500
    kept = shown(cut)
    assert 0 < len(kept) < 20
    assert kept == shown(everything)[: len(kept)]
    assert cut["tickets_dropped"].tolist() == [20 - len(kept)]
    assert cut["open_by_priority"].tolist() == [5, 5, 5, 5]


def test_a_ticket_too_long_by_itself_does_not_hide_the_others() -> None:
    tickets = [payload(1, "critical", title="x" * 3000), payload(2), payload(3)]
    observation = ObservationProjector(payload_limit=2000).project(tickets)
    assert shown(observation) == ["t2", "t3"]
    assert observation["tickets_dropped"].tolist() == [1]


def test_counts_go_by_priority_and_status_and_leave_closed_tickets_out() -> None:
    tickets = [
        payload(1, "high", status="new"),
        payload(2, "high", status="on_hold"),
        payload(3, status="resolved"),
    ]
    observation = ObservationProjector().project(tickets)
    assert observation["open_by_priority"].tolist() == [0, 0, 2, 0]
    assert observation["open_by_status"].tolist() == [1, 0, 0, 1]
    assert shown(observation) == ["t1", "t2"]


def test_the_payload_is_ascii_whatever_the_ticket_says() -> None:
    observation = ObservationProjector().project([payload(1, title="Zürich \u2603 \x7f \ud800 \t")])
    assert observation["ticket_payload"].isascii()
    assert json.loads(observation["ticket_payload"])[0]["title"] == "Zürich \u2603 \x7f \ud800 \t"
    assert ObservationProjector().space.contains(observation)


def test_the_last_outcome_is_zero_before_anything_was_done() -> None:
    observation = ObservationProjector().project([])
    assert not observation["last_outcome"].any()
    assert not observation["verification"].any()
    assert not observation["economics"].any()
    assert observation["ticket_payload"] == "[]"


def test_the_last_outcome_and_what_was_verified_are_told() -> None:
    outcome = ActionOutcome(True, sent=True, tickets=("a", "b"), verified=("b",))
    observation = ObservationProjector().project([], outcome=outcome, world_time=90)
    assert observation["last_outcome"].tolist() == [1, 1, 1, 0]
    assert observation["verification"].tolist() == [2, 1]
    assert observation["world_minutes"].tolist() == [90]


anything = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["_id", "priority", "status", "title", "data", "items", "contextSnapshots", "createdAt"]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@given(st.lists(anything, max_size=3))
def test_every_response_projects_into_the_space(responses: list[Any]) -> None:
    projector = ObservationProjector(payload_limit=300)
    for response in responses:
        assert projector.space.contains(projector.project(response))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_board_and_the_tickets_give_the_same_observation(
    make_world: Callable[..., MorpheusEnv], seed: int
) -> None:
    env = make_world(task_view="scheduling-under-drift")
    env.reset(seed=seed)
    by_board, by_tickets = ObservationProjector(), ObservationProjector()
    generator = random.Random(seed)
    for _ in range(200):
        env.step(generator.randrange(29))
        reading = env.open_world()
        ours = by_board.observe(reading)
        theirs = by_tickets.project(
            reading.response, outcome=reading.outcome, failed=reading.failed, world_time=reading.world_time
        )
        assert ours.keys() == theirs.keys()
        for name, value in ours.items():
            assert np.array_equal(value, theirs[name]), name


def test_what_the_agent_writes_to_a_ticket_is_read_again(make_world: Callable[..., MorpheusEnv]) -> None:
    env = make_world(task_view="tool-call")
    env.reset(seed=3)
    nothing = env.task_view.no_action
    for _ in range(20):
        env.step(nothing)
    ticket_id = json.loads(env.step(nothing)[0]["ticket_payload"])[0]["ticket_id"]
    action = {"method": "PUT", "path": f"/{env.world_id}/tickets/{ticket_id}", "body": '{"title": "mine"}'}
    for observation in (env.step(action)[0], env.step(nothing)[0]):
        titles = {each["ticket_id"]: each["title"] for each in json.loads(observation["ticket_payload"])}
        assert titles[ticket_id] == "mine"
        theirs = ObservationProjector().project(env.reading.response)
        assert observation["ticket_payload"] == theirs["ticket_payload"]
