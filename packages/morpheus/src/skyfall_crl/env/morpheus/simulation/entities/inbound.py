"""Entities of goods on their way in: inbound orders, receipts, trailers, dock doors and tasks at the dock."""

from skyfall_crl.env.morpheus.simulation.entities.facts import QUANTITY, SITE, Document, Facts

_COUNTED = ("RECEIVED", "CLOSED")
_PASSED = ("PUTAWAY_PENDING", "COMPLETED")


def inbound_order(facts: Facts) -> Document:
    """Return the inbound order of the warehouse."""
    state = facts.state("inbound_order", "EXPECTED")
    counted = state in _COUNTED
    return facts.stamped(
        "inbound_order",
        {
            "inboundOrderId": f"wms_inbound-order_{facts.number}",
            "warehouseId": SITE,
            "poNumber": f"ORDER_{facts.number}-P",
            "asnNumber": f"SHIP_{facts.number}",
            "vendor": {"vendorId": f"COMP_{facts.number}-S", "vendorName": f"Supplier {facts.number}"},
            "orderType": "PO",
            "orderStatus": state,
            "lines": [
                {
                    "lineNumber": 1,
                    "productId": f"PROD_{facts.number}",
                    "sku": f"SKU-{facts.number}",
                    "expectedQuantity": QUANTITY,
                    "receivedQuantity": QUANTITY if counted else 0,
                    "uom": "EA",
                    "lineStatus": "RECEIVED" if counted else "EXPECTED",
                }
            ],
            "dates": {
                "expectedArrival": facts.created,
                **facts.moments("inbound_order", receivingStarted="RECEIVING", receivingCompleted="RECEIVED"),
            },
            "appointmentId": f"APPT_{facts.number}",
            "totals": {"pallets": 1, "units": QUANTITY, "expectedLines": 1},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def receiving(facts: Facts) -> Document:
    """Return the receipt of the goods."""
    state = facts.state("receiving", "RECEIVED")
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
            "receivingStatus": state,
            "quality": {"status": "PASS" if state in _PASSED else "PENDING"},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def trailer(facts: Facts) -> Document:
    """Return the trailer that brings the goods."""
    identifier = f"TRAILER_{facts.number}"
    return facts.stamped(
        "trailer",
        {
            "id": identifier,
            "trailerId": identifier,
            "trailerNumber": str(facts.number),
            "status": facts.state("trailer", "EN_ROUTE"),
            "appointmentInfo": {
                "appointmentId": f"APPT_{facts.number}",
                "scheduledArrival": facts.created,
                "dockDoor": f"wms_dock-door_{facts.number}",
                **facts.moments("trailer", actualArrival="UNLOADING", actualDeparture="DEPARTED"),
            },
            "facilityInfo": {"dcId": SITE, "facilityName": facts.world.layout.title},
            "carrierInfo": {"carrierId": f"CARRIER_{facts.number}", "carrierName": "Lane Freight"},
            "cargo": {
                "purchaseOrders": [f"ORDER_{facts.number}-P"],
                "expectedPallets": 1,
                "trailerType": "REEFER" if "zone" in facts.world.layout.states else "DRY_VAN",
            },
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
            "status": facts.state("dock_door", "AVAILABLE"),
            "worldRef": {"worldId": facts.world_id},
        },
    )


def dock_task(facts: Facts) -> Document:
    """Return the task of the goods: unloading them, then putting them away."""
    unloading = facts.reached("trailer", "DEPARTED") is None
    return facts.stamped(
        "dock_task",
        {
            "taskId": f"wms_task_{facts.number}",
            "warehouseId": SITE,
            "taskType": "UNLOAD" if unloading else "PUTAWAY",
            "priority": 50,
            "taskStatus": facts.state("dock_task", "CREATED"),
            "product": {"productId": f"PROD_{facts.number}", "sku": f"SKU-{facts.number}"},
            "quantity": {"requested": QUANTITY, "uom": "EA"},
            "lotNumber": f"LOT-{facts.number}",
            "reference": {"type": "INBOUND", "id": f"wms_inbound-order_{facts.number}"},
            "worldRef": {"worldId": facts.world_id},
        },
    )
