"""Tool calls are recovered from what policies write, and never by raising."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.action import ToolCall, extract_ticket_ids, parse_tool_call

CALL = ToolCall("PUT", "/{worldId}/erp/orders/O_1", {"status": "ACKED"})
JSON = '{"method": "put", "path": "/{worldId}/erp/orders/O_1", "body": {"status": "ACKED"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"ACTION: {JSON}",
        f"I looked at it. {{not json}}\naction:\n```json\n{JSON}\n```\nDone.",
        f'ACTION: {{"path": "/a"}}\nNo, better:\nACTION: {JSON}',
        f'Reasoning with {{braces}} and {{"x": 1}} first.\n{JSON}',
        f'ACTION: {{"tool_call": {JSON}}}',
        'ACTION: PUT /{worldId}/erp/orders/O_1 {"status": "ACKED"}',
        'ACTION: `put /{worldId}/erp/orders/O_1`\n{"status": "ACKED"}',
        'ACTION:\nmethod: PUT\npath: /{worldId}/erp/orders/O_1\nbody: {"status": "ACKED"}',
        'ACTION: {"method": "PUT", "path": "/{worldId}/erp/orders/O_1", "body": "{\\"status\\": \\"ACKED\\"}"}',
        '{"verb": "PUT", "url": "/{worldId}/erp/orders/O_1", "json": {"status": "ACKED"}}',
    ],
)
def test_the_forms_that_models_write_are_understood(text: str) -> None:
    assert parse_tool_call(text) == CALL


def test_a_missing_method_means_get() -> None:
    assert parse_tool_call('ACTION: {"path": "/w/tickets"}') == ToolCall("GET", "/w/tickets")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing to do",
        "ACTION: wait",
        '{"method": "GET"}',
        'ACTION: {"path": "/x", "body": "not json"}',
        'ACTION: {"path": "/x", "body": [1]}',
        'ACTION: {"path": "/x", "body": {"a": NaN}}',
        'ACTION: {"path": 3}',
        "{" * 100_000,
        '{"a":' * 100_000,
        "ACTION: " + "[" * 100_000,
    ],
)
def test_what_is_no_call_is_none(text: str) -> None:
    assert parse_tool_call(text) is None


@given(st.text() | st.text(alphabet='ACTION: {}[]"\\,/puthbody\n', max_size=200))
def test_parsing_never_raises(text: str) -> None:
    call = parse_tool_call(text)
    assert call is None or call.method == call.method.upper()


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(["GET", "POST", "PATCH"]),
    st.from_regex(r"/[A-Za-z0-9_{}/-]{1,30}", fullmatch=True),
    st.none() | st.dictionaries(st.text(max_size=5), plain, max_size=4),
    st.text(alphabet="abc .,\n", max_size=30),
)
def test_a_call_written_as_json_comes_back(
    method: str, path: str, body: dict[str, Any] | None, before: str
) -> None:
    text = f"{before}ACTION: {json.dumps({'method': method, 'path': path, 'body': body})}"
    assert parse_tool_call(text) == ToolCall(method, path, body)


def test_ticket_ids_come_from_path_and_body_once_and_in_order() -> None:
    body = {"ticketId": "b", "ticket_ids": ["c", "a", 3], "metadata": {"ticketId": "d"}}
    assert extract_ticket_ids(ToolCall("PATCH", "/w/tickets/a/status?x=1", body)) == ("a", "b", "c", "d")


@given(plain)
def test_extracting_ticket_ids_never_raises(action: Any) -> None:
    assert isinstance(extract_ticket_ids(action), tuple)
