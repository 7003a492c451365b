"""Task views: the shape an agent works in, mapped down to tool calls."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.tools import Tool, ToolCall


class TaskView(ABC):
    """The action surface an agent works against.

    Only `to_tool_call` has to be written; the rest has a meaning for views that need it. A view may hold memory of
    one world (what has been looked at, for instance); such a view implements `memory` and `remember` so that a
    snapshot of the world carries it, and `forget` for a new world.
    """

    action_space: spaces.Space[Any] | None = None
    """The actions of this view; None stands for the environment's own action space."""

    observation_space: spaces.Space[Any] | None = None
    """The space `encode` fills; None stands for the environment's own observation."""

    @property
    def action_names(self) -> Sequence[str] | None:
        """What each discrete action is called, in their order, or None where actions have no names."""
        return None

    no_action: Any = None
    """What an absent or unparsable action becomes: always accepted, and the world advances."""

    @abstractmethod
    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        """Map an action onto a tool call, or None when no single operation stands behind it."""

    def parse_action(self, text: str) -> Any | None:
        """Recover an action from a policy's text, or None when there is none."""
        return None

    def touched_tickets(self, action: Any, *, observation: Mapping[str, Any] | None = None) -> Sequence[str]:
        """Return the tickets this action claims to address, so that they can be verified."""
        return ()

    def notice(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Take what the world answered to a call this view had mapped."""

    def encode(self, observation: Mapping[str, Any]) -> np.ndarray | None:
        """Return fixed numeric features of `observation_space`, or None when the view has none."""
        return None

    def mask(self, observation: Mapping[str, Any]) -> np.ndarray | None:
        """Return which discrete actions make sense now, as booleans, or None when all do."""
        return None

    def render(self, observation: Mapping[str, Any]) -> str:
        """Return the observation as prompt text."""
        return "\n".join(f"{key}: {observation[key]}" for key in observation)

    def tools(self) -> Sequence[Tool]:
        """Return the tools an agent is offered under this view."""
        return ()

    def from_tool(self, name: str, arguments: Mapping[str, Any]) -> Any | None:
        """Return the action a tool call stands for, or None when the name or the arguments don't fit."""
        return None

    def memory(self) -> Mapping[str, Any] | None:
        """Return what the view remembers of its world as plain data, or None when it remembers nothing."""
        return None

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` returned."""

    def forget(self) -> None:
        """Drop everything remembered, for a new world."""
