"""Selection: which entities of a list a query asks for, and the page of them it gets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services.requests import Parts, Request

_PAGING = ("limit", "cursor", "offset", "page", "pageSize")
_UNHELD = (
    "includeHistorical",
    "expiringSoon",
    "priorityOrders",
    "startTime",
    "endTime",
    "type",
    "targetDate",
)
_SEARCHES = ("search", "searchText", "searchTerm", "q")
_DEFAULT_LIMIT = 50
_FLAGS = {"true": True, "false": False}
_FIELDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "taskIds": (("taskId",),),
    "taskTypes": (("taskType",),),
    "userIds": (("assignment", "userId"),),
    "userId": (("userId",), ("assignment", "userId")),
    "productIds": (("productId",),),
    "zoneIds": (("zoneId",),),
    "vendorId": (("vendor", "vendorId"),),
    "carrier": (("carrier", "name"),),
    "carrierName": (("carrier", "name"), ("carrierName",)),
    "carrierId": (("carrierInfo", "carrierId"), ("carrierId",)),
    "binId": (("binId",), ("fromBinId",), ("toBinId",)),
    "dcId": (("facilityInfo", "dcId"),),
    "dunsNumber": (("duns",),),
    "minPrice": (("price", "amount"),),
    "maxPrice": (("price", "amount"),),
    "smartWayCertified": (("compliance", "smartWayCertified"),),
    "minOnTimeRate": (("performance", "onTimeDeliveryRate"),),
    "maxDamageRate": (("performance", "damageClaimRate"),),
    "maxTransitTime": (("performance", "averageTransitTime"),),
    "amountMin": (("amount",),),
    "amountMax": (("amount",),),
    "serviceRegion": (("serviceRegions",),),
    "requesteddateStart": (("requestedDate",),),
    "requesteddateEnd": (("requestedDate",),),
}
"""Where an entity holds what a query parameter is held against, unless it is a field of the same name."""


def wanted(request: Request) -> dict[str, list[str]]:
    """Return what a query and the path ask of each entity, without what only turns pages; states are taken apart."""
    asked = {name: [value] for name, value in request.parameters.items()}
    asked.update(request.query)
    return {
        name: [part for value in values for part in (value.split(",") if name == "status" else (value,))]
        for name, values in asked.items()
        if name not in _PAGING
        and name not in _UNHELD
        and (name in request.parameters or _declared(request, name))
    }


def matching(
    documents: Iterable[Document], asked: Mapping[str, Sequence[str]], state: str, dated: str
) -> list[Document]:
    """Return the entities that fulfil everything asked; `state` and `dated` name the fields of states and dates."""
    return [
        document
        for document in documents
        if all(_fulfils(document, name, values, state, dated) for name, values in asked.items())
    ]


def page(request: Request, documents: Sequence[Document], more: int = 0) -> tuple[list[Document], Document]:
    """Return the entities of the page asked for, and its cursors; `more` are those only counted any longer."""
    limit = int(request.asked("limit") or _default(request.operation))
    cursor, start = request.asked("cursor"), 0
    if cursor is not None:
        start = 1 + next((at for at, each in enumerate(documents) if each["_id"] == cursor), len(documents))
    shown = list(documents[start : start + limit])
    going_on = start + len(shown) < len(documents)
    return shown, {
        "totalCount": len(documents) + more,
        "limit": limit,
        "hasMore": going_on,
        "nextCursor": shown[-1]["_id"] if going_on and shown else None,
    }


def listed(request: Request, documents: Sequence[Document], more: int = 0) -> Parts:
    """Return a list in the shape its operation declares."""
    shape = request.operation.answer.shape
    if shape == "list" and "limit" not in request.operation.query_fields:
        return {"data": list(documents)}
    shown, cursors = page(request, documents, more)
    if shape == "items":
        return {"data": {"items": shown, **cursors}}
    if shape == "list":
        return {"data": shown}
    return {"data": shown, "pagination": {**cursors, "previousCursor": None}}


def figure(document: Mapping[str, Any], *names: str) -> Any:
    """Return a field of a document or of an object in it, None where it has none."""
    found: Any = document
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _declared(request: Request, name: str) -> bool:
    return name in request.operation.query_fields


def _default(operation: Operation) -> int:
    for field in operation.query.fields:
        if field.name == "limit" and field.default is not None:
            return int(field.default)
    return _DEFAULT_LIMIT


def _fulfils(document: Document, name: str, values: Sequence[str], state: str, dated: str) -> bool:
    if name == "status":
        return document.get(state) in values
    if name in _SEARCHES:
        text = " ".join(str(value) for value in document.values() if isinstance(value, str)).lower()
        return values[-1].lower() in text
    found = next((each for path in _places(name) if (each := figure(document, *path)) is not None), None)
    if name == "from" or name.endswith("Start"):
        return _ordered(values[-1], found or document.get(dated))
    if name == "to" or name.endswith("End"):
        return _ordered(found or document.get(dated), values[-1])
    if name.startswith(("min", "max")) or name.endswith(("Min", "Max")):
        bound, low = float(values[-1]), name.startswith("min") or name.endswith("Min")
        return isinstance(found, (int, float)) and (found >= bound if low else found <= bound)
    if isinstance(found, bool):
        return found is _FLAGS.get(values[-1])
    if isinstance(found, list):
        return any(value in found for value in values)
    return str(found) in values


def _places(name: str) -> tuple[tuple[str, ...], ...]:
    return _FIELDS.get(name, ((name,),))


def _ordered(first: Any, second: Any) -> bool:
    if not isinstance(first, str) or not isinstance(second, str):
        return False
    length = min(len(first), len(second))
    return first[:length] <= second[:length]
