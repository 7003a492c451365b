"""The view `resource-allocation`: which queue to work; a fixed rule picks the remedy."""

from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces

from skyfall_crl.env.morpheus.views.queues import DEFAULT_LAYOUT, QueueView, action_words
from skyfall_crl.ports.tools import Tool, ToolCall


class ResourceAllocation(QueueView):
    """Discrete(1 + queues): nothing, or one operation on the oldest ticket of queue q (action 1 + q).

    The operation is the first remedy, in the layout's order, that was not yet tried on that ticket; after all
    were tried it is the first again. An action for which there is no ticket does nothing.
    """

    def __init__(self, layout: str = DEFAULT_LAYOUT) -> None:
        super().__init__(layout)
        self.action_space = spaces.Discrete(1 + len(self.stages))

    @property
    def action_names(self) -> tuple[str, ...]:
        """What each action is called, in their order."""
        return ("nothing", *(f"work {stage}" for stage in self.stages))

    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        """Return the operation on the chosen queue, or None for nothing."""
        queue = self._queue(action)
        if queue is None or not (tickets := self.board(observation).queues[queue]):
            return None
        tried = tickets[0].tried
        remedy = next((r for r in range(self.layout.causes) if not tried >> r & 1), 0)
        return self.remedy_call(queue, remedy, tickets[0], world_id)

    def touched_tickets(self, action: Any, *, observation: Mapping[str, Any] | None = None) -> Sequence[str]:
        """Return the oldest ticket of the chosen queue."""
        queue = self._queue(action)
        tickets = () if queue is None else self.board(observation).queues[queue]
        return (tickets[0].ticket_id,) if tickets else ()

    def parse_action(self, text: str) -> int | None:
        """Return the action after a text's last `ACTION:`: `nothing`, `work QUEUE`, `QUEUE` or its number."""
        word, first, _ = action_words(text)
        if word.isdecimal():
            return int(word) if len(word) < 6 and int(word) <= len(self.stages) else None
        if word in self.stages and not first:
            word, first = "work", word
        return self.from_tool(word, {"queue": first})

    def tools(self) -> Sequence[Tool]:
        """Return the tools `work` and `nothing`."""
        queues = {"type": "string", "enum": list(self.stages)}
        return (
            Tool(
                "work",
                "Apply the next untried remedy to the oldest ticket of a queue.",
                {"type": "object", "properties": {"queue": queues}, "required": ["queue"]},
            ),
            Tool("nothing", "Let one step pass.", {"type": "object", "properties": {}}),
        )

    def from_tool(self, name: str, arguments: Mapping[str, Any]) -> int | None:
        """Return the action a tool call stands for, or None."""
        if name == "nothing":
            return 0
        if name == "work" and arguments.get("queue") in self.stages:
            return 1 + self.stages.index(arguments["queue"])
        return None

    def instructions(self) -> str:
        """Return how a text policy names its action."""
        return f"Answer with `ACTION: nothing` or `ACTION: work QUEUE`. Queues: {', '.join(self.stages)}."

    def _queue(self, action: Any) -> int | None:
        try:
            choice = int(action)
        except (TypeError, ValueError, OverflowError):
            return None
        return choice - 1 if 0 < choice <= len(self.stages) else None
