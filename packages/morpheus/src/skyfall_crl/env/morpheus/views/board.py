"""The board of open tickets, worked out from tickets where no backend hands it over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.tickets import ObservedTicket
from skyfall_crl.env.morpheus.views.features import UNKNOWN


@dataclass(frozen=True, slots=True)
class QueuedTicket:
    """An open ticket as `OpenTicket` describes it."""

    ticket_id: str
    opened_step: int
    priority: int
    value_cents: int
    tried: int
    traits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """A `TicketBoard` that was read off tickets."""

    step: int
    queues: tuple[tuple[QueuedTicket, ...], ...]
    blocked_cents: tuple[int, ...]


def board_from_tickets(
    layout: Layout, tickets: Sequence[ObservedTicket], world_minutes: int | None
) -> ReadBoard:
    """Return the open tickets by symptom, oldest first and in their own order among equals.

    Tickets of no stage of `layout` are left out. `world_minutes` is the simulated time; without it the latest
    ticket counts as opened now, which keeps the order and makes ages too small by what has passed since.
    """
    step = (world_minutes or 0) // layout.minutes_per_step
    opened = [(ticket, _moment(ticket.created_at)) for ticket in tickets if ticket.is_open]
    known = [moment for _, moment in opened if moment is not None]
    now = max(known, default=None)
    if world_minutes is not None:
        start = _moment(instant(0, layout.minutes_per_step))
        now = start + timedelta(minutes=world_minutes) if start is not None else now
    queues: list[list[QueuedTicket]] = [[] for _ in layout.symptoms]
    stages = {symptom.stage: place for place, symptom in enumerate(layout.symptoms)}
    for ticket, moment in opened:
        place = stages.get(ticket.failed_step)
        if place is not None:
            age = _steps_between(moment, now, layout.minutes_per_step)
            queues[place].append(_queued(layout, place, ticket, step - age))
    ordered = tuple(tuple(sorted(queue, key=_opened_step)) for queue in queues)
    return ReadBoard(step, ordered, tuple(sum(ticket.value_cents for ticket in queue) for queue in ordered))


def _queued(layout: Layout, place: int, ticket: ObservedTicket, opened_step: int) -> QueuedTicket:
    tried = 0
    for number, remedy in enumerate(layout.symptoms[place].remedies):
        if any(remedy.name in note for note in ticket.work_notes):
            tried |= 1 << number
    said = dict(ticket.traits)
    traits = tuple(_place(said.get(trait.key), trait.values) for trait in layout.traits)
    cents = round(ticket.order_value * 100)
    return QueuedTicket(ticket.ticket_id, opened_step, ticket.rank, cents, tried, traits)


def _place(value: str | None, among: tuple[str, ...]) -> int:
    return among.index(value) if value in among else UNKNOWN


def _opened_step(ticket: QueuedTicket) -> int:
    return ticket.opened_step


def _steps_between(earlier: datetime | None, later: datetime | None, minutes: int) -> int:
    if earlier is None or later is None:
        return 0
    return max(0, int((later - earlier).total_seconds() // (60 * minutes)))


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
