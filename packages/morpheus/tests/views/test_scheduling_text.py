"""The discrete view for agents that read and write: text, and tools."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("ACTION: nothing", 0),
        ("I think.\nACTION: look tender", 25),
        ("action: remedy inventory_status", 2),
        ("ACTION: remedy pick 2", 5),
        ("ACTION: remedy(collect, 3)", 21),
        ("ACTION: 28", 28),
        ("ACTION: nothing\nBetter:\nACTION: `look allocate`", 22),
        ("ACTION: 29", None),
        ("ACTION: 999999999999999999999", None),
        ("ACTION: look elsewhere", None),
        ("ACTION: remedy pick 4", None),
        ("ACTION: remedy pick 0", None),
        ("ACTION: remedy unheard_of", None),
        ("look tender", None),
        ("", None),
    ],
)
def test_actions_are_read_out_of_text(text: str, action: int | None) -> None:
    assert SchedulingUnderDrift().parse_action(text) == action


@given(
    st.text() | st.text(alphabet="ACTION: remdylok123pick,()", max_size=60).map(lambda text: f"ACTION:{text}")
)
def test_reading_text_never_raises_and_gives_actions_of_the_view(text: str) -> None:
    view = SchedulingUnderDrift()
    action = view.parse_action(text)
    assert action is None or view.action_space.contains(action)  # type: ignore[union-attr]


def test_every_action_can_be_named_by_a_tool() -> None:
    view = SchedulingUnderDrift()
    tools = {tool.name: tool.input_schema for tool in view.tools()}
    named = [view.from_tool("nothing", {})]
    named += [
        view.from_tool("remedy", {"remedy": name}) for name in tools["remedy"]["properties"]["remedy"]["enum"]
    ]
    named += [
        view.from_tool("look", {"queue": name}) for name in tools["look"]["properties"]["queue"]["enum"]
    ]
    assert named == list(range(29))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("mend", {}), ("look", {}), ("look", {"queue": ["pick"]}), ("remedy", {"remedy": 3})],
)
def test_a_tool_call_that_fits_nothing_is_none(name: str, arguments: dict[str, Any]) -> None:
    assert SchedulingUnderDrift().from_tool(name, arguments) is None


def test_text_says_what_the_features_say(ticket: Make, observe: Make) -> None:
    view = SchedulingUnderDrift()
    oldest = ticket(3, 7, opened_step=4, priority=2, value_cents=120, tried=0b010)
    view.known = {oldest.ticket_id: 2}
    observation = observe({3: [oldest, ticket(3, 8, 9)]}, failed=True)
    text = view.render(observation)
    assert text == view.render(view.encode(observation))
    assert "tender (carrier refused): 2 open, worth 2.20" in text
    assert "6 of 96 steps, priority high, tried carrier_status, cause rate stale" in text
    assert "pick (bin empty): empty" in text
    assert "did not mend" in text
    assert "ACTION: look QUEUE" in text
