"""Entities of goods on their way in: inbound orders, receipts, trailers and dock doors, as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import QUANTITY, SITE, Document, Facts


def inbound_order(facts: Facts) -> Document:
    """Return the inbound order of the warehouse."""
    received = _passed(facts, "receive")
    return facts.stamped(
        "inbound_order",
        {
            "inboundOrderId": f"wms_inbound-order_{facts.number}",
            "warehouseId": SITE,
            "poNumber": f"ORDER_{facts.number}-P",
            "asnNumber": f"SHIP_{facts.number}",
            "vendor": {"vendorId": f"COMP_{facts.number}-S", "vendorName": f"Supplier {facts.number}"},
            "orderType": "PO",
            "orderStatus": "RECEIVED" if received else "EXPECTED",
            "lines": [
                {
                    "lineNumber": 1,
                    "productId": f"PROD_{facts.number}",
                    "sku": f"SKU-{facts.number}",
                    "expectedQuantity": QUANTITY,
                    "receivedQuantity": QUANTITY if received else 0,
                    "uom": "EA",
                    "lineStatus": "RECEIVED" if received else "EXPECTED",
                }
            ],
            "dates": {"expectedArrival": facts.created},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def receiving(facts: Facts) -> Document:
    """Return the receipt of the goods."""
    inspected = _passed(facts, "inspect")
    return facts.stamped(
        "receiving",
        {
            "receivingId": f"wms_receiving-transaction_{facts.number}",
            "warehouseId": SITE,
            "inboundOrderId": f"wms_inbound-order_{facts.number}",
            "productId": f"PROD_{facts.number}",
            "sku": f"SKU-{facts.number}",
            "lotNumber": f"LOT-{facts.number}",
            "receivedQuantity": QUANTITY,
            "uom": "EA",
            "dockDoorId": f"wms_dock-door_{facts.number}",
            "receivingStatus": "PUTAWAY_PENDING" if inspected else "RECEIVED",
            "quality": {"status": "PASS" if inspected else "PENDING"},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def trailer(facts: Facts) -> Document:
    """Return the trailer that brings the goods."""
    identifier = f"TRAILER_{facts.number}"
    docked = _passed(facts, "dock")
    return facts.stamped(
        "trailer",
        {
            "id": identifier,
            "trailerId": identifier,
            "trailerNumber": str(facts.number),
            "status": "AT_DOCK" if docked else "EN_ROUTE",
            "appointmentInfo": {
                "appointmentId": f"APPT_{facts.number}",
                "scheduledArrival": facts.created,
                "dockDoor": f"wms_dock-door_{facts.number}",
            },
            "facilityInfo": {"dcId": SITE, "facilityName": facts.world.layout.title},
            "carrierInfo": {"carrierId": f"CARRIER_{facts.number}", "carrierName": "Lane Freight"},
            "cargo": {"purchaseOrders": [f"ORDER_{facts.number}-P"], "trailerType": "DRY_VAN"},
            "worldRef": {"worldId": facts.world_id, "dcId": SITE},
        },
    )


def dock_door(facts: Facts) -> Document:
    """Return the dock door the trailer is meant for."""
    return facts.stamped(
        "dock_door",
        {
            "dockDoorId": f"wms_dock-door_{facts.number}",
            "warehouseId": SITE,
            "doorNumber": str(facts.number),
            "doorType": "INBOUND",
            "status": "OCCUPIED" if _passed(facts, "dock") else "AVAILABLE",
            "worldRef": {"worldId": facts.world_id},
        },
    )


def _passed(facts: Facts, stage: str) -> bool:
    """Tell whether the order has left a stage behind; one the layout does not have counts as left."""
    for place, symptom in enumerate(facts.world.layout.symptoms):
        if symptom.stage == stage:
            return facts.order.stage > place
    return True
