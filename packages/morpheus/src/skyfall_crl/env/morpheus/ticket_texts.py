"""Open tickets as texts for an observation, each normalised and encoded once for as long as it stays the same."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.ports import TicketBoard
from skyfall_crl.env.morpheus.tickets import OPEN_STATUSES, ObservedTicket, ticket_payloads

Fetch = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class TicketText:
    """A ticket ready for an observation: `status` indexes `OPEN_STATUSES`, -1 when the ticket is closed."""

    ticket_id: str
    rank: int
    status: int
    created_at: str
    text: str


class TicketTexts:
    """Turns what a backend reports into the texts of its open tickets, most urgent first, then oldest first."""

    def __init__(self) -> None:
        self._by_content: dict[bytes, TicketText | None] = {}
        self._by_state: dict[tuple[str, int], TicketText] = {}

    def of_response(self, response: Any) -> list[TicketText]:
        """Return the open tickets of a response, each id once."""
        known, current = self._by_content, dict[bytes, TicketText | None]()
        found: dict[str, TicketText] = {}
        for payload in ticket_payloads(response):
            try:
                key = msgspec.json.encode(payload)
            except (TypeError, ValueError, OverflowError, RecursionError):
                ticket = ticket_text(payload)
            else:
                ticket = known[key] if key in known else ticket_text(payload)
                current[key] = ticket
            if ticket is not None:
                found.setdefault(ticket.ticket_id, ticket)
        self._by_content = current
        return sorted((ticket for ticket in found.values() if ticket.status >= 0), key=_urgency)

    def of_board(self, board: TicketBoard, fetch: Fetch) -> list[TicketText]:
        """Return the tickets of a board, asking `fetch` for the payloads of those that are new or were tried.

        What an agent itself writes into a ticket shows after `forget`.
        """
        known, current = self._by_state, dict[tuple[str, int], TicketText]()
        for queue in board.queues:
            for ticket in queue:
                key = (ticket.ticket_id, ticket.tried)
                text = known.get(key) or ticket_text(fetch(ticket.ticket_id))
                if text is not None:
                    current[key] = text
        self._by_state = current
        return sorted(current.values(), key=_urgency)

    def forget(self) -> None:
        """Drop what was read, so that every ticket is read again."""
        self._by_state = {}


def ticket_text(payload: Any) -> TicketText | None:
    """Return a raw payload as one JSON object in printable ASCII, or None when it is no ticket.

    Evidence that JSON can't hold is left out.
    """
    ticket = ObservedTicket.from_payload(payload)
    if ticket is None:
        return None
    fields: dict[str, Any] = {
        name: value
        for name in ObservedTicket.__slots__
        if (value := getattr(ticket, name)) not in ("", (), 0.0)
    }
    if ticket.traits:
        fields["traits"] = dict(ticket.traits)
    try:
        text = json.dumps(fields, separators=(",", ":"), allow_nan=False, skipkeys=True)
    except (TypeError, ValueError, RecursionError):
        fields.pop("evidence", None)
        text = json.dumps(fields, separators=(",", ":"))
    status = OPEN_STATUSES.index(ticket.status) if ticket.is_open else -1
    return TicketText(ticket.ticket_id, ticket.rank, status, ticket.created_at, text)


def _urgency(ticket: TicketText) -> tuple[int, str, str]:
    return -ticket.rank, ticket.created_at, ticket.ticket_id
