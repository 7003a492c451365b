"""The view `tool-call`: the whole surface of a world, one domain operation a step."""

import json
import string
from collections.abc import Mapping, Sequence
from typing import Any, cast

from gymnasium import spaces

from skyfall_crl.env.morpheus.action import ALLOWED_METHODS
from skyfall_crl.env.morpheus.action_text import extract_ticket_ids, parse_body, parse_tool_call
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import Tool, ToolCall

MAX_METHOD, MAX_PATH, MAX_BODY = 16, 2048, 16_384
MAX_ANSWER = 8192
"""How much of the last answer `render` shows, in characters."""


class ToolCallTaskView(TaskView):
    """Dict(method, path, body), all text: the agent writes the request, `body` as a JSON object or empty.

    `{worldId}` in a path stands for the world. An action without method and path does nothing; one that is
    not well-formed is refused by the scope. Besides such a mapping it takes a `ToolCall`. What the world answered
    to the last call is shown by `render`, and is `last_answer` as JSON text.
    """

    def __init__(self) -> None:
        self.action_space = tool_call_space()
        self.no_action = {"method": "", "path": "", "body": ""}
        self._answer: Mapping[str, Any] | str = ""

    @property
    def last_answer(self) -> str:
        """What the world answered to the last call, as JSON text in ASCII, cut to `MAX_ANSWER` characters."""
        if not isinstance(self._answer, str):
            try:
                self._answer = json.dumps(dict(self._answer))[:MAX_ANSWER]
            except (TypeError, ValueError, RecursionError):
                self._answer = ""
        return self._answer

    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        """Return the call an action spells, as it is, or None when it spells none."""
        if isinstance(action, ToolCall):
            return action
        if not isinstance(action, Mapping):
            return None if action is None else ToolCall("", "")
        method, path, body = action.get("method") or "", action.get("path") or "", action.get("body")
        if not method and not path:
            return None
        if isinstance(body, str):
            try:
                body = parse_body(body)
            except ValueError:
                # Handed on as it is: the scope refuses what is no object, and says so.
                return ToolCall(str(method), str(path), cast("Mapping[str, Any]", body))
        return ToolCall(str(method), str(path), body)

    def parse_action(self, text: str) -> dict[str, str] | None:
        """Return the action in a policy's text, in the forms of `parse_tool_call`, or None."""
        call = parse_tool_call(text)
        return None if call is None else _action(call)

    def notice(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Keep what the world answered."""
        self._answer = answer

    def memory(self) -> Mapping[str, Any]:
        """Return the last answer."""
        return {"last_answer": self.last_answer}

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` returned."""
        self._answer = str(memory["last_answer"])

    def forget(self) -> None:
        """Drop the last answer, for a new world."""
        self._answer = ""

    def touched_tickets(self, action: Any, *, observation: Mapping[str, Any] | None = None) -> Sequence[str]:
        """Return the tickets the call names."""
        call = self.to_tool_call(action, world_id="", observation=observation)
        return () if call is None else extract_ticket_ids(call)

    def render(self, observation: Mapping[str, Any]) -> str:
        """Return the open tickets and how to answer, as prompt text."""
        dropped = int(observation["tickets_dropped"][0])
        more = f" ({dropped} less urgent ones don't fit)" if dropped else ""
        answered = f"The last call was answered:\n{self.last_answer}\n" if self.last_answer else ""
        return (
            f"Open incident tickets, most urgent first{more}:\n{observation['ticket_payload']}\n"
            f"{answered}Answer with one domain operation, for example\n"
            'ACTION: {"method": "PUT", "path": "/{worldId}/erp/orders/ORDER_1", "body": {"notes": "checked"}}'
        )

    def tools(self) -> Sequence[Tool]:
        """Return the tools `call` and `nothing`."""
        properties = {
            "method": {"type": "string", "enum": list(ALLOWED_METHODS)},
            "path": {"type": "string", "description": "a path such as /{worldId}/erp/orders"},
            "body": {"type": "object", "description": "the JSON object to send, where one is needed"},
        }
        schema = {"type": "object", "properties": properties, "required": ["method", "path"]}
        return (
            Tool("call", "Run one domain operation in the world. Takes one step.", schema),
            Tool("nothing", "Let one step pass.", {"type": "object", "properties": {}}),
        )

    def from_tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, str] | None:
        """Return the action a tool call stands for, or None."""
        if name == "nothing":
            return dict(self.no_action)
        method, path, body = arguments.get("method"), arguments.get("path"), arguments.get("body")
        if name != "call" or not isinstance(method, str) or not isinstance(path, str):
            return None
        if isinstance(body, str):
            return {"method": method, "path": path, "body": body}
        if body is not None and not isinstance(body, Mapping):
            return None
        return _action(ToolCall(method, path, body))


def tool_call_space() -> spaces.Dict:
    """Return the space of requests as text: any string may be empty."""
    return spaces.Dict({"method": _text(MAX_METHOD), "path": _text(MAX_PATH), "body": _text(MAX_BODY)})


def _action(call: ToolCall) -> dict[str, str]:
    body = "" if call.body is None else json.dumps(dict(call.body), ensure_ascii=True)
    return {"method": call.method, "path": call.path, "body": body}


def _text(length: int) -> spaces.Text:
    return spaces.Text(length, min_length=0, charset=string.printable)
