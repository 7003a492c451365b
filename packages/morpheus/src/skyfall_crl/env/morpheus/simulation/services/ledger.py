"""The ledger: cash, receivables and payables; whatever an agent writes there is booked as a movement."""

from collections.abc import Sequence

from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.services.money import audit, in_cents, position, stamped
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Rejected, Request

_LEDGER_TAG = 252
_MANUAL = ("manual", "ledger")


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
    return {"data": {**stamped(enterprise, document, 0), "updatedAt": enterprise.moment}}


def _set_ledger(request: Request) -> Parts:
    before = position(request.enterprise)
    names = ("cash", "totalReceivables", "totalPayables")
    wanted = [
        in_cents(request.body[name]) if name in request.body else was
        for name, was in zip(names, before, strict=True)
    ]
    return _moved(request, [now - was for now, was in zip(wanted, before, strict=True)])


def _increment(request: Request) -> Parts:
    names = ("cashDelta", "receivablesDelta", "payablesDelta")
    if not any(name in request.body for name in names):
        raise Rejected(400, f"body: expected at least one of {', '.join(names)}")
    return _moved(request, [in_cents(request.body.get(name, 0)) for name in names])


def _moved(request: Request, deltas: Sequence[int]) -> Parts:
    cash, receivables, payables = deltas
    if cash or receivables or payables:
        movement = request.enterprise.accounts.book(
            request.enterprise.world.board.step, cash, _MANUAL, receivables=receivables, payables=payables
        )
        audit(request, "create", movement)
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
}
