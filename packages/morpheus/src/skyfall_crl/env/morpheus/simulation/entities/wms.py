"""Entities of the WMS domain as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, QUANTITY, SITE, Document, Facts

_BIN = "wms_bin_A01"
_HANDLED = {"PICKED": QUANTITY, "SHIPPED": QUANTITY}


def outbound_order(facts: Facts) -> Document:
    """Return the outbound order."""
    state = facts.state("outbound_line", "PENDING")
    line = {
        "lineNumber": 1,
        "itemId": f"PROD_{facts.number}",
        "itemDescription": f"Product {facts.number}",
        "orderedQuantity": QUANTITY,
        "allocatedQuantity": 0 if state == "PENDING" else QUANTITY,
        "pickedQuantity": _HANDLED.get(state, 0),
        "unitOfMeasure": "EA",
        "lineStatus": state,
    }
    return facts.stamped(
        "outbound_order",
        {
            "orderId": f"wms_outbound-order_{facts.number}",
            "orderNumber": str(facts.number),
            "worldRef": {"worldId": facts.world_id, "worldName": facts.world.layout.title},
            "warehouseId": SITE,
            "customerId": f"COMP_{facts.number}",
            "customerName": f"Customer {facts.number}",
            "orderType": "STANDARD",
            "priority": ("LOW", "NORMAL", "HIGH", "URGENT")[facts.order.priority],
            "orderStatus": facts.state("outbound_order", "RELEASED"),
            "orderDate": facts.created,
            "requestedShipDate": facts.created,
            "lines": [line],
            "shippingAddress": {**ADDRESS, "zipCode": "52062"},
            "timing": facts.moments(
                "outbound_order",
                allocatedAt="ALLOCATED",
                pickingStartedAt="PICKING",
                pickedAt="PICKED",
                packedAt="PACKED",
                shippedAt="SHIPPED",
            ),
        },
    )


def wms_shipment(facts: Facts) -> Document:
    """Return the parcel shipment of the warehouse."""
    line = {"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityShipped": QUANTITY}
    return facts.stamped(
        "wms_shipment",
        {
            "shipmentId": f"wms_shipment_{facts.number}",
            "worldRef": {"worldId": facts.world_id},
            "warehouseId": SITE,
            "shipmentStatus": facts.state("wms_shipment", "CREATED"),
            "lines": [{**line, "orderId": f"wms_outbound-order_{facts.number}"}],
            "orders": [{"orderId": f"wms_outbound-order_{facts.number}"}],
            "carrier": {"name": "Lane Freight", "scac": "LANE", "mode": "TL"},
            "serviceLevel": "STANDARD",
            "trackingNumber": f"TRK{facts.number}",
            "toAddress": {**ADDRESS, "postalCode": "52062"},
            "dates": facts.moments(
                "wms_shipment",
                manifestDate="MANIFESTED",
                actualShipTime="IN_TRANSIT",
                actualDeliveryDate="DELIVERED",
            ),
        },
    )


def cycle_count(facts: Facts) -> Document:
    """Return the cycle count of the order's bin."""
    return facts.stamped(
        "cycle_count",
        {
            "cycleCountId": f"wms_cycle-count_{facts.number}",
            "warehouseId": SITE,
            "countType": "SPOT",
            "countStatus": facts.state("cycle_count", "IN_PROGRESS"),
            "scope": {"binIds": [_BIN], "productIds": [f"PROD_{facts.number}"]},
            "schedule": {"scheduledDate": facts.created},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def replenishment(facts: Facts) -> Document:
    """Return the replenishment of the order's bin."""
    return facts.stamped(
        "replenishment",
        {
            "replenishmentId": f"wms_replenishment_{facts.number}",
            "warehouseId": SITE,
            "productId": f"PROD_{facts.number}",
            "sku": f"SKU-{facts.number}",
            "fromBin": {"binId": "wms_bin_A04", "binCode": "B-01-1"},
            "toBin": {"binId": _BIN, "binCode": "A-01-1"},
            "quantity": {"suggested": QUANTITY, "uom": "EA"},
            "replenishmentType": "DEMAND",
            "priority": 50,
            "status": facts.state("replenishment", "SUGGESTED"),
            "worldRef": {"worldId": facts.world_id},
        },
    )


def inventory(facts: Facts) -> Document:
    """Return the stock record of the order's goods: on hand until they are shipped."""
    line = facts.state("outbound_line", "PENDING")
    held = 0 if line == "SHIPPED" else QUANTITY
    state = facts.state("inventory", "ALLOCATED")
    allocated = held if state == "ALLOCATED" else 0
    return facts.stamped(
        "inventory",
        {
            "inventoryId": f"wms_inventory_{facts.number}",
            "sku": f"SKU-{facts.number}",
            "productName": f"Product {facts.number}",
            "warehouseId": SITE,
            "binId": _BIN,
            "quantityOnHand": held,
            "quantityAllocated": allocated,
            "quantityAvailable": held - allocated,
            "inventoryStatus": state,
            "lastMovementAt": facts.updated,
        },
    )


def inventory_transaction(facts: Facts) -> Document:
    """Return the stock movement just recorded."""
    return facts.stamped(
        "inventory_transaction",
        {
            "transactionId": f"wms_inventory-transaction_{facts.number}",
            "warehouseId": SITE,
            "transactionType": "MOVE",
            "productId": f"PROD_{facts.number}",
            "quantity": QUANTITY,
            "transactionDate": facts.updated,
            "worldRef": {"worldId": facts.world_id},
        },
    )


def task(facts: Facts) -> Document:
    """Return the picking task."""
    return facts.stamped(
        "task",
        {
            "taskId": f"wms_task_{facts.number}",
            "warehouseId": SITE,
            "taskType": "PICK",
            "priority": 50,
            "taskStatus": facts.state("task", "ASSIGNED"),
            "product": {"productId": f"PROD_{facts.number}", "sku": f"SKU-{facts.number}"},
            "from": {"binId": _BIN, "binCode": "A-01-1", "zoneId": "wms_zone_A1"},
            "quantity": {"requested": QUANTITY, "uom": "EA"},
            "zoneId": "wms_zone_A1",
            "reference": {"type": "ORDER", "id": f"ORDER_{facts.number}"},
            "worldRef": {"worldId": facts.world_id},
        },
    )
