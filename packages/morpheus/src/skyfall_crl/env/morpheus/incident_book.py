"""What a verified remediation is worth, by tickets as they were first seen: each fault pays once in its life."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from skyfall_crl.env.morpheus.tickets import ObservedTicket, ticket_payloads
from skyfall_crl.ports.tools import ToolCall

_MOST_REMEMBERED = 65_536
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class _Incident:
    fault: str
    weight: float
    seen_step: int


class IncidentBook:
    """Incidents that were ever seen open, and what their remediation pays.

    That is the priority's weight x (1 - age / horizon), in [0, 1]. Priority and age are those of the first sight,
    whatever is written into a ticket later. Tickets of one failed step of one run share a payment, and a ticket the
    agent opened itself pays nothing.
    """

    def __init__(self, weights: Sequence[float], horizon_steps: float) -> None:
        self._weights = tuple(weights)
        self._horizon = horizon_steps
        self._seen: dict[str, _Incident] = {}
        self._tickets: dict[bytes, ObservedTicket | None] = {}
        self._paid: dict[str, None] = {}
        self._own: dict[str, None] = {}

    def wrote(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Take note of a write: a ticket that it opened is the agent's own."""
        if call.method != "POST" or "/tickets" not in call.path.lower():
            return
        data = answer.get("data", answer)
        ticket = ObservedTicket.from_payload(data)
        if ticket is not None and ticket.ticket_id not in self._seen:
            _remember(self._own, {ticket.ticket_id: None})

    def see(self, response: Any, step: int) -> None:
        """Take the tickets of an answer; None, for one that could not be read, changes nothing."""
        if response is None:
            return
        before, self._tickets = self._tickets, {}
        for payload in ticket_payloads(response):
            ticket = self._read(payload, before)
            if ticket is None or not ticket.is_open or ticket.ticket_id in self._own:
                continue
            if ticket.ticket_id not in self._seen:
                incident = _Incident(_fault(payload, ticket), self._weights[ticket.rank], step)
                _remember(self._seen, {ticket.ticket_id: incident})

    def _read(self, payload: Any, before: Mapping[bytes, ObservedTicket | None]) -> ObservedTicket | None:
        """Read a ticket, unless it was in the last answer just as it is."""
        try:
            content = msgspec.json.encode(payload)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return ObservedTicket.from_payload(payload)
        ticket = before[content] if content in before else ObservedTicket.from_payload(payload)
        self._tickets[content] = ticket
        return ticket

    def pay(self, verified: Iterable[str], step: int) -> float:
        """Return what the remediation of these tickets is worth in a step, in [0, 1]."""
        worth = 0.0
        for ticket_id in verified:
            incident = self._seen.get(ticket_id)
            if incident is None or not self._paid.keys().isdisjoint((ticket_id, incident.fault)):
                continue
            _remember(self._paid, {ticket_id: None, incident.fault: None})
            worth += incident.weight * max(0.0, 1.0 - (step - incident.seen_step) / self._horizon)
        return min(1.0, worth)


def _fault(payload: Mapping[str, Any], ticket: ObservedTicket) -> str:
    """Return what tickets of one fault have in common."""
    nested = payload.get("metadata")
    metadata = nested if isinstance(nested, Mapping) else payload
    run = metadata.get("runId", metadata.get("run_id"))
    return f"{run}/{ticket.failed_step}" if isinstance(run, str) and run else f"ticket {ticket.ticket_id}"


def _remember(known: dict[str, _Value], added: Mapping[str, _Value]) -> None:
    """Add to what is known and forget the oldest beyond `_MOST_REMEMBERED`."""
    known.update(added)
    while len(known) > _MOST_REMEMBERED:
        del known[next(iter(known))]
