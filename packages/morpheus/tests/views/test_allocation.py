"""The allocation view chooses queues, and a fixed rule the remedy."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.taskview import ResourceAllocation

LAYOUT = layout_named("process-outbound")
WORLD = "65f0c0ffee65f0c0ffee65f0"

Make = Callable[..., Any]


@pytest.mark.parametrize("queue", range(7))
@pytest.mark.parametrize(
    ("tried", "remedy"), [(0b000, 0), (0b001, 1), (0b011, 2), (0b101, 1), (0b010, 0), (0b111, 0)]
)
def test_the_first_remedy_not_yet_tried_is_applied_to_the_oldest_ticket(
    queue: int, tried: int, remedy: int, ticket: Make, observe: Make
) -> None:
    oldest = ticket(queue, 5, tried=tried)
    observation = observe({queue: [oldest, ticket(queue, 6)]})
    view = ResourceAllocation()
    call = view.to_tool_call(1 + queue, world_id=WORLD, observation=observation)
    assert call == LAYOUT.remedy_call(queue, remedy, oldest.ticket_id).resolved(WORLD)
    assert list(view.touched_tickets(1 + queue, observation=observation)) == [oldest.ticket_id]


@pytest.mark.parametrize("action", [*range(8), -1, 8, None, "x", 1.5e300, float("nan")])
def test_an_action_without_a_ticket_does_nothing(action: Any, observe: Make) -> None:
    view = ResourceAllocation()
    assert view.to_tool_call(action, world_id=WORLD, observation=observe({})) is None
    assert view.touched_tickets(action, observation=observe({})) == ()


def test_its_observation_is_that_of_scheduling(ticket: Make, observe: Make) -> None:
    view = ResourceAllocation()
    features = view.encode(observe({4: [ticket(4, 1)]}))
    assert features.shape == (81,)
    assert view.observation_space.contains(features)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("ACTION: nothing", 0),
        ("ACTION: work deliver", 5),
        ("ACTION: deliver", 5),
        ("ACTION: 7", 7),
        ("ACTION: 8", None),
        ("ACTION: work", None),
        ("ACTION: work nowhere", None),
        ("deliver", None),
    ],
)
def test_actions_are_read_out_of_text(text: str, action: int | None) -> None:
    assert ResourceAllocation().parse_action(text) == action


@given(st.text(alphabet="ACTION: workpic019", max_size=40))
def test_reading_text_never_raises(text: str) -> None:
    view = ResourceAllocation()
    action = view.parse_action(text)
    assert action is None or view.action_space.contains(action)  # type: ignore[union-attr]


def test_every_action_can_be_named_by_a_tool() -> None:
    view = ResourceAllocation()
    queues = next(tool for tool in view.tools() if tool.name == "work").input_schema["properties"]["queue"][
        "enum"
    ]
    assert [
        view.from_tool("nothing", {}),
        *(view.from_tool("work", {"queue": name}) for name in queues),
    ] == list(range(8))


def test_its_text_offers_its_own_actions(observe: Make) -> None:
    text = ResourceAllocation().render(observe({}))
    assert "ACTION: work QUEUE" in text
    assert "look" not in text.lower().replace("looking", "")
