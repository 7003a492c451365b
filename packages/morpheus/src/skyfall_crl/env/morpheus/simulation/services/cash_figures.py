"""Figures about cash movements: summaries, by type and by trading partner."""

from collections.abc import Sequence

from skyfall_crl.env.morpheus.simulation.accounts import Totals, cents
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import selection
from skyfall_crl.env.morpheus.simulation.services.money import totals, transactions
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Request


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


HANDLERS: dict[str, Handler] = {
    "GET finance/stats": _stats,
    "GET finance/stats/by-partner": _by_partner,
    "GET finance/stats/by-type": _by_type,
    "GET finance/summary": _summary,
}
