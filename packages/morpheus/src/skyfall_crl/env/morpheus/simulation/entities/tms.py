"""Entities of the TMS domain as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, QUANTITY, Document, Facts

_BASE_SHARE, _FUEL_SHARE = 10, 100


def tms_shipment_record(facts: Facts) -> Document:
    """Return the freight shipment alone, as writes answer and lists hold."""
    place = {"locationName": "Dock", "address": {**ADDRESS, "postalCode": "52062"}}
    identifier = f"TMS_SHIP_{facts.number}"
    base = facts.order.value_cents // _BASE_SHARE
    fuel = facts.order.value_cents // _FUEL_SHARE
    dates = facts.moments("tms_shipment", actualPickupDate="IN_TRANSIT", actualDeliveryDate="DELIVERED")
    return facts.stamped(
        "tms_shipment",
        {
            "id": identifier,
            "shipmentId": identifier,
            "shipmentNumber": str(facts.number),
            "shipmentType": "OUTBOUND",
            "serviceLevel": "STANDARD",
            "status": facts.state("tms_shipment", "IN_TRANSIT"),
            "origin": place,
            "destination": place,
            "carrierInfo": {
                "carrierId": f"CARRIER_{facts.number}",
                "carrierName": "Lane Freight",
                "carrierCode": "LANE",
                "scacCode": "LANE",
                "trackingNumber": f"TRK{facts.number}",
            },
            "dates": {"plannedPickupDate": facts.created, **dates},
            "cargo": {"palletCount": 1, "packageCount": QUANTITY},
            "costs": {
                "baseCost": base / 100,
                "fuelSurcharge": fuel / 100,
                "accessorialCharges": 0,
                "totalCost": (base + fuel) / 100,
                "currency": "USD",
            },
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
            "carrierCode": f"LANE{facts.number}",
            "carrierName": "Lane Freight",
            "carrierType": "FTL",
            "status": facts.state("carrier", "ACTIVE"),
        },
    )
