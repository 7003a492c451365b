"""Invoices, shipments and orders, cut down to what the projection of money and units reads of them."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.tickets import listed

MOST_CENTS = 10**15
_ISSUED = frozenset({"SENT", "VALIDATED", "PARTIALLY_PAID", "PAID"})
_NAMES = ("_id", "id", "invoiceId", "invoice_id", "shipmentId", "shipment_id", "shipmentNumber")
_ORDER_NAMES = ("_id", "id", "orderId", "order_id")
_SURCHARGES = (("fuelSurcharge", "fuel_surcharge"), ("accessorialCharges", "accessorial_charges"))


@dataclass(frozen=True, slots=True)
class Figures:
    """What an entity counts for: money in cents, `done` for a unit processed, `term_days` until it is due.

    What is `planned` and not `settled` is still owed; freight that was quoted is settled, and surcharges overrun it.
    """

    planned: int = 0
    settled: int = 0
    overrun: int = 0
    done: bool = False
    term_days: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One entity: every id it goes by, the orders it belongs to, when it was opened, and when last touched.

    `opened` may be a date that an agent wrote; `touched` is the deployment's own timestamp.
    """

    names: tuple[str, ...]
    figures: Figures
    orders: tuple[str, ...] = ()
    opened: datetime | None = None
    touched: datetime | None = None


Memory = dict[bytes, Record]
"""What was read of each document, by its content, so that one that comes again unchanged is not read again."""


def invoices(payload: Any, known: Memory | None = None) -> list[Record]:
    """Return the invoices in an answer; drafts, rejected ones and credits plan nothing. Never raises.

    `known` is what the last answer left there, and is left what this one brings.
    """
    return _records(payload, _invoice, _NAMES, known)


def shipments(payload: Any, known: Memory | None = None) -> list[Record]:
    """Return the shipments in an answer, with quoted base freight and the surcharges over it. Never raises."""
    return _records(payload, _shipment, _NAMES, known)


def orders(payload: Any, known: Memory | None = None) -> list[Record]:
    """Return the orders in an answer. Never raises."""
    return _records(payload, _order, _ORDER_NAMES, known)


def total_count(payload: Any) -> int | None:
    """Return how many entities an answer says there are beyond its page, or None where it does not."""
    for holder in (payload, payload.get("data") if isinstance(payload, Mapping) else None):
        if isinstance(holder, Mapping):
            page = holder.get("pagination")
            for source in (page if isinstance(page, Mapping) else {}, holder):
                count = source.get("totalCount", source.get("total"))
                if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 53:
                    return count
    return None


def moment(value: Any) -> datetime | None:
    """Return a point in time from ISO text, in UTC where it names no zone, or None."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.astimezone(UTC) if found.tzinfo is not None else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def latest(moments: Iterable[datetime | None]) -> datetime | None:
    """Return the last of some points in time, or None when there is none."""
    return max((found for found in moments if found is not None), default=None)


def _records(
    payload: Any,
    read: Callable[[Mapping[Any, Any], tuple[str, ...]], Record],
    keys: tuple[str, ...],
    known: Memory | None,
) -> list[Record]:
    """Return each entity once; `keys` are the fields an id of it may stand in."""
    before: Memory = known or {}
    current: Memory = {}
    found: dict[str, Record] = {}
    for entry in listed(payload) or ():
        if not isinstance(entry, Mapping):
            continue
        try:
            content = msgspec.json.encode(entry)
        except (TypeError, ValueError, OverflowError, RecursionError):
            content = b""
        record = before.get(content)
        if record is None:
            names = tuple(dict.fromkeys(name for field in keys if (name := _text(entry.get(field)))))
            if not names:
                continue
            record = read(entry, names)
        if content:
            current[content] = record
        found.setdefault(record.names[0], record)
    if known is not None:
        known.clear()
        known.update(current)
    return list(found.values())


def _order(entry: Mapping[Any, Any], names: tuple[str, ...]) -> Record:
    return _record(entry, names, Figures(done=_word(entry.get("status")) == "COMPLETED"))


def _invoice(entry: Mapping[Any, Any], names: tuple[str, ...]) -> Record:
    status = _word(entry.get("status"))
    issued = status in _ISSUED and _word(_first(entry, "invoiceType", "invoice_type")) != "CREDIT"
    total = _cents(_first(entry, "totalAmount", "total_amount")) or 0 if issued else 0
    paid = total if status == "PAID" else 0
    if status == "PARTIALLY_PAID":
        due = _cents(_first(entry, "balanceDue", "balance_due"))
        paid = 0 if due is None else max(0, total - due)
    return _record(entry, names, Figures(total, paid, term_days=_term(entry)))


def _shipment(entry: Mapping[Any, Any], names: tuple[str, ...]) -> Record:
    nested = entry.get("costs")
    costs = nested if isinstance(nested, Mapping) else {}
    base = _cents(_first(costs, "baseCost", "base_cost")) or 0
    over = sum(_cents(_first(costs, *keys)) or 0 for keys in _SURCHARGES)
    return _record(
        entry, names, Figures(base, base, min(over, MOST_CENTS), _word(entry.get("status")) == "DELIVERED")
    )


def _record(entry: Mapping[Any, Any], names: tuple[str, ...], figures: Figures) -> Record:
    nested = entry.get("references")
    references = nested if isinstance(nested, Mapping) else {}
    owners = (_text(_first(source, "orderId", "order_id")) for source in (entry, references))
    created = moment(_first(entry, "createdAt", "created_at"))
    dated = moment(_first(entry, "issueDate", "issue_date", "orderDate", "order_date"))
    updated = moment(_first(entry, "updatedAt", "updated_at"))
    return Record(
        names,
        figures,
        tuple(owner for owner in owners if owner),
        dated if created is None else created,
        latest((created, updated)),
    )


def _term(entry: Mapping[Any, Any]) -> int | None:
    issued, due = _day(_first(entry, "issueDate", "issue_date")), _day(_first(entry, "dueDate", "due_date"))
    return None if issued is None or due is None else max(0, (due - issued).days)


def _day(value: Any) -> date | None:
    found = moment(value)
    return None if found is None else found.date()


def _first(source: Mapping[Any, Any], *keys: str) -> Any:
    return next((source[key] for key in keys if source.get(key) is not None), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _word(value: Any) -> str:
    return value.strip().upper() if isinstance(value, str) else ""


def _cents(value: Any) -> int | None:
    """Return an amount of currency in cents, or None for what is none or is negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return min(round(value * 100), MOST_CENTS) if 0 <= value <= MOST_CENTS else None
