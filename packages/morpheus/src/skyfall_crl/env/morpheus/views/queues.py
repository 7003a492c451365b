"""What the two discrete views share: a layout's queues, how an observation is read, and its text form."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.ports import OpenTicket, TicketBoard
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.views.board import board_from_tickets
from skyfall_crl.env.morpheus.views.features import BoardFeatures
from skyfall_crl.env.morpheus.views.remedies import RemedyCalls
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import ToolCall

DEFAULT_LAYOUT = "process-outbound"
_MARKER = re.compile(r"ACTION\s*:", re.IGNORECASE)
_WORD = re.compile(r"[\w-]+")


class QueueView(TaskView):
    """A discrete view over the queues of a layout; its observation is `BoardFeatures`.

    Observations handed to it are mappings with `board`, or with `tickets` and `world_time` where the backend
    has no board; `remedied` and `failed` say what the last operation did. `render` also takes the feature
    array.
    """

    no_action = 0

    def __init__(self, layout: str = DEFAULT_LAYOUT) -> None:
        self.layout = layout_named(layout)
        self.stages = tuple(symptom.stage for symptom in self.layout.symptoms)
        self.features = BoardFeatures(self.layout)
        self.observation_space = self.features.space
        self._remedies = tuple(
            tuple(RemedyCalls(self.layout, queue, remedy) for remedy in range(self.layout.causes))
            for queue in range(len(self.stages))
        )
        self.known: dict[str, int] = {}

    @property
    def is_looking(self) -> bool:
        """Whether the next step belongs to a look that was begun."""
        return False

    def encode(self, observation: Mapping[str, Any]) -> NDArray[np.float32]:
        """Return the features: 81 for seven queues with three causes each, more where orders have traits."""
        return self.features.encode(
            self.board(observation),
            self.known,
            remedied=observation["remedied"],
            failed=observation["failed"],
            looking=self.is_looking,
        )

    def board(self, observation: Mapping[str, Any] | None) -> TicketBoard:
        """Return the board of an observation, worked out from its tickets when nobody hands it over."""
        if observation is None:
            return board_from_tickets(self.layout, (), None)
        try:
            board: TicketBoard | None = observation["board"]
        except KeyError:
            board = None
        if board is None:
            return board_from_tickets(
                self.layout, observation.get("tickets", ()), observation.get("world_time")
            )
        return board

    def remedy_call(self, queue: int, remedy: int, ticket: OpenTicket, world_id: str) -> ToolCall | None:
        """Return the operation that applies a remedy to a ticket of a queue."""
        return self._remedies[queue][remedy].call(ticket.ticket_id, world_id)

    def render(self, observation: Mapping[str, Any] | NDArray[np.float32]) -> str:
        """Return the queues and the possible actions as prompt text, which says what the features say."""
        values = observation if isinstance(observation, np.ndarray) else self.encode(observation)
        blocks = np.asarray(values, np.float64)
        width = self.features.width
        lines = ["Open incidents by queue:"]
        for place, symptom in enumerate(self.layout.symptoms):
            block = blocks[place * width : (place + 1) * width]
            lines.append(f"- {symptom.stage} ({symptom.title.lower()}): {self._queue_text(place, block)}")
        bias = len(self.stages) * width
        lines.append(f"Last operation: {_last_text(blocks[bias + 1] > 0, blocks[bias + 2] > 0)}.")
        if blocks[bias + 3] > 0:
            lines.append("A look is going on: this step belongs to it, whatever you answer.")
        return "\n".join([*lines, self.instructions()])

    @abstractmethod
    def instructions(self) -> str:
        """Return how a text policy names its action."""

    def _queue_text(self, place: int, block: NDArray[np.float64]) -> str:
        if not block[0]:
            return "empty"
        symptom, causes = self.layout.symptoms[place], self.layout.causes
        known = [
            name for name, is_known in zip(symptom.causes, block[5 : 5 + causes], strict=True) if is_known
        ]
        attempted, traits = block[5 + causes : 5 + 2 * causes], block[5 + 2 * causes :]
        tried = [remedy.name for remedy, was in zip(symptom.remedies, attempted, strict=True) if was]
        values = [f"{trait.key} {value}" for trait in self.layout.traits for value in trait.values]
        said = [name for name, is_so in zip(values, traits, strict=True) if is_so]
        weights = self.layout.priority_weights
        priority = min(range(len(weights)), key=lambda rank: abs(weights[rank] - block[3]))
        length = round(block[1] * 20)
        return (
            f"{length}{' or more' if length >= 20 else ''} open, worth {block[4] * 20:.2f}; the oldest waits "
            f"{round(block[2] * self.layout.horizon_steps)} of {self.layout.horizon_steps} steps, priority "
            f"{self.layout.priorities[priority]}, tried {', '.join(tried) or 'nothing'}, "
            f"{''.join(f'{name}, ' for name in said)}cause {known[0] if known else 'unknown'}"
        )


def action_words(text: str) -> tuple[str, str, str]:
    """Return the first three words of the line after a text's last `ACTION:`, in lower case; empty where missing."""
    marker = list(_MARKER.finditer(text))
    lines = text[marker[-1].end() :].lstrip().splitlines() if marker else []
    words = _WORD.findall(lines[0].lower()) if lines else []
    first, second, third, *_ = [*words, "", "", ""]
    return first, second, third


def _last_text(remedied: bool, failed: bool) -> str:
    return "it mended a fault" if remedied else "it did not mend the fault" if failed else "nothing to report"
