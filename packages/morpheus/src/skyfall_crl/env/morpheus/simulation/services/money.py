"""The ledger and the cash movements behind it: the process's own from the engine's counters, agents' as booked."""

from collections.abc import Mapping, Sequence
from typing import Any

from skyfall_crl.env.morpheus.simulation.accounts import Movement, Totals, cents
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.erp import partner
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.services import selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Rejected, Request

_OWN_TAG, _PROCESS_TAG, _LEDGER_TAG = 250, 251, 252
_MOST_AT_ONCE = 50
_MANUAL = ("manual", "ledger")


def position(enterprise: Enterprise) -> tuple[int, int, int]:
    """Return cash, receivables and payables in cents.

    What is delivered and not settled is owed: to the company where it sells, by it where it buys.
    """
    world, booked = enterprise.world, enterprise.accounts.totals()
    owed, delivered = 0, world.layout.delivered_after
    for order in world.orders.values():
        if order.stage - (order.fault is None) > delivered:
            owed += order.value_cents
    settled = world.obligations.collected_cents
    cash = booked.incoming - booked.outgoing
    if enterprise.buys:
        return cash - settled, booked.receivables, booked.payables + owed
    return cash + settled, booked.receivables + owed, booked.payables


def totals(enterprise: Enterprise) -> Totals:
    """Return what all cash movements come to, forgotten ones included."""
    whole, world = enterprise.accounts.totals(), enterprise.world
    whole.count += world.chronicle.left[-1]
    if enterprise.buys:
        whole.outgoing += world.obligations.collected_cents
    else:
        whole.incoming += world.obligations.collected_cents
    return whole


def transactions(enterprise: Enterprise) -> list[Document]:
    """Return the cash movements still remembered one by one: the process's own, then those booked by agents."""
    completed = len(enterprise.world.layout.symptoms)
    found = [
        _settlement(enterprise, finished.order.number, finished.order.value_cents, finished.step)
        for finished in enterprise.world.chronicle.finished.values()
        if finished.stage == completed
    ]
    return found + [_booked(enterprise, movement) for movement in enterprise.accounts.movements.values()]


def _settlement(enterprise: Enterprise, number: int, value_cents: int, step: int) -> Document:
    source = ("invoice", f"INV_{number}") if enterprise.buys else ("payment", f"PAY_{number}")
    document = {
        "_id": object_id(enterprise.world.prefix, number, _PROCESS_TAG),
        "transactionId": f"TRANS_{number}",
        "type": "payment_out" if enterprise.buys else "payment_in",
        "amount": value_cents / 100,
        "sourceType": source[0],
        "sourceId": source[1],
        "partnerId": partner(number),
    }
    return _stamped(enterprise, document, step)


def _booked(enterprise: Enterprise, movement: Movement) -> Document:
    document: Document = {
        "_id": object_id(enterprise.world.prefix, movement.ordinal, _OWN_TAG),
        "transactionId": movement.identifier,
        "type": movement.kind,
        "amount": abs(movement.cash) / 100,
        "sourceType": movement.source_type,
        "sourceId": movement.source_id,
    }
    if movement.partner:
        document["partnerId"] = movement.partner
    if movement.metadata is not None:
        document["metadata"] = movement.metadata
    return _stamped(enterprise, document, movement.step)


def _stamped(enterprise: Enterprise, document: Document, step: int) -> Document:
    moment = enterprise.instant(step)
    return {
        **document,
        "worldRef": {"worldId": enterprise.world_id},
        "createdAt": moment,
        "updatedAt": moment,
    }


def _book(request: Request, body: Mapping[str, Any]) -> Movement:
    enterprise, identifier = request.enterprise, body.get("transactionId") or ""
    if identifier and (len(identifier) > 64 or _known(enterprise, identifier) is not None):
        raise Rejected(400, f"body.transactionId: {identifier[:64]} is taken or too long")
    movement = enterprise.accounts.book(
        enterprise.world.board.step,
        _cash(body["type"], body["amount"]),
        (body["sourceType"], body["sourceId"]),
        identifier=identifier,
        partner=body.get("partnerId") or "",
        metadata=body.get("metadata"),
    )
    _audit(request, "create", movement)
    return movement


