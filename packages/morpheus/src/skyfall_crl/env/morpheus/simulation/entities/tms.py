"""Entities of the TMS domain as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, Document, Facts


def tms_shipment_record(facts: Facts) -> Document:
    """Return the freight shipment alone, as writes answer."""
    place = {"locationName": "Dock", "address": {**ADDRESS, "postalCode": "52062"}}
    identifier = f"TMS_SHIP_{facts.number}"
    return facts.stamped(
        "tms_shipment",
        {
            "id": identifier,
            "shipmentId": identifier,
            "shipmentNumber": str(facts.number),
            "status": "EXCEPTION" if facts.order.fault else "IN_TRANSIT",
            "origin": place,
            "destination": place,
            "references": {"orderId": f"ORDER_{facts.number}"},
        },
    )


def tms_shipment(facts: Facts) -> Document:
    """Return the freight shipment with its events, as reads answer."""
    return {"shipment": tms_shipment_record(facts), "events": []}


def tms_event(facts: Facts) -> Document:
    """Return the shipment event just recorded."""
    identifier = f"TMS_EVENT_{facts.number}"
    return facts.stamped(
        "tms_event",
        {
            "id": identifier,
            "eventId": identifier,
            "shipmentId": f"TMS_SHIP_{facts.number}",
            "eventType": "LOCATION_UPDATE",
            "eventTime": facts.updated,
        },
    )


def carrier(facts: Facts) -> Document:
    """Return the carrier of the order's lane."""
    return facts.stamped(
        "carrier",
        {
            "worldRef": {"worldId": facts.world_id},
            "carrierId": f"CARRIER_{facts.number}",
            "carrierCode": "LANE",
            "carrierName": "Lane Freight",
            "carrierType": "FTL",
            "status": "ACTIVE",
        },
    )
