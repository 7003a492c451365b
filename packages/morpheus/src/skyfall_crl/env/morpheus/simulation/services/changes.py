"""Changes: which fields of an entity an operation writes, worked out from the body and from what was there."""

from collections.abc import Mapping
from typing import Any, Final

from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import freight
from skyfall_crl.env.morpheus.simulation.services.requests import Change, Rejected, Request
from skyfall_crl.env.morpheus.simulation.store import Fields

FIRST_STATES: Final = {
    "erp/orders": "RECEIVED",
    "erp/invoices": "DRAFT",
    "erp/payments": "RECEIVED",
    "erp/shipments": "CREATED",
    "erp/products": "ACTIVE",
    "erp/companies": "ACTIVE",
    "wms/outbound-orders": "PENDING",
    "wms/inbound-orders": "EXPECTED",
    "wms/shipments": "CREATED",
    "wms/inventory": "AVAILABLE",
    "wms/inventory-transactions": "ADJUST",
    "wms/receiving-transactions": "RECEIVED",
    "wms/replenishments": "SUGGESTED",
    "wms/cycle-counts": "SCHEDULED",
    "wms/tasks": "CREATED",
    "wms/bins": "AVAILABLE",
    "wms/zones": "",
    "wms/warehouses": "ACTIVE",
    "wms/dock-doors": "AVAILABLE",
    "wms/distribution-centers": "ACTIVE",
    "wms/daily-metrics": "",
    "tms/shipments": "PLANNED",
    "tms/carriers": "ACTIVE",
    "tms/trailers": "SCHEDULED",
}
"""The state a new entity of each collection is in."""

_STATE_FIELDS = (
    "orderStatus",
    "shipmentStatus",
    "countStatus",
    "taskStatus",
    "receivingStatus",
    "operationalStatus",
)
_PRIORITIES = {"RUSH": "URGENT", "URGENT": "HIGH", "NORMAL": "NORMAL", "STANDARD": "LOW"}
_OUTBOUND_STATES = {"CREATED": "PENDING", "PACKING": "PICKED"}


def of(operation: Operation) -> Change:
    """Return what an operation that changes an entity writes; the body's own fields unless it says otherwise."""
    key = f"{operation.method} {operation.path.removeprefix('/{worldId}/')}"
    return _SPECIAL.get(key, plain)


def plain(request: Request, before: Document) -> Fields:
    """Return the body's fields; `status` is the entity's state however the entity calls it."""
    written = dict(request.body)
    if "status" in written and "status" not in before:
        state = next((name for name in _STATE_FIELDS if name in before), "status")
        written[state] = written.pop("status")
    return written


def created(path: str, body: Mapping[str, Any]) -> Fields:
    """Return what a new entity holds by its body."""
    given = dict(body)
    if path == "wms/outbound-orders":
        given["lines"] = [{"lineStatus": "PENDING", **line} for line in given["lines"]]
    if path == "wms/shipments":
        for name in ("toAddress", "fromAddress"):
            if name in given:
                given[name] = _spelled(given[name])
    return given


def _allocated(request: Request, before: Document) -> Fields:
    wanted = request.parameters["lineId"]
    for line in before["lines"]:
        if str(line["lineNumber"]) == wanted:
            written = {
                "lineNumber": line["lineNumber"],
                "allocatedQuantity": request.body["allocatedQuantity"],
            }
            if "allocationDetails" in request.body:
                written["allocations"] = request.body["allocationDetails"]
            return {"lines": [written]}
    raise Rejected(404, "no such line")


def _line(request: Request, before: Document) -> Fields:
    number = request.body["lineNumber"]
    if not any(line["lineNumber"] == number for line in before["lines"]):
        raise Rejected(400, f"body.lineNumber: expected the number of a line, found {number}")
    return {"lines": [dict(request.body)]}


def _outbound(request: Request, _: Document) -> Fields:
    written = dict(request.body)
    if "orderStatus" in written:
        written["orderStatus"] = _OUTBOUND_STATES.get(written["orderStatus"], written["orderStatus"])
    if "orderPriority" in written:
        written["priority"] = _PRIORITIES[written.pop("orderPriority")]
    required = written.get("dates", {}).get("requiredShipDate") or written.get("dates.requiredShipDate")
    if required:
        written["requestedShipDate"] = required
    return written


def _outbound_priority(request: Request, _: Document) -> Fields:
    return {"priority": _PRIORITIES[request.body["priority"]]}


def _counted(request: Request, _: Document) -> Fields:
    row = dict(request.body)
    row["systemQuantity"], row["countedQuantity"] = row.pop("expectedQuantity"), row.pop("actualQuantity")
    return {"counts": [row]}


