"""Changes of freight shipments, carriers and trailers: which fields each operation writes."""

from collections.abc import Mapping
from typing import Final

from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services.requests import Change, Rejected, Request
from skyfall_crl.env.morpheus.simulation.store import Fields

_TRAILER_DELAYS = {"MECHANICAL": "OTHER", "REGULATORY": "OTHER"}


def tendered(request: Request, _: Document) -> Fields:
    """Return what a tender to a carrier writes."""
    return {"status": "TENDERED", "carrierInfo": dict(request.body)}


def _accepted(request: Request, before: Document) -> Fields:
    if before["status"] != "TENDERED":
        raise Rejected(400, f"expected a shipment that is TENDERED, found {before['status']}")
    names = ("proNumber", "trackingNumber")
    return {
        "status": "ACCEPTED",
        "carrierInfo": {name: request.body[name] for name in names if name in request.body},
    }


def delayed(request: Request, _: Document) -> Fields:
    """Return what a recorded delay writes."""
    return {"status": "DELAYED", "delays": [{"startTime": request.enterprise.moment, **request.body}]}


def _edi214(request: Request, _: Document) -> Fields:
    now = request.enterprise.moment
    event = {"eventType": "EDI214", "eventDescription": request.body["status"], "source": "EDI"}
    return {"externalEvents": [{**event, "eventTime": request.body.get("timestamp", now)}]}


def _located(request: Request, _: Document) -> Fields:
    body = request.body
    found: Fields = {"lastKnownPosition": {"latitude": body["latitude"], "longitude": body["longitude"]}}
    found["lastUpdateTime"] = body.get("timestamp", request.enterprise.moment)
    for name, field in (("city", "currentCity"), ("state", "currentState")):
        if name in body:
            found[field] = body[name]
    return {"currentLocation": found}


def _performance(request: Request, before: Document) -> Fields:
    return {"performance": {**before.get("performance", {}), **request.body}}


def _trailer(state: str) -> Change:
    def changed(request: Request, before: Document) -> Fields:
        body, written = request.body, {"status": state or request.body.get("status", before["status"])}
        times = (
            "scheduledArrival",
            "scheduledDeparture",
            "actualArrival",
            "actualDeparture",
            "estimatedArrival",
        )
        appointment = {name: body[name] for name in (*times, "dockDoor", "appointmentId") if name in body}
        driver = {name: body[name] for name in ("driverName", "driverPhone") if name in body}
        cargo = {name: body[name] for name in ("sealNumber", "actualPallets") if name in body}
        facility = {name: body[name] for name in ("dcId", "facilityName") if name in body}
        parts = {
            "appointmentInfo": appointment,
            "carrierInfo": driver,
            "cargo": cargo,
            "facilityInfo": facility,
        }
        return {**written, **{name: part for name, part in parts.items() if part}}

    return changed


def _trailer_delayed(request: Request, _: Document) -> Fields:
    kind = request.body["delayType"]
    return {"status": "DELAYED", "delays": [{**request.body, "delayType": _TRAILER_DELAYS.get(kind, kind)}]}


CHANGES: Final[Mapping[str, Change]] = {
    "PUT tms/shipments/{shipmentId}/tender": tendered,
    "PUT tms/shipments/{shipmentId}/accept": _accepted,
    "POST tms/shipments/{shipmentId}/delays": delayed,
    "POST tms/shipments/{shipmentId}/edi214": _edi214,
    "PUT tms/shipments/{shipmentId}/location": _located,
    "PUT tms/carriers/{carrierId}/performance": _performance,
    "POST tms/trailers/{trailerId}/assign-dock": _trailer("AT_DOCK"),
    "POST tms/trailers/{trailerId}/checkin": _trailer("CHECKED_IN"),
    "POST tms/trailers/{trailerId}/complete-unloading": _trailer("UNLOADED"),
    "POST tms/trailers/{trailerId}/delays": _trailer_delayed,
    "POST tms/trailers/{trailerId}/schedule": _trailer("SCHEDULED"),
    "POST tms/trailers/{trailerId}/start-unloading": _trailer("UNLOADING"),
    "PUT tms/trailers/{trailerId}/status": _trailer(""),
}
"""What is written by operation, method and path within a world."""
