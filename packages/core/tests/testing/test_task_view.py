"""Every rule for task views, broken once by a tiny view."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports import TaskView, Tool, ToolCall
from skyfall_crl.testing import check_task_view

OBSERVATIONS = [{"open": [1, 2], "seen": {}}, {"open": [], "seen": {}}]
SCHEMA = {"type": "object", "properties": {"case": {"type": "integer"}}}


class Desk(TaskView):
    """Nothing, or the case of that number; remembers the ones it has closed."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(3)
        self.observation_space: Any = spaces.Box(0, 2, (1,), np.float32)
        self.no_action = 0
        self.closed: dict[str, bool] = {"1": True}

    def to_tool_call(self, action, *, world_id, observation=None) -> Any:
        return ToolCall("PUT", f"/{world_id}/cases/{action}", {"open": False}) if action else None

    def parse_action(self, text) -> Any:
        return int(text) if text in ("0", "1", "2") else None

    def touched_tickets(self, action, *, observation=None):
        return (f"case-{action}",) if action else ()

    def encode(self, observation) -> Any:
        return np.array([len(observation["open"])], np.float32)

    def mask(self, observation) -> Any:
        return np.array([True, *(case in observation["open"] for case in (1, 2))])

    def tools(self) -> Any:
        return (Tool("close", "Close a case.", SCHEMA), Tool("wait", "Let a step pass.", {"type": "object"}))

    def from_tool(self, name, arguments) -> Any:
        if name == "wait":
            return 0
        return arguments["case"] if name == "close" and arguments.get("case") in (1, 2) else None

    def memory(self) -> Any:
        return {"closed": dict(self.closed)}

    def remember(self, memory) -> None:
        self.closed = dict(memory["closed"])

    def forget(self) -> None:
        self.closed = {}


def having(**attributes: Any) -> type[Desk]:
    """Return a view with other methods."""
    return type("Having", (Desk,), attributes)


def built(**attributes: Any) -> Desk:
    """Return a view with other attributes of its own."""
    view = Desk()
    for name, value in attributes.items():
        setattr(view, name, value)
    return view


def giving(**answers: Any) -> type[Desk]:
    """Return a view with methods that always give the same."""
    return having(**{name: lambda self, *_, __=answer, **k: __ for name, answer in answers.items()})


def fail(*_: Any, **__: Any) -> Any:
    raise KeyError("open")


class Remembering(Desk):
    """Hands out one array, again and again."""

    def encode(self, observation):
        self.features = getattr(self, "features", np.zeros(1, np.float32))
        return self.features


class Counting(Desk):
    """Encodes how often it was asked."""

    asked = 0

    def encode(self, observation):
        self.asked = 1 - self.asked
        return np.array([self.asked], np.float32)


class Merging(Desk):
    def remember(self, memory):
        self.closed = {**memory["closed"], "9": True}


class Lasting(Desk):
    def forget(self):
        if self.closed == {"1": True}:
            self.closed = {"0": True} if hasattr(self, "again") else {}
            self.again = True


def tool(**fields: Any) -> tuple[Tool, ...]:
    return (Tool(**{"name": "close", "description": "Close a case.", "input_schema": SCHEMA, **fields}),)


ABSENT = having(encode=lambda self, observation: None)

