"""The observation schema and the projection that fills it."""

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.ticket_texts import TicketText, TicketTexts
from skyfall_crl.env.morpheus.tickets import (
    CLOSED_STATUSES,
    OPEN_STATUSES,
    PRIORITIES,
    ObservedTicket,
    normalize_tickets,
)
from skyfall_crl.env.morpheus.world_reading import WorldReading
from skyfall_crl.ports.tools import ActionOutcome

__all__ = [
    "CLOSED_STATUSES",
    "COUNT_LIMIT",
    "OPEN_STATUSES",
    "PAYLOAD_LIMIT",
    "PRIORITIES",
    "ObservationProjector",
    "ObservedTicket",
    "normalize_tickets",
]

COUNT_LIMIT = 1_000_000
AMOUNT_LIMIT = 1e15
MINUTES_LIMIT = 1 << 53
PAYLOAD_LIMIT = 32_768
ECONOMICS = ("receivable_planned", "receivable_paid", "freight_planned", "freight_overrun", "units_processed")

Observation = dict[str, Any]


class ObservationProjector:
    """Projects the incident tickets into a fixed observation space.

    The space never changes with the world, the layout or the configuration. Kinds of failure and affected
    services are open-ended, so they stay inside `ticket_payload`: a JSON array in ASCII, most urgent first and
    oldest first among equals, cut to `payload_limit` characters by leaving out whole tickets from the end (and any
    that is too long by itself), which `tickets_dropped` counts. `economics` are the amounts of a `FinancialState`,
    zero in embedded worlds; `verification` is zero until something was executed and verified.
    """

    def __init__(self, payload_limit: int = PAYLOAD_LIMIT) -> None:
        self.payload_limit = payload_limit
        self.texts = TicketTexts()

    @property
    def space(self) -> spaces.Dict:
        """The space of every observation."""
        return spaces.Dict(
            {
                "ticket_payload": spaces.Text(self.payload_limit, min_length=0, charset=string.printable),
                "tickets_dropped": _counts(1),
                "open_by_priority": _counts(len(PRIORITIES)),
                "open_by_status": _counts(len(OPEN_STATUSES)),
                "last_outcome": spaces.Box(0.0, 1.0, (4,), np.float32),
                "verification": _counts(2),
                "economics": spaces.Box(0.0, AMOUNT_LIMIT, (len(ECONOMICS),), np.float64),
                "world_minutes": spaces.Box(0, MINUTES_LIMIT, (1,), np.int64),
            }
        )

    def project(
        self,
        response: Any,
        *,
        outcome: ActionOutcome | None = None,
        failed: bool = False,
        world_time: int | None = None,
    ) -> Observation:
        """Return the observation of a ticket response.

        `last_outcome` is (accepted, sent, verified, failed) of `outcome`, zero when nothing was done yet;
        `verification` is the number of tickets it claimed and the number verified.
        """
        return self._fill(self.texts.of_response(response), outcome, failed, world_time)

    def observe(self, reading: WorldReading) -> Observation:
        """Return the observation of a world, off its board where it has one; equal to that of its response."""
        if reading.tickets_written:
            self.texts.forget()
            reading.tickets_written = False
        board = reading.board
        if board is None or getattr(board, "edited", False):
            tickets = self.texts.of_response(reading.response)
        else:
            tickets = self.texts.of_board(board, reading.fetch_ticket)
        observation = self._fill(tickets, reading.outcome, reading.failed, reading.world_time)
        if reading.economics is not None:
            observation["economics"] = np.minimum(reading.economics.amounts, AMOUNT_LIMIT)
        return observation

    def _fill(
        self,
        tickets: Sequence[TicketText],
        outcome: ActionOutcome | None,
        failed: bool,
        world_time: int | None,
    ) -> Observation:
        by_priority, by_status = [0] * len(PRIORITIES), [0] * len(OPEN_STATUSES)
        for ticket in tickets:
            by_priority[ticket.rank] += 1
            by_status[ticket.status] += 1
        payload, dropped = self._payload(tickets)
        last, verification = (0.0, 0.0, 0.0, 0.0), (0, 0)
        if outcome is not None:
            last = (
                float(outcome.accepted),
                float(outcome.sent),
                float(bool(outcome.verified)),
                float(failed),
            )
            verification = (len(outcome.tickets), len(outcome.verified))
        return {
            "ticket_payload": payload,
            "tickets_dropped": _count_array((dropped,)),
            "open_by_priority": _count_array(by_priority),
            "open_by_status": _count_array(by_status),
            "last_outcome": np.array(last, np.float32),
            "verification": _count_array(verification),
            "economics": np.zeros(len(ECONOMICS), np.float64),
            "world_minutes": np.array((min(max(world_time or 0, 0), MINUTES_LIMIT),), np.int64),
        }

    def _payload(self, tickets: Sequence[TicketText]) -> tuple[str, int]:
        room = most = self.payload_limit - 2
        kept: list[str] = []
        for ticket in tickets:
            if len(ticket.text) > most:
                continue
            room -= len(ticket.text) + (1 if kept else 0)
            if room < 0:
                break
            kept.append(ticket.text)
        return f"[{','.join(kept)}]", len(tickets) - len(kept)


def _counts(size: int) -> spaces.Box:
    return spaces.Box(0, COUNT_LIMIT, (size,), np.int64)


def _count_array(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array([value if value < COUNT_LIMIT else COUNT_LIMIT for value in values], np.int64)
