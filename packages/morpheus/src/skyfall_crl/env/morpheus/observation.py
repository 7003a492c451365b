"""The observation schema and the projection that fills it."""

import json
import string
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.tickets import (
    CLOSED_STATUSES,
    OPEN_STATUSES,
    PRIORITIES,
    ObservedTicket,
    normalize_tickets,
    ticket_payloads,
)
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
PAYLOAD_LIMIT = 32_768
ECONOMICS = ("receivable_planned", "receivable_paid", "freight_planned", "freight_overrun", "units_processed")

Observation = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Projected:
    """A ticket ready for the payload: its buckets and its JSON text."""

    ticket_id: str
    rank: int
    status: int
    text: str


class ObservationProjector:
    """Projects the incident tickets into a fixed observation space.

    The space never changes with the world, the layout or the configuration. Kinds of failure and affected
    services are open-ended, so they stay inside `ticket_payload`: a JSON array in ASCII, most urgent first
    and in the response's order among equals, cut to `payload_limit` characters by leaving out whole tickets
    from the end (and any that is too long by itself), which `tickets_dropped` counts. `economics` and
    `verification` mean nothing until something was executed and verified, and are zero until then.
    """

    def __init__(self, payload_limit: int = PAYLOAD_LIMIT) -> None:
        self.payload_limit = payload_limit
        self._projected: dict[bytes, _Projected | None] = {}

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
                "world_minutes": spaces.Box(0, 1 << 53, (1,), np.int64),
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
        tickets = self._open_tickets(response)
        by_priority = [0] * len(PRIORITIES)
        by_status = [0] * len(OPEN_STATUSES)
        for ticket in tickets:
            by_priority[ticket.rank] += 1
            by_status[ticket.status] += 1
        payload, dropped = self._payload(tickets)
        last = (0.0, 0.0, 0.0, 0.0)
        verification = (0, 0)
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
            "world_minutes": np.array((min(max(world_time or 0, 0), 1 << 53),), np.int64),
        }

    def _open_tickets(self, response: Any) -> list[_Projected]:
        """Return the open tickets of a response; equal payloads are normalised once."""
        payloads = ticket_payloads(response)
        known = self._projected
        current: dict[bytes, _Projected | None] = {}
        found: dict[str, _Projected] = {}
        for payload in payloads:
            try:
                key = msgspec.json.encode(payload)
            except (TypeError, ValueError, RecursionError):
                projected = _project_ticket(payload)
            else:
                projected = known[key] if key in known else _project_ticket(payload)
                current[key] = projected
            if projected is not None:
                found.setdefault(projected.ticket_id, projected)
        self._projected = current
        return [ticket for ticket in found.values() if ticket.status >= 0]

    def _payload(self, tickets: list[_Projected]) -> tuple[str, int]:
        room = most = self.payload_limit - 2
        kept: list[str] = []
        for ticket in sorted(tickets, key=_urgency):
            if len(ticket.text) > most:
                continue
            room -= len(ticket.text) + (1 if kept else 0)
            if room < 0:
                break
            kept.append(ticket.text)
        return f"[{','.join(kept)}]", len(tickets) - len(kept)


def _urgency(ticket: _Projected) -> int:
    return -ticket.rank


def _project_ticket(payload: Any) -> _Projected | None:
    ticket = ObservedTicket.from_payload(payload)
    if ticket is None:
        return None
    status = OPEN_STATUSES.index(ticket.status) if ticket.is_open else -1
    return _Projected(ticket.ticket_id, ticket.rank, status, ticket_text(ticket))


def ticket_text(ticket: ObservedTicket) -> str:
    """Return a ticket as one JSON object in printable ASCII; evidence that JSON can't hold is left out."""
    fields: dict[str, Any] = {
        name: value
        for name in ObservedTicket.__slots__
        if (value := getattr(ticket, name)) not in ("", (), 0.0)
    }
    try:
        return json.dumps(fields, ensure_ascii=True, separators=(",", ":"), allow_nan=False, skipkeys=True)
    except (TypeError, ValueError, RecursionError):
        fields.pop("evidence", None)
        return json.dumps(fields, ensure_ascii=True, separators=(",", ":"))


def _counts(size: int) -> spaces.Box:
    return spaces.Box(0, COUNT_LIMIT, (size,), np.int64)


def _count_array(values: Any) -> NDArray[np.int64]:
    return np.minimum(np.array(values, np.int64), COUNT_LIMIT)