def _count_assigned(request: Request, before: Document) -> Fields:
    kept = list(before.get("assignments", ()))[-15:]
    return {"assignments": [*kept, {**request.body, "status": "ASSIGNED"}]}


def _task_assigned(request: Request, _: Document) -> Fields:
    return {"assignment": dict(request.body), "taskStatus": "ASSIGNED"}


def _scanned(request: Request, _: Document) -> Fields:
    return {"scans": [{**request.body, "scannedAt": request.enterprise.moment}]}


def _approved(request: Request, before: Document) -> Fields:
    written = {
        "status": "APPROVED",
        "approvedBy": request.body["approvedBy"],
        "approvedDate": request.enterprise.moment,
    }
    if "approvedQuantity" in request.body:
        written["quantity"] = {**before["quantity"], "approved": request.body["approvedQuantity"]}
    return written


def _cancelled(request: Request, _: Document) -> Fields:
    return {
        "status": "CANCELLED",
        "cancelReason": request.body["reason"],
        "cancelledBy": request.body["cancelledBy"],
        "cancelledDate": request.enterprise.moment,
    }


def _parcel_event(request: Request, _: Document) -> Fields:
    body = request.body
    event = {"timestamp": body["eventDate"], "location": body["location"], "status": body["eventType"]}
    return {"events": [{**event, "note": body["description"]}]}


def _appended(field: str) -> Change:
    return lambda request, _: {field: [dict(request.body)]}


def _document(request: Request, _: Document) -> Fields:
    return {"documents": [request.body["documentUrl"]]}


def _capacity(request: Request, _: Document) -> Fields:
    inner = request.body.get("capacity", request.body)
    return {"capacity": dict(inner)} if isinstance(inner, Mapping) else {}


def _aisle(request: Request, before: Document) -> Fields:
    return {"aisles": [*list(before.get("aisles", ()))[-15:], dict(request.body)]}


def _no_aisle(request: Request, before: Document) -> Fields:
    gone = request.parameters["aisleId"]
    return {"aisles": [aisle for aisle in before.get("aisles", ()) if aisle.get("aisleId") != gone]}


def _door_taken(request: Request, before: Document) -> Fields:
    if before["status"] != "AVAILABLE":
        raise Rejected(422, f"expected a door that is AVAILABLE, found {before['status']}")
    return {"status": "OCCUPIED", "currentAppointment": dict(request.body)}


def _door_cleared(_: Request, __: Document) -> Fields:
    return {"status": "AVAILABLE", "currentAppointment": None}


INDEPENDENT: Final = (
    plain,
    _allocated,
    _line,
    _outbound,
    _outbound_priority,
    _counted,
    _task_assigned,
    _scanned,
    _parcel_event,
    _document,
    freight.tendered,
    freight.delayed,
)
"""Changes that come out the same whatever agents wrote into the entity before."""


DATED: Final = (_scanned, freight.delayed)
"""Those of them that depend on when they are made."""


def _spelled(address: Mapping[str, Any]) -> Document:
    renamed = {"street": "street1", "zipCode": "postalCode"}
    return {renamed.get(name, name): value for name, value in address.items()}


_SPECIAL: Mapping[str, Change] = {
    **freight.CHANGES,
    "PUT wms/outbound-orders/{orderId}/lines/{lineId}/allocate": _allocated,
    "PUT wms/outbound-orders/{orderId}/picking-progress": _line,
    "PUT wms/outbound-orders/{orderId}/priority": _outbound_priority,
    "PATCH wms/outbound-orders/{orderId}": _outbound,
    "PUT wms/inbound-orders/{inboundOrderId}/receiving-progress": _line,
    "POST wms/cycle-counts/{cycleCountId}/results": _counted,
    "PUT wms/cycle-counts/{cycleCountId}/assign": _count_assigned,
    "PUT wms/tasks/{taskId}/assign": _task_assigned,
    "POST wms/tasks/{taskId}/scans": _scanned,
    "PUT wms/replenishments/{replenishmentId}/approve": _approved,
    "PUT wms/replenishments/{replenishmentId}/cancel": _cancelled,
    "POST wms/shipments/{shipmentId}/tracking-events": _parcel_event,
    "POST wms/receiving-transactions/{transactionId}/items": _appended("items"),
    "PUT wms/bins/{binId}/capacity": _capacity,
    "POST wms/zones/{zoneId}/aisles": _aisle,
    "DELETE wms/zones/{zoneId}/aisles/{aisleId}": _no_aisle,
    "PUT wms/dock-doors/{doorId}/assign": _door_taken,
    "PUT wms/dock-doors/{doorId}/clear": _door_cleared,
    "POST erp/shipments/{shipmentId}/documents": _document,
    "POST erp/shipments/{shipmentId}/events": _appended("events"),
}