BROKEN: dict[str, tuple[Any, str]] = {
    "arguments": (
        lambda layout: Desk(),
        "factory: expected a TaskView, or a function without arguments, found TypeE",
    ),
    "something else": (dict, "factory: expected a TaskView, found dict {}; derive it from"),
    "a space in words": (
        built(action_space="three"),
        "action_space: expected a Gymnasium space or None, found str",
    ),
    "nothing is no action": (
        built(no_action=None),
        r"no_action: expected an action of Discrete\(3\), found NoneType",
    ),
    "a text that can't be read": (
        having(parse_action=lambda self, text: int(text)),
        "parse_action.''.: expected an action or None, found ValueError",
    ),
    "a text read as too much": (
        having(parse_action=lambda self, text: len(text)),
        r"parse_action\('no idea'\): expected an action of Discrete\(3\), or None, found int 7",
    ),
    "a tool alone": (giving(tools=Tool("a", "b", {})), "tools: expected a sequence of Tools, found Tool"),
    "tools in words": (giving(tools=("close",)), "tools: expected a sequence of Tools, found tuple"),
    "one name twice": (
        giving(tools=tool() * 2),
        "tools: expected different names, each with a description, found clo",
    ),
    "no description": (
        giving(tools=tool(description="")),
        "tools: expected different names, each with a description",
    ),
    "a schema of objects": (
        giving(tools=tool(input_schema={"type": object})),
        "tool 'close', input_schema: expected a mapping of plain data",
    ),
    "no schema": (
        giving(tools=tool(input_schema={})),
        "tool 'close': expected a JSON Schema object, found {}; write",
    ),
    "a call without arguments": (
        having(from_tool=lambda self, name, arguments: arguments["case"]),
        r"from_tool\('no such tool', {}\): expected an action or None, found KeyError",
    ),
    "any tool": (
        giving(from_tool=1),
        r"from_tool\('no such tool', {}\): expected None for an unknown tool, found int",
    ),
    "a call outside": (
        having(from_tool=lambda self, name, arguments: 5 if name == "close" else None),
        r"from_tool\('close', {}\): expected an action of Discrete\(3\), or None, found int 5",
    ),
    "no mapping": (
        having(to_tool_call=fail),
        r"to_tool_call\(0\): expected a ToolCall or None, found KeyError",
    ),
    "one ticket in a word": (
        giving(touched_tickets="case-1"),
        r"touched_tickets\(0\): expected ticket ids, found str",
    ),
    "a call in a tuple": (
        giving(to_tool_call=("PUT", "/x")),
        r"to_tool_call\(0\): expected a ToolCall or None, found",
    ),
    "another verb": (
        giving(to_tool_call=ToolCall("LOOK", "/x")),
        "expected one of DELETE, .* and a path from /, found",
    ),
    "a path from here": (giving(to_tool_call=ToolCall("GET", "x")), "and a path from /, found ToolCall"),
    "a body of objects": (
        giving(to_tool_call=ToolCall("PUT", "/x", {"of": Desk})),
        r"to_tool_call\(0\), body: expected a mapping of plain data",
    ),
    "no reading": (
        having(render=fail),
        "observation 0: expected encode, mask and render to return, found KeyError",
    ),
    "features without a space": (
        built(observation_space=None),
        "encode: expected encode to fill observation_space, a",
    ),
    "a space without features": (
        ABSENT,
        "observation 0, encode: expected encode to fill observation_space.*NoneType",
    ),
    "features outside": (
        giving(encode=np.full(1, 9, np.float32)),
        "observation 0, encode: expected an observation that observation_space contains",
    ),
    "features of the past": (Counting, "encode: expected equal features twice"),
    "one array": (Remembering, "encode: expected a new array each time, found the same object"),
    "a mask too short": (
        giving(mask=np.ones(2, bool)),
        r"observation 0, mask: expected booleans of shape \(3,\)",
    ),
    "nothing forbidden": (
        giving(mask=np.arange(3) > 0),
        "mask: expected no_action to be allowed, found False",
    ),
    "no prompt": (giving(render=" "), "observation 0, render: expected text, found str ' '"),
    "memory of objects": (
        giving(memory={"at": {1}}),
        r"memory\(\): expected a mapping of plain data.*found at",
    ),
    "remember fails": (
        having(remember=fail),
        r"remember: expected remember\(memory\) to return, found KeyError",
    ),
    "memory merged": (Merging, "remember: expected the memory that was given"),
    "memory that lasts": (Lasting, "forget: expected nothing to be left"),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_task_view, source, observations=OBSERVATIONS))


class Least(TaskView):
    """What has to be written, and nothing more."""

    def to_tool_call(self, action, *, world_id, observation=None):
        return None


def test_a_view_that_keeps_the_rules_passes() -> None:
    """As a class and as an object, with and without observations, and down to the least."""
    for source in (Desk, Desk(), Least, Least()):
        check_task_view(source, observations=OBSERVATIONS)
        check_task_view(source)


def test_a_view_keeps_its_memory_through_the_check() -> None:
    """It may be the view of an environment that goes on."""
    view = Desk()
    check_task_view(view, observations=OBSERVATIONS)
    assert view.closed == {"1": True}


def test_requests_that_an_agent_writes_are_not_the_views_fault() -> None:
    """Where actions are texts, the scope judges what they ask for."""

    class Writing(Least):
        def __init__(self) -> None:
            self.action_space = spaces.Text(5, min_length=0)
            self.no_action = ""

        def to_tool_call(self, action, *, world_id, observation=None):
            return ToolCall(action, action) if action else None

    check_task_view(Writing, observations=OBSERVATIONS)
