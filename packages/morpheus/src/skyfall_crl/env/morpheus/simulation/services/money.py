"""Cash movements: the process's own from the engine's counters, agents' as booked, and what both come to."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.simulation.accounts import Movement, Totals, cents
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.erp import partner
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.services import selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Rejected, Request

_OWN_TAG, _PROCESS_TAG = 250, 251
_MOST_AT_ONCE = 50


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
    return stamped(enterprise, document, step)


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
    return stamped(enterprise, document, movement.step)


def stamped(enterprise: Enterprise, document: Document, step: int) -> Document:
    """Return a document with its world and the moment of a step."""
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
    audit(request, "create", movement)
    return movement


def _cash(kind: str, amount: float) -> int:
    if amount < 0:
        raise Rejected(400, "body.amount: expected an amount from 0")
    return in_cents(amount) if kind == "payment_in" else -in_cents(amount)


def in_cents(amount: float) -> int:
    """Return an amount of a body in cents; raises `Rejected` for too much."""
    try:
        return cents(amount)
    except (ValueError, OverflowError) as error:
        raise Rejected(400, f"body: {error}") from error


def audit(request: Request, verb: str, movement: Movement) -> None:
    """Note in the audit what was done to a movement."""
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
    audit(request, "update", movement)
    return {"data": _booked(request.enterprise, movement)}


def _delete(request: Request) -> Parts:
    movement = _own(request)
    del request.enterprise.accounts.movements[movement.identifier]
    audit(request, "delete", movement)
    return {"data": {"deleted": True}}


def _listing(request: Request) -> Parts:
    asked, enterprise = selection.wanted(request), request.enterprise
    found = transactions(enterprise)
    more = 0 if asked else totals(enterprise).count - len(found)
    return selection.listed(request, selection.matching(found, asked, "type", "createdAt"), more)


HANDLERS: dict[str, Handler] = {
    "GET finance/transactions": _listing,
    "GET finance/transactions/source/{sourceType}/{sourceId}": _listing,
    "POST finance/transactions": _create,
    "POST finance/transactions/bulk": _create_many,
    "GET finance/transactions/{transactionId}": _read,
    "PATCH finance/transactions/{transactionId}": _change,
    "DELETE finance/transactions/{transactionId}": _delete,
}
