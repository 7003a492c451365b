"""Boards and observations for views, made by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from skyfall_crl.env.morpheus.simulation.identifiers import object_id


@dataclass
class Ticket:
    """An open ticket of order `number` in a queue."""

    ticket_id: str
    opened_step: int
    priority: int = 0
    value_cents: int = 100
    tried: int = 0
    traits: tuple[int, ...] = ()


@dataclass
class Board:
    """A board at a step."""

    step: int
    queues: Sequence[Sequence[Ticket]]

    @property
    def blocked_cents(self) -> list[int]:
        return [sum(ticket.value_cents for ticket in queue) for queue in self.queues]


Observe = Callable[..., Mapping[str, Any]]


@pytest.fixture
def ticket() -> Callable[..., Ticket]:
    """Make a ticket of queue `queue` about order `number`."""

    def make(queue: int, number: int, opened_step: int = 0, **fields: int) -> Ticket:
        return Ticket(object_id("0" * 14, number, queue), opened_step, **fields)

    return make


@pytest.fixture
def observe() -> Observe:
    """Make the observation mapping of tickets by queue at a step."""

    def make(queues: Mapping[int, Sequence[Ticket]], step: int = 10, **flags: bool) -> Mapping[str, Any]:
        board = Board(step, [list(queues.get(place, ())) for place in range(7)])
        return {"board": board, "remedied": False, "failed": False, **flags}

    return make
