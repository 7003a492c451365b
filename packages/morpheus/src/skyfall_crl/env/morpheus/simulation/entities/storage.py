"""Entities of stock by lot and of the places it is kept in, as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.entities.facts import QUANTITY, SITE, Document, Facts


def lot(facts: Facts) -> Document:
    """Return the stock record of the order's lot, which lasts as long as an order may be held up."""
    layout = facts.world.layout
    state = facts.state("lot", "AVAILABLE")
    gone = facts.reached("outbound_line", "SHIPPED") is not None
    held = 0 if gone else QUANTITY
    allocated = held if state == "ALLOCATED" else 0
    lasts = facts.order.entered_step + layout.horizon_steps * len(layout.symptoms)
    return facts.stamped(
        "lot",
        {
            "inventoryId": f"wms_inventory_{facts.number}",
            "sku": f"SKU-{facts.number}",
            "productName": f"Product {facts.number}",
            "warehouseId": SITE,
            "binId": f"wms_bin_{facts.number}",
            "quantityOnHand": held,
            "quantityAllocated": allocated,
            "quantityAvailable": held - allocated,
            "inventoryStatus": state,
            "lotNumber": f"LOT-{facts.number}",
            "expirationDate": instant(lasts, layout.minutes_per_step),
            "lastMovementAt": facts.updated,
        },
    )


def bin_(facts: Facts) -> Document:
    """Return the bin the order's goods are meant for."""
    return facts.stamped(
        "bin",
        {
            "binId": f"wms_bin_{facts.number}",
            "binCode": f"A-{facts.number}",
            "warehouseId": SITE,
            "zoneId": f"wms_zone_{facts.number}",
            "binType": "PALLET",
            "locationType": "STORAGE",
            "status": facts.state("bin", "RESERVED"),
            "worldRef": {"worldId": facts.world_id},
        },
    )


def zone(facts: Facts) -> Document:
    """Return the cooled zone that bin stands in."""
    return facts.stamped(
        "zone",
        {
            "worldRef": {"worldId": facts.world_id},
            "zoneId": f"wms_zone_{facts.number}",
            "warehouseId": SITE,
            "zoneCode": f"Z-{facts.number}",
            "zoneName": f"Zone {facts.number}",
            "zoneType": "STORAGE",
            "temperatureControlled": True,
            "temperatureRange": {"min": 2, "max": 5, "unit": "C"},
        },
    )