def _cash(kind: str, amount: float) -> int:
    if amount < 0:
        raise Rejected(400, "body.amount: expected an amount from 0")
    return _cents(amount) if kind == "payment_in" else -_cents(amount)


def _cents(amount: float) -> int:
    try:
        return cents(amount)
    except (ValueError, OverflowError) as error:
        raise Rejected(400, f"body: {error}") from error


def _audit(request: Request, verb: str, movement: Movement) -> None:
    path = f"finance/transactions/{movement.identifier}"
    request.enterprise.store.note(
        request.enterprise.world.board.step, verb, path, {"cash": movement.cash / 100}
    )


def _known(enterprise: Enterprise, identifier: str) -> Document | None:
    number = enterprise.directory.number("finance_transaction", identifier)
    if number is not None and enterprise.accounts.movements.get(identifier) is None:
        return next((each for each in transactions(enterprise) if each["transactionId"] == identifier), {})
    movement = enterprise.accounts.movements.get(identifier)
    return None if movement is None else _booked(enterprise, movement)


def _create(request: Request) -> Parts:
    return {"data": _booked(request.enterprise, _book(request, request.body))}


def _create_many(request: Request) -> Parts:
    rows = request.body["transactions"]
    if len(rows) > _MOST_AT_ONCE:
        raise Rejected(400, f"body.transactions: expected at most {_MOST_AT_ONCE}, found {len(rows)}")
    names = [row["transactionId"] for row in rows if row.get("transactionId")]
    if len(names) != len(dict.fromkeys(names)) or any(
        _known(request.enterprise, name) is not None for name in names
    ):
        raise Rejected(400, "body.transactions: expected ids that are not taken")
    for row in rows:
        _cash(row["type"], row["amount"])
    for row in rows:
        _book(request, row)
    return {"data": {"insertedCount": len(rows)}}


def _read(request: Request) -> Parts:
    found = _known(request.enterprise, request.parameters["transactionId"])
    if not found:
        raise Rejected(404, "no such transaction")
    return {"data": found}


def _own(request: Request) -> Movement:
    movement = request.enterprise.accounts.movements.get(request.parameters["transactionId"])
    if movement is None:
        if not _known(request.enterprise, request.parameters["transactionId"]):
            raise Rejected(404, "no such transaction")
        raise Rejected(400, "transactions of the process stand; book one that makes up for it")
    return movement


def _change(request: Request) -> Parts:
    movement, body = _own(request), request.body
    if "amount" in body or "type" in body:
        kind, amount = body.get("type", movement.kind), body.get("amount", abs(movement.cash) / 100)
        movement.cash = _cash(kind, amount)
    movement.source_type = body.get("sourceType", movement.source_type)
    movement.source_id = body.get("sourceId", movement.source_id)
    movement.partner = body.get("partnerId", movement.partner)
    movement.metadata = body.get("metadata", movement.metadata)
    _audit(request, "update", movement)
    return {"data": _booked(request.enterprise, movement)}


def _delete(request: Request) -> Parts:
    movement = _own(request)
    del request.enterprise.accounts.movements[movement.identifier]
    _audit(request, "delete", movement)
    return {"data": {"deleted": True}}


def _listing(request: Request) -> Parts:
    asked, enterprise = selection.wanted(request), request.enterprise
    found = transactions(enterprise)
    more = 0 if asked else totals(enterprise).count - len(found)
    return selection.listed(request, selection.matching(found, asked, "type", "createdAt"), more)


def _summary(request: Request) -> Parts:
    return {"data": summary(request)}


def summary(request: Request) -> Document:
    """Return incoming and outgoing money: of everything, or of what is remembered where a query narrows it."""
    whole, asked = totals(request.enterprise), selection.wanted(request)
    if asked:
        whole = Totals()
        for each in selection.matching(transactions(request.enterprise), asked, "type", "createdAt"):
            amount = cents(each["amount"])
            whole.count += 1
            whole.incoming += amount if each["type"] == "payment_in" else 0
            whole.outgoing += amount if each["type"] == "payment_out" else 0
    return {
        "totalIncoming": whole.incoming / 100,
        "totalOutgoing": whole.outgoing / 100,
        "netBalance": (whole.incoming - whole.outgoing) / 100,
        "transactionCount": whole.count,
        "avgTransactionAmount": (whole.incoming + whole.outgoing) / 100 / max(1, whole.count),
    }


