"""Incident tickets, normalised out of whatever a deployment reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PRIORITIES: tuple[str, ...] = ("low", "medium", "high", "critical")
"""From least to most urgent; an unknown priority counts as `low`, so that it can't crowd out a known one."""

OPEN_STATUSES: tuple[str, ...] = ("new", "open", "in_progress", "on_hold")
"""An unknown status counts as `open`, so that a malformed ticket stays in sight."""

CLOSED_STATUSES: tuple[str, ...] = ("resolved", "closed")

MAX_ORDER_VALUE = 1e12

_RANKS = {name: rank for rank, name in enumerate(PRIORITIES)}
_STATUSES = frozenset(OPEN_STATUSES + CLOSED_STATUSES)
_ID_KEYS = ("_id", "id", "ticketId", "ticket_id")
_LIST_KEYS = ("items", "tickets", "data", "results")


@dataclass(frozen=True, slots=True)
class ObservedTicket:
    """One incident ticket.

    `priority` is one of `PRIORITIES`, `status` one of `OPEN_STATUSES` or `CLOSED_STATUSES`; `process` and
    `failed_step` say where the world failed, `failure_type` how; `order_value` is what the blocked order is
    worth in currency units; `evidence` holds the entities the world linked, `work_notes` what was done so
    far; `traits` what kind of order it is, by name.
    """

    ticket_id: str
    priority: str
    status: str
    title: str = ""
    description: str = ""
    failure_type: str = ""
    process: str = ""
    failed_step: str = ""
    created_at: str = ""
    order_value: float = 0.0
    services: tuple[str, ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    work_notes: tuple[str, ...] = ()
    traits: tuple[tuple[str, str], ...] = ()

    @property
    def rank(self) -> int:
        """Position of the priority in `PRIORITIES`."""
        return _RANKS[self.priority]

    @property
    def is_open(self) -> bool:
        """Whether the ticket still asks for work."""
        return self.status in OPEN_STATUSES

    @classmethod
    def from_payload(cls, payload: Any) -> "ObservedTicket | None":
        """Build a ticket from a raw payload, or return None when it has no identity; never raises.

        Field names are read in camelCase and in snake_case, at the top and under `metadata`.
        """
        if not isinstance(payload, Mapping):
            return None
        ticket_id = next((text for key in _ID_KEYS if (text := _identity(payload.get(key)))), "")
        if not ticket_id:
            return None
        nested = payload.get("metadata")
        metadata = nested if isinstance(nested, Mapping) else {}
        services = _entries(_either(metadata, payload, "affectedServices", "affected_services"))
        evidence = _entries(_either(metadata, payload, "contextSnapshots", "context_snapshots"))
        traits = _either(metadata, payload, "orderTraits", "order_traits")
        notes = [_note(entry) for entry in _entries(_either(payload, metadata, "workNotes", "work_notes"))]
        return cls(
            ticket_id=ticket_id,
            priority=_bucket(payload.get("priority"), _RANKS, "low"),
            status=_bucket(payload.get("status"), _STATUSES, "open"),
            title=_text(payload.get("title")),
            description=_text(payload.get("description")),
            failure_type=_text(
                _either(metadata, payload, "failureType", "failure_type", "chaosType", "chaos_type")
            ),
            process=_text(_either(metadata, payload, "odName", "od_name", "odId", "od_id")),
            failed_step=_text(_either(metadata, payload, "failedStepId", "failed_step_id")),
            created_at=_text(_either(payload, metadata, "createdAt", "created_at")),
            order_value=_amount(_either(metadata, payload, "orderValue", "order_value")),
            services=tuple(entry for entry in services if isinstance(entry, str)),
            evidence=tuple(entry for entry in evidence if isinstance(entry, Mapping)),
            work_notes=tuple(note for note in notes if note),
            traits=_pairs(traits),
        )


def normalize_tickets(response: Any) -> list[ObservedTicket]:
    """Return the usable tickets in a response, in its order and each id once; never raises.

    Takes a bare list and every envelope a deployment uses; an error object, a bare string or nothing at all
    reads as no tickets.
    """
    found: dict[str, ObservedTicket] = {}
    for payload in ticket_payloads(response):
        ticket = ObservedTicket.from_payload(payload)
        if ticket is not None:
            found.setdefault(ticket.ticket_id, ticket)
    return list(found.values())


def ticket_payloads(response: Any) -> Iterable[Any]:
    """Return the list of raw payloads in a response, or nothing when there is none."""
    return listed(response) or ()


def holds_closed(response: Any) -> bool:
    """Tell whether a response lists a ticket that is over."""
    return any(
        isinstance(payload, Mapping) and _bucket(payload.get("status"), CLOSED_STATUSES, "") != ""
        for payload in ticket_payloads(response)
    )


def listed(response: Any) -> Sequence[Any] | None:
    """Return the list in a response, bare or in an envelope, or None when there is none; never raises."""
    for _ in range(3):
        if isinstance(response, (list, tuple)):
            return response
        if not isinstance(response, Mapping) or response.get("success") is False:
            return None
        response = next((response[key] for key in _LIST_KEYS if response.get(key) is not None), None)
    return response if isinstance(response, (list, tuple)) else None


def _identity(value: Any) -> str:
    if isinstance(value, str):
        return value if value.strip() else ""
    return (
        str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else ""
    )


def _bucket(value: Any, known: Iterable[str], safest: str) -> str:
    name = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    return name if name in known else safest


def _either(first: Mapping[Any, Any], second: Mapping[Any, Any], *keys: str) -> Any:
    for source in (first, second):
        for key in keys:
            value = source.get(key)
            if value is not None:
                return value
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _amount(value: Any) -> float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_ORDER_VALUE
    return float(value) if usable else 0.0


def _entries(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    entries = value.items() if isinstance(value, Mapping) else ()
    return tuple(entry for entry in entries if isinstance(entry[0], str) and isinstance(entry[1], str))


def _note(entry: Any) -> str:
    return _text(entry.get("note")) if isinstance(entry, Mapping) else _text(entry)
