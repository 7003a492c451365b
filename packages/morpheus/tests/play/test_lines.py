"""Lines a player types: every text is a command or a reason why not."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.command_line.play_lines import Line, LineError, parse_line

pytestmark = pytest.mark.floor


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", Line("wait", 1)),
        ("  \n", Line("wait", 1)),
        ("wait", Line("wait", 1)),
        ("WAIT 12", Line("wait", 12)),
        ("19", Line("show", 19)),
        ("#19", Line("show", 19)),
        ("show 19", Line("show", 19)),
        ("19 2", Line("fix", 19, "2")),
        ("19 crew", Line("fix", 19, "crew")),
        ("look 19", Line("look", 19)),
        ("read erp/orders/ORDER_1", Line("call", text="/{worldId}/erp/orders/ORDER_1", method="GET")),
        ("read /{worldId}/tickets", Line("call", text="/{worldId}/tickets", method="GET")),
        ("act post /a/b", Line("call", text="/a/b", method="POST")),
        ('act PUT /a/b {"c": [1, 2]}', Line("call", text="/a/b", method="PUT", body={"c": [1, 2]})),
        ("operations TMS", Line("operations", text="tms")),
        ("operations", Line("operations")),
        ("operations tms dock", Line("operations", text="tms", word="dock")),
        ("list", Line("list")),
        ("?", Line("help")),
        ("q", Line("quit")),
        ("exit", Line("quit")),
    ],
)
def test_a_line_is_read_as_its_command(text: str, line: Line) -> None:
    assert parse_line(text) == line


@pytest.mark.parametrize(
    "text",
    ["look", "look x", "19 a b", "wait -1", "act PUT", "act PUT /a [1]", "read", "fix it", "1" * 30, "٣ 1"],
)
def test_a_line_that_is_no_command_says_what_was_expected(text: str) -> None:
    with pytest.raises(LineError, match="expected"):
        parse_line(text)


@given(st.text(max_size=40) | st.text('0123456789 lokwaitc{}"/', max_size=30))
def test_any_text_is_a_command_or_a_reason_why_not(text: str) -> None:
    with suppress(LineError):
        line = parse_line(text)
        assert line.verb in ("show", "look", "fix", "wait", "call", "operations", "list", "help", "quit")
