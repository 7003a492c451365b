"""What a world remembers of what is over: the last finished orders, how many there were, and what befell."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.simulation.orders import Order

ORDERS_KEPT = 64
EVENTS_KEPT = 128
OPENED, MENDED, LOST = 0, 1, 2


class Finished(NamedTuple):
    """An order that left the world: `stage` is the number of stages where it was completed, else where it was lost."""

    order: "Order"
    step: int
    stage: int


Event = tuple[int, int, int, int]
"""When a fault was opened, mended or lost, of which order, at which symptom, and which of the three."""


class Chronicle:
    """Bounded memory of one world; nothing in it decides what comes.

    `left[s]` counts the orders lost in stage s, the last entry those that were completed.
    """

    __slots__ = ("events", "finished", "left")

    def __init__(self, stages: int):
        self.finished: dict[int, Finished] = {}
        self.events: deque[Event] = deque(maxlen=EVENTS_KEPT)
        self.left = [0] * (stages + 1)

    def finish(self, order: "Order", step: int, stage: int) -> None:
        """Remember an order that left; the oldest one is forgotten where there are too many."""
        self.left[stage] += 1
        finished = self.finished
        finished[order.number] = Finished(order, step, stage)
        if len(finished) > ORDERS_KEPT:
            del finished[next(iter(finished))]

    def forgotten(self) -> list[int]:
        """Return how many orders left in each stage that are no longer remembered one by one."""
        counts = list(self.left)
        for finished in self.finished.values():
            counts[finished.stage] -= 1
        return counts

    def state(self) -> dict[str, Any]:
        """Return the memory as plain data."""
        return {
            "finished": [
                [each.order.number, each.order.entered_step, each.step, each.stage]
                for each in self.finished.values()
            ],
            "events": [list(event) for event in self.events],
            "left": list(self.left),
        }

    def recall(self, state: dict[str, Any], orders: Sequence["Order"]) -> None:
        """Take back what `state` described; `orders` are the finished ones, drawn anew."""
        for order, (_, _, step, stage) in zip(orders, state["finished"], strict=True):
            self.finished[order.number] = Finished(order, step, stage)
        self.events.extend((step, number, symptom, what) for step, number, symptom, what in state["events"])
        self.left = [int(count) for count in state["left"]]
