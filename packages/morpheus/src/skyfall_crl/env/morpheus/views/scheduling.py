"""The view `scheduling-under-drift`: which queue to work, with which remedy, or whether to look first."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.ports import OpenTicket, TicketBoard
from skyfall_crl.env.morpheus.views.queues import DEFAULT_LAYOUT, QueueView, action_words
from skyfall_crl.env.morpheus.views.remedies import read_call
from skyfall_crl.ports.tools import Tool, ToolCall


class Look(NamedTuple):
    """A look after its first read: at which ticket of which queue, and what that read answered."""

    ticket_id: str
    queue: int
    first: Mapping[str, Any]


class SchedulingUnderDrift(QueueView):
    """Discrete(1 + queues x remedies + queues): nothing, a remedy on a queue's oldest ticket, or a look at a queue.

    With seven queues and three remedies: 0 is nothing, 1 + 3q + r a remedy, 22 + q a look. A look takes two
    steps, one for each linked entity of the oldest ticket of the queue whose cause is unknown; the second
    step is its own whatever action is given, and the cause is known after it. An action for which there is no
    ticket does nothing.
    """

    def __init__(self, layout: str = DEFAULT_LAYOUT) -> None:
        super().__init__(layout)
        self.remedies = self.layout.causes
        self.first_look = 1 + len(self.stages) * self.remedies
        self.size = size = self.first_look + len(self.stages)
        self.action_space = spaces.Discrete(size)
        self._looking: Look | None = None
        self._asked: tuple[str, int, Mapping[str, Any] | None] | None = None
        self._any_action = np.ones(size, np.bool_)
        self._only_nothing = np.zeros(size, np.bool_)
        self._only_nothing[0] = True

    @property
    def action_names(self) -> tuple[str, ...]:
        """What each action is called, in their order."""
        remedies = [f"{s.stage}: {r.name}" for s in self.layout.symptoms for r in s.remedies]
        return ("nothing", *remedies, *(f"look at {stage}" for stage in self.stages))

    @property
    def is_looking(self) -> bool:
        """Whether the next step belongs to a look that was begun."""
        return self._looking is not None

    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        """Return the operation of an action, the second read of a look, or None for nothing."""
        self._asked = None
        if self._looking is not None:
            look, self._looking = self._looking, None
            self._asked = (look.ticket_id, look.queue, look.first)
            return read_call(self.layout, look.queue, look.ticket_id, 1, world_id)
        choice = self._choice(action)
        if choice == 0:
            return None
        board = self.board(observation)
        if choice >= self.first_look:
            return self._look(choice - self.first_look, board, world_id)
        queue, remedy = divmod(choice - 1, self.remedies)
        tickets = board.queues[queue]
        return self.remedy_call(queue, remedy, tickets[0], world_id) if tickets else None

    def touched_tickets(self, action: Any, *, observation: Mapping[str, Any] | None = None) -> Sequence[str]:
        """Return the ticket a remedy is meant for; a look claims nothing."""
        choice = self._choice(action)
        if self._looking is not None or not 0 < choice < self.first_look:
            return ()
        tickets = self.board(observation).queues[(choice - 1) // self.remedies]
        return (tickets[0].ticket_id,) if tickets else ()

    def notice(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Take what a read of a look answered."""
        if self._asked is None:
            return
        ticket_id, queue, first = self._asked
        self._asked = None
        if first is None:
            self._looking = Look(ticket_id, queue, answer)
            return
        cause = self.layout.diagnose(queue, first, answer)
        if cause is not None:
            self.known[ticket_id] = cause

    def mask(self, observation: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return which actions count now: all of them, or nothing alone while a look goes on."""
        return (self._any_action if self._looking is None else self._only_nothing).copy()

    def parse_action(self, text: str) -> int | None:
        """Return the action after the last `ACTION:` of a text, or None.

        Forms: `ACTION: nothing`, `ACTION: remedy NAME`, `ACTION: remedy QUEUE NUMBER` (from 1), `ACTION: look
        QUEUE` and `ACTION: NUMBER` (of the discrete action).
        """
        word, first, second = action_words(text)
        if word.isdecimal():
            number = int(word) if len(word) < 6 else -1
            return number if 0 <= number < self.size else None
        if second and first in self.stages:
            number = int(second) if second.isdecimal() and len(second) < 6 else 0
            return self._remedy(self.stages.index(first), number - 1) if word == "remedy" else None
        return self.from_tool(word, {"queue": first, "remedy": first})

    def tools(self) -> Sequence[Tool]:
        """Return the tools `remedy`, `look` and `nothing`."""
        names = [remedy.name for symptom in self.layout.symptoms for remedy in symptom.remedies]
        catalogue = "; ".join(
            f"{symptom.stage}: "
            + ", ".join(f"{remedy.name} ({remedy.summary.lower()})" for remedy in symptom.remedies)
            for symptom in self.layout.symptoms
        )
        return (
            Tool(
                "remedy",
                f"Apply a remedy to the oldest ticket of the queue it belongs to. {catalogue}.",
                _schema("remedy", names),
            ),
            Tool(
                "look",
                "Read what is linked to a queue's oldest ticket of unknown cause. Takes two steps.",
                _schema("queue", list(self.stages)),
            ),
            Tool("nothing", "Let one step pass.", {"type": "object", "properties": {}}),
        )

    def from_tool(self, name: str, arguments: Mapping[str, Any]) -> int | None:
        """Return the action a tool call stands for, or None."""
        if name == "nothing":
            return 0
        if name == "look" and arguments.get("queue") in self.stages:
            return self.first_look + self.stages.index(arguments["queue"])
        if name == "remedy":
            for queue, symptom in enumerate(self.layout.symptoms):
                for number, remedy in enumerate(symptom.remedies):
                    if remedy.name == arguments.get("remedy"):
                        return self._remedy(queue, number)
        return None

    def instructions(self) -> str:
        """Return how a text policy names its action."""
        lines = [
            f"  {symptom.stage}: {', '.join(r.name for r in symptom.remedies)}"
            for symptom in self.layout.symptoms
        ]
        return "\n".join(
            [
                "Answer with `ACTION: nothing`, `ACTION: look QUEUE` or `ACTION: remedy NAME`. Remedies:",
                *lines,
            ]
        )

    def memory(self) -> Mapping[str, Any]:
        """Return the causes found out and the look that was begun."""
        look = (
            None
            if self._looking is None
            else [self._looking.ticket_id, self._looking.queue, dict(self._looking.first)]
        )
        return {"known": dict(self.known), "looking": look}

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` returned."""
        self.known = dict(memory["known"])
        self._looking = None if memory["looking"] is None else Look(*memory["looking"])
        self._asked = None

    def forget(self) -> None:
        """Drop everything found out, for a new world."""
        self.remember({"known": {}, "looking": None})

    def _choice(self, action: Any) -> int:
        """Return an action as a number, 0 for anything that is none of this view's."""
        if action.__class__ is int:
            choice: int = action
        else:
            try:
                choice = int(action)
            except (TypeError, ValueError, OverflowError):
                return 0
        return choice if 0 <= choice < self.size else 0

    def _remedy(self, queue: int, number: int) -> int | None:
        return 1 + queue * self.remedies + number if 0 <= number < self.remedies else None

    def _look(self, queue: int, board: TicketBoard, world_id: str) -> ToolCall | None:
        """Begin a look, and drop what is known of tickets that are gone."""
        target: OpenTicket | None = next(
            (t for t in board.queues[queue] if t.ticket_id not in self.known), None
        )
        if target is None:
            return None
        if self.known:
            here = {ticket.ticket_id for tickets in board.queues for ticket in tickets}
            self.known = {ticket_id: cause for ticket_id, cause in self.known.items() if ticket_id in here}
        self._asked = (target.ticket_id, queue, None)
        return read_call(self.layout, queue, target.ticket_id, 0, world_id)


def _schema(name: str, values: list[str]) -> Mapping[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string", "enum": values}}, "required": [name]}
