"""The general view: the agent writes the request itself."""

import json
import string
from typing import Any

import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.observation import ObservationProjector
from skyfall_crl.env.morpheus.taskview import ToolCallTaskView
from skyfall_crl.ports.tools import ToolCall

VIEW = ToolCallTaskView()


def test_every_text_of_an_action_may_be_empty_and_is_printable() -> None:
    assert isinstance(VIEW.action_space, spaces.Dict)
    for text in VIEW.action_space.values():
        assert isinstance(text, spaces.Text)
        assert text.min_length == 0
        assert set(text.character_set) == set(string.printable)


def test_no_action_is_an_action_and_calls_nothing() -> None:
    assert VIEW.action_space is not None
    assert VIEW.action_space.contains(VIEW.no_action)
    assert VIEW.to_tool_call(VIEW.no_action, world_id="w") is None


@pytest.mark.parametrize("body", ['{"a": 1}', {"a": 1}])
def test_a_body_may_be_text_or_an_object(body: Any) -> None:
    action = {"method": "PUT", "path": "/w/erp/x", "body": body}
    assert VIEW.to_tool_call(action, world_id="w") == ToolCall("PUT", "/w/erp/x", {"a": 1})


def test_an_empty_body_is_no_body() -> None:
    action = {"method": "GET", "path": "/w/erp/x", "body": "  "}
    assert VIEW.to_tool_call(action, world_id="w") == ToolCall("GET", "/w/erp/x")


def test_a_tool_call_is_an_action_as_it_is() -> None:
    call = ToolCall("GET", "/w/tickets")
    assert VIEW.to_tool_call(call, world_id="w") is call


@given(
    st.none()
    | st.integers()
    | st.text(max_size=5)
    | st.dictionaries(
        st.sampled_from(["method", "path", "body"]),
        st.none() | st.integers() | st.text(max_size=9),
        max_size=3,
    )
)
def test_no_action_raises(action: Any) -> None:
    call = VIEW.to_tool_call(action, world_id="w")
    assert call is None or isinstance(call, ToolCall)
    assert isinstance(VIEW.touched_tickets(action), tuple)


def test_an_action_parsed_from_text_is_in_the_space_and_means_the_same() -> None:
    text = 'ACTION: {"method": "PATCH", "path": "/{worldId}/tickets/t1/status", "body": {"status": "ö"}}'
    action = VIEW.parse_action(text)
    assert VIEW.action_space is not None
    assert VIEW.action_space.contains(action)
    expected = ToolCall("PATCH", "/{worldId}/tickets/t1/status", {"status": "ö"})
    assert VIEW.to_tool_call(action, world_id="w") == expected
    assert VIEW.touched_tickets(action) == ("t1",)
    assert VIEW.parse_action("I would rather not") is None


def test_tools_make_actions() -> None:
    arguments = {"method": "POST", "path": "/w/erp/orders", "body": {"lines": []}}
    action = VIEW.from_tool("call", arguments)
    assert VIEW.to_tool_call(action, world_id="w") == ToolCall("POST", "/w/erp/orders", {"lines": []})
    assert VIEW.from_tool("nothing", {}) == VIEW.no_action
    assert {tool.name for tool in VIEW.tools()} == {"call", "nothing"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("call", {}),
        ("call", {"method": "GET"}),
        ("call", {"method": "GET", "path": "/x", "body": [1]}),
        ("x", {}),
    ],
)
def test_a_tool_call_that_does_not_fit_is_none(name: str, arguments: dict[str, Any]) -> None:
    assert VIEW.from_tool(name, arguments) is None


def test_its_text_shows_the_tickets_and_what_did_not_fit() -> None:
    projector = ObservationProjector(payload_limit=120)
    observation = projector.project([{"_id": "t1", "priority": "high"}, {"_id": "t2"}, {"_id": "t3"}])
    text = VIEW.render(observation)
    assert '"ticket_id":"t1"' in text
    dropped = 3 - len(json.loads(observation["ticket_payload"]))
    assert dropped > 0
    assert f"({dropped} less urgent ones don't fit)" in text
    assert "ACTION:" in text


def test_what_the_world_answered_last_is_part_of_the_prompt_and_of_the_memory() -> None:
    view = ToolCallTaskView()
    observation = {"ticket_payload": "[]", "tickets_dropped": [0]}
    assert "answered" not in view.render(observation)
    view.notice(ToolCall("GET", "/w/ledger"), {"success": True, "data": {"cash": 1.5, "name": "\u00e9"}})
    assert '{"success": true, "data": {"cash": 1.5, "name": "\\u00e9"}}' in view.render(observation)
    other = ToolCallTaskView()
    other.remember(view.memory())
    assert other.render(observation) == view.render(observation)
    view.forget()
    assert "answered" not in view.render(observation)
