"""EDI as a service: documents listed, read, made, sent again and counted; none of it moves an order on."""

from collections.abc import Sequence
from dataclasses import replace

from skyfall_crl.env.morpheus.simulation import chronicle
from skyfall_crl.env.morpheus.simulation.accounts import cents
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.directory import Place
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.exchanges import ERRORED, FIRST_STATES
from skyfall_crl.env.morpheus.simulation.services import changes, resources, selection
from skyfall_crl.env.morpheus.simulation.services.requests import Change, Handler, Parts, Rejected, Request
from skyfall_crl.env.morpheus.simulation.store import Fields

_HOME, _KEY = "edi", "transactionId"
_DIRECTIONS = {"INBOUND": "IN", "OUTBOUND": "OUT"}
_INVOICE = "edi_810"
_OF_ERRORS = ("errorReason", "errorDetails")
_STAMPS = ("worldId", "worldRef")
_GROUPS = {"by-document-type": "docType", "by-doctype": "docType", "by-partners": "partnerId"}
_EXPOSURES = {
    "docType": "ediDollarAmountExposureByDocumentType",
    "partnerId": "ediDollarAmountExposureByPartners",
}
_RELATED = ("transactionId", "docType", "status", "direction", "timestamp", "businessDocumentNumber")


def related(enterprise: Enterprise, number: int) -> list[Document]:
    """Return what other services show of the documents exchanged about an order."""
    collection, found = enterprise.directory.collections[_HOME], []
    for kind in collection.around:
        identifier = enterprise.directory.path(kind, number).rpartition("/")[2]
        document = enterprise.entity(Place(collection, identifier, kind, number))
        if document is not None:
            found.append({name: document[name] for name in _RELATED if name in document})
    return found


def _asked(request: Request) -> tuple[list[Document], int]:
    """Return the documents a query asks for, and how many more are only counted."""
    query = {name: values for name, values in request.query.items() if name != "aggregationType"}
    if "direction" in query:
        query["direction"] = [_DIRECTIONS[value] for value in query["direction"]]
    found, more = resources.selected(_HOME, replace(request, query=query))
    return [_shown(document) for document in found], more


def _shown(document: Document) -> Document:
    hidden = _STAMPS if document["status"] == ERRORED else (*_STAMPS, *_OF_ERRORS)
    return {name: value for name, value in document.items() if name not in hidden}


def _listing(request: Request) -> Parts:
    found, more = _asked(request)
    return selection.listed(request, found, more)


def _numbered_pages(request: Request) -> Parts:
    found, more = _asked(request)
    size, number = int(request.asked("pageSize") or 10), int(request.asked("page") or 1)
    end = number * size
    page = {
        "totalCount": len(found) + more,
        "limit": size,
        "hasMore": end < len(found),
        "nextCursor": None,
        "previousCursor": None,
    }
    return {"data": found[end - size : end], "pagination": page}


def _read(request: Request) -> Parts:
    return {"data": _shown(resources.sought(request, _HOME, request.parameters[_KEY])[1])}


def _created(request: Request) -> Parts:
    enterprise, body = request.enterprise, request.body
    place, direction = request.new_place(_HOME, _KEY), _DIRECTIONS[body["direction"]]
    fields: Fields = {name: body[name] for name in ("partnerId", "docType", "rawEdi") if name in body}
    fields.update(direction=direction, timestamp=enterprise.moment, status=FIRST_STATES[direction])
    enterprise.store.create(_HOME, place.identifier, enterprise.world.board.step, fields)
    enterprise.store.note(enterprise.world.board.step, "create", place.path, fields)
    document = enterprise.entity(place)
    assert document is not None
    return {"data": _shown(document)}


def _writing(changed: Change) -> Handler:
    def written(request: Request) -> Parts:
        resources.change(_HOME, _KEY, changed, request)
        return _read(request)

    return written


def _again(_: Request, before: Document) -> Fields:
    if before["status"] != ERRORED:
        raise Rejected(400, "only a document in error can be sent again")
    return {"status": FIRST_STATES[before["direction"]]}


def _deleted(request: Request) -> Parts:
    resources.delete(_HOME, _KEY, request)
    return {"data": {"deleted": True}}


def _amounts(request: Request) -> Parts:
    field = _grouping(request)
    rows = [
        {field: name, "totalDollarAmount": _worth(group), "transactionCount": len(group)}
        for name, group in _grouped(_asked(request)[0], field).items()
    ]
    return {"data": {_EXPOSURES[field]: rows}}


def _errors(request: Request) -> Parts:
    field = _grouping(request)
    errored = [document for document in _asked(request)[0] if document["status"] == ERRORED]
    rows = [{field: name, "count": len(group)} for name, group in _grouped(errored, field).items()]
    return {"data": {"ediErrorStats": rows}}


def _invoices(request: Request) -> Parts:
    """Count the invoices remembered; one was accepted at first where no refusal of it is remembered either."""
    found = [document for document in _asked(request)[0] if document["docType"] == "810"]
    errored = [document[_KEY] for document in found if document["status"] == ERRORED]
    refused = [*errored, *_refused(request.enterprise)]
    accepted = len([document for document in found if document[_KEY] not in refused])
    statistics = {
        "total": len(found),
        "errored": len(errored),
        "rejectionRate": len(errored) / max(1, len(found)),
        "totalExposureDollar": _worth(found),
        "firstPassAcceptanceRate": accepted / max(1, len(found)),
    }
    return {"data": {"invoiceStatistics": statistics}}


def _refused(enterprise: Enterprise) -> list[str]:
    states = enterprise.world.layout.states.get(_INVOICE)
    if states is None:
        return []
    stage = states.blocked.index(ERRORED) - 1
    return [
        enterprise.directory.path(_INVOICE, number).rpartition("/")[2]
        for _, number, symptom, what in enterprise.world.chronicle.events
        if symptom == stage and what == chronicle.OPENED
    ]


def _grouping(request: Request) -> str:
    asked = request.asked("aggregationType")
    if asked is None:
        raise Rejected(400, "query.aggregationType: expected a value, found none")
    return _GROUPS[asked]


def _grouped(documents: Sequence[Document], field: str) -> dict[str, list[Document]]:
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(document[field], []).append(document)
    return groups


def _worth(documents: Sequence[Document]) -> float:
    worth = 0
    for document in documents:
        worth += cents(document.get("dollarValue", 0))
    return worth / 100


HANDLERS: dict[str, Handler] = {
    "GET edi": _listing,
    "POST edi": _created,
    "GET edi/deprecated": _numbered_pages,
    "GET edi/statistics/amount": _amounts,
    "GET edi/statistics/errors": _errors,
    "GET edi/statistics/invoice": _invoices,
    "GET edi/{transactionId}": _read,
    "PATCH edi/{transactionId}": _writing(changes.plain),
    "DELETE edi/{transactionId}": _deleted,
    "POST edi/{transactionId}/requeue": _writing(_again),
    "PATCH edi/{transactionId}/status": _writing(changes.plain),
}
