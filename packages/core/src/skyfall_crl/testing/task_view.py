"""Does a task view map every action, survive every text, and say what it offers in forms others can read."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import Tool, ToolCall
from skyfall_crl.testing.bound_policy import drawn
from skyfall_crl.testing.comparison import difference
from skyfall_crl.testing.step_result import check_contained, check_mask
from skyfall_crl.testing.verdict import broken, plain_mapping, shown, surviving, typed

ViewSource: TypeAlias = "TaskView | Callable[[], TaskView]"

WORLD = "conformance-world"
METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
TEXTS = (
    "",
    " ",
    "no idea",
    "{",
    "[]",
    "null",
    '{"a": 1',
    "ACTION:",
    "ACTION: {}",
    "\x00\ud800",
    "9" * 5000,
    "-1",
)
"""Texts without an action, such as policies write."""


def check_task_view(
    source: ViewSource, *, observations: Sequence[Mapping[str, Any]] = (), actions: int = 20
) -> None:
    """Check a view, or what a factory without arguments builds; raises `ConformanceError`.

    `observations` are some the environment hands its view; without them nothing is encoded, masked or rendered,
    and only `no_action` is mapped. That an environment has the view's spaces is for `check_environment` to say.
    """
    view = _built(source)
    check_spaces(view)
    check_parsing(view)
    check_tools(view)
    check_call(view, view.no_action, None)
    for number, observation in enumerate(observations):
        check_reading(view, observation, f"observation {number}")
        for action in () if view.action_space is None else drawn(view.action_space, actions):
            check_call(view, action, observation)
    check_memory(view)


def check_spaces(view: TaskView) -> None:
    """Check both spaces, and that doing nothing is an action."""
    for name in ("action_space", "observation_space"):
        space = getattr(view, name)
        if space is not None and not isinstance(space, spaces.Space):
            cause = "None stands for the environment's own"
            raise broken(name, rule="expected a Gymnasium space or None", found=typed(space), cause=cause)
    if view.action_space is not None and not view.action_space.contains(view.no_action):
        rule, cause = f"expected an action of {shown(view.action_space)}", "set it beside the space"
        raise broken("no_action", rule=rule, found=typed(view.no_action), cause=cause)


def check_parsing(view: TaskView) -> None:
    """Check that no text makes `parse_action` fail, and that what it finds is an action."""
    for text in TEXTS:
        where = f"parse_action({shown(text)})"
        with surviving(where, rule="expected an action or None", cause="return None for what is no answer"):
            action = view.parse_action(text)
        _check_action(view, action, where)


def check_tools(view: TaskView) -> None:
    """Check the tools on offer, and that a call which fits none of them is None."""
    tools: Any = view.tools()
    if not isinstance(tools, Sequence) or not all(isinstance(tool, Tool) for tool in tools):
        cause = "return (Tool(name, description, input_schema), ...)"
        raise broken("tools", rule="expected a sequence of Tools", found=typed(tools), cause=cause)
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names) or not all(tool.name and tool.description for tool in tools):
        rule, cause = (
            "expected different names, each with a description",
            "agents choose by name and description",
        )
        raise broken("tools", rule=rule, found=", ".join(names), cause=cause)
    for tool in tools:
        schema = plain_mapping(f"tool {tool.name!r}, input_schema", tool.input_schema)
        if schema.get("type") != "object":
            cause = 'write {"type": "object", "properties": {...}}, also where there are none'
            found = shown(schema)
            raise broken(
                f"tool {tool.name!r}", rule="expected a JSON Schema object", found=found, cause=cause
            )
    calls: list[tuple[str, dict[str, Any]]] = [("no such tool", {})]
    calls += [(name, arguments) for name in names for arguments in ({}, {"unexpected": [None]})]
    for name, arguments in calls:
        where = f"from_tool({name!r}, {arguments})"
        with surviving(where, rule="expected an action or None", cause="return None for what doesn't fit"):
            action = view.from_tool(name, arguments)
        if name not in names and action is not None:
            cause = "compare the whole name"
            raise broken(where, rule="expected None for an unknown tool", found=typed(action), cause=cause)
        _check_action(view, action, where)


def _check_action(view: TaskView, action: Any, where: str) -> None:
    if action is not None and view.action_space is not None and not view.action_space.contains(action):
        rule, cause = (
            f"expected an action of {shown(view.action_space)}, or None",
            "check ranges before you return",
        )
        raise broken(where, rule=rule, found=typed(action), cause=cause)


def check_call(view: TaskView, action: Any, observation: Mapping[str, Any] | None) -> None:
    """Check what an action is mapped to, and which tickets it claims."""
    where = f"to_tool_call({shown(action)})"
    cause = "None stands for no single operation; refuse in the scope, not by an exception"
    with surviving(where, rule="expected a ToolCall or None", cause=cause):
        tickets: Any = view.touched_tickets(action, observation=observation)
        call: Any = view.to_tool_call(action, world_id=WORLD, observation=observation)
    if isinstance(tickets, str) or not all(isinstance(ticket, str) for ticket in tickets):
        rule, cause = "expected ticket ids", "write (ticket_id,), with the comma"
        raise broken(f"touched_tickets({shown(action)})", rule=rule, found=typed(tickets), cause=cause)
    if call is None:
        return
    if not isinstance(call, ToolCall):
        raise broken(
            where, rule="expected a ToolCall or None", found=typed(call), cause="return ToolCall(...)"
        )
    if isinstance(view.action_space, spaces.Discrete):
        _check_request(where, call)


def _check_request(where: str, call: Any) -> None:
    """Check a request that the view itself has put together."""
    if call.method not in METHODS or not isinstance(call.path, str) or not call.path.startswith("/"):
        rule, cause = (
            f"expected one of {', '.join(METHODS)} and a path from /",
            "paths are relative to the server",
        )
        raise broken(where, rule=rule, found=shown(call), cause=cause)
    if call.body is not None:
        plain_mapping(f"{where}, body", call.body)


def check_reading(view: TaskView, observation: Mapping[str, Any], where: str) -> None:
    """Check features, mask and prompt text of one observation."""
    with surviving(
        where, rule="expected encode, mask and render to return", cause="keys may be None or empty"
    ):
        encoded, again = view.encode(observation), view.encode(observation)
        mask = view.mask(observation)
        text: Any = view.render(observation)
    if (encoded is None) != (view.observation_space is None):
        rule, cause = "expected encode to fill observation_space, and neither without the other", "set both"
        raise broken(f"{where}, encode", rule=rule, found=typed(encoded), cause=cause)
    if encoded is not None and view.observation_space is not None:
        check_contained(view.observation_space, encoded, f"{where}, encode")
        if (found := difference(encoded, again)) is not None:
            cause = "encode reads; what it should remember comes in by notice"
            raise broken(f"{where}, encode", rule="expected equal features twice", found=found, cause=cause)
        if encoded is again:
            rule, cause = "expected a new array each time", "windows keep observations; return a copy"
            raise broken(f"{where}, encode", rule=rule, found="the same object", cause=cause)
    if mask is not None:
        check_mask(view.action_space, f"{where}, mask", mask)
        if not np.asarray(mask)[_index(view)]:
            cause = "an answer that can't be parsed becomes no_action at any time"
            raise broken(
                f"{where}, mask", rule="expected no_action to be allowed", found="False", cause=cause
            )
    if not isinstance(text, str) or not text.strip():
        cause = "it is the prompt of a language policy"
        raise broken(f"{where}, render", rule="expected text", found=typed(text), cause=cause)


def _index(view: TaskView) -> int:
    assert isinstance(view.action_space, spaces.Discrete)
    return int(view.no_action) - int(view.action_space.start)


def check_memory(view: TaskView) -> None:
    """Check that what a view remembers survives JSON and can be taken back, and that `forget` drops it."""
    memory = view.memory()
    if memory is None:
        return
    kept = plain_mapping("memory()", memory)
    stored = json.dumps(kept)
    view.forget()
    empty = _copy(view.memory())
    cause = "it takes what JSON gives back, lists in place of tuples and text keys"
    with surviving("remember", rule="expected remember(memory) to return", cause=cause):
        view.remember(json.loads(stored))
    if (found := difference(kept, _copy(view.memory()))) is not None:
        rule, cause = "expected the memory that was given", "remember replaces all of it"
        raise broken("remember", rule=rule, found=found, cause=cause)
    view.forget()
    if (found := difference(empty, _copy(view.memory()))) is not None:
        rule, cause = "expected nothing to be left", "a new world starts with an empty memory"
        raise broken("forget", rule=rule, found=found, cause=cause)
    view.remember(json.loads(stored))


def _copy(memory: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return None if memory is None else plain_mapping("memory()", memory)


def _built(source: ViewSource) -> TaskView:
    view: Any = source
    if not isinstance(source, TaskView):
        cause = "wrap one that needs arguments in functools.partial"
        with surviving("factory", rule="expected a TaskView, or a function without arguments", cause=cause):
            view = source()
    if not isinstance(view, TaskView):
        cause = "derive it from skyfall_crl.ports.TaskView"
        raise broken("factory", rule="expected a TaskView", found=typed(view), cause=cause)
    return view