def _by_type(request: Request) -> Parts:
    return {"data": _grouped(_asked(request), "type")}


def _by_partner(request: Request) -> Parts:
    return {"data": _partners(_asked(request))}


def _stats(request: Request) -> Parts:
    found = _asked(request)
    return {
        "data": {
            "byType": _grouped(found, "type"),
            "byPartner": _partners(found),
            "summary": summary(request),
        }
    }


def _asked(request: Request) -> list[Document]:
    found = transactions(request.enterprise)
    return selection.matching(found, selection.wanted(request), "type", "createdAt")


def _grouped(found: Sequence[Document], field: str) -> dict[str, Document]:
    groups: dict[str, tuple[int, int]] = {}
    for each in found:
        count, amount = groups.get(each.get(field, ""), (0, 0))
        groups[each.get(field, "")] = (count + 1, amount + cents(each["amount"]))
    return {
        name: {"count": count, "totalAmount": amount / 100, "avgAmount": amount / 100 / count}
        for name, (count, amount) in groups.items()
    }


def _partners(found: Sequence[Document]) -> list[Document]:
    return [{"partnerId": name, **figures} for name, figures in _grouped(found, "partnerId").items()]


def _ledger(request: Request) -> Parts:
    enterprise = request.enterprise
    cash, receivables, payables = position(enterprise)
    document = {
        "_id": object_id(enterprise.world.prefix, 0, _LEDGER_TAG),
        "netPosition": (cash + receivables - payables) / 100,
        "cash": cash / 100,
        "totalReceivables": receivables / 100,
        "totalPayables": payables / 100,
    }
    return {"data": {**_stamped(enterprise, document, 0), "updatedAt": enterprise.moment}}


def _set_ledger(request: Request) -> Parts:
    before = position(request.enterprise)
    names = ("cash", "totalReceivables", "totalPayables")
    wanted = [
        _cents(request.body[name]) if name in request.body else was
        for name, was in zip(names, before, strict=True)
    ]
    return _moved(request, [now - was for now, was in zip(wanted, before, strict=True)])


def _increment(request: Request) -> Parts:
    names = ("cashDelta", "receivablesDelta", "payablesDelta")
    if not any(name in request.body for name in names):
        raise Rejected(400, f"body: expected at least one of {', '.join(names)}")
    return _moved(request, [_cents(request.body.get(name, 0)) for name in names])


def _moved(request: Request, deltas: Sequence[int]) -> Parts:
    cash, receivables, payables = deltas
    if cash or receivables or payables:
        movement = request.enterprise.accounts.book(
            request.enterprise.world.board.step, cash, _MANUAL, receivables=receivables, payables=payables
        )
        _audit(request, "create", movement)
    return _ledger(request)


def _analytics(request: Request) -> Parts:
    ledger = _ledger(request)["data"]
    return {
        "data": {
            "totalCash": ledger["cash"],
            "totalReceivables": ledger["totalReceivables"],
            "totalPayables": ledger["totalPayables"],
            "totalNetPosition": ledger["netPosition"],
            "ledgerCount": 1,
            "positiveLedgers": int(ledger["netPosition"] >= 0),
            "negativeLedgers": int(ledger["netPosition"] < 0),
        }
    }


HANDLERS: dict[str, Handler] = {
    "GET ledger": _ledger,
    "PATCH ledger": _set_ledger,
    "POST ledger": _set_ledger,
    "PATCH ledger/increment": _increment,
    "GET ledger/analytics/summary": _analytics,
    "GET finance/stats": _stats,
    "GET finance/stats/by-partner": _by_partner,
    "GET finance/stats/by-type": _by_type,
    "GET finance/summary": _summary,
    "GET finance/transactions": _listing,
    "GET finance/transactions/source/{sourceType}/{sourceId}": _listing,
    "POST finance/transactions": _create,
    "POST finance/transactions/bulk": _create_many,
    "GET finance/transactions/{transactionId}": _read,
    "PATCH finance/transactions/{transactionId}": _change,
    "DELETE finance/transactions/{transactionId}": _delete,
}
