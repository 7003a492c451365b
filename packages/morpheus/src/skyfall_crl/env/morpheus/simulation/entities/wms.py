"""Entities of the WMS domain as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, QUANTITY, SITE, Document, Facts


def outbound_order(facts: Facts) -> Document:
    """Return the outbound order."""
    line = {
        "lineNumber": 1,
        "itemId": f"PROD_{facts.number}",
        "itemDescription": f"Product {facts.number}",
        "orderedQuantity": QUANTITY,
        "unitOfMeasure": "EA",
        "lineStatus": "PENDING" if facts.order.stage == 0 else "PICKING",
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
            "orderStatus": ("RELEASED", "PICKING", "PICKED", "PACKED")[min(facts.order.stage, 3)],
            "orderDate": facts.created,
            "requestedShipDate": facts.created,
            "lines": [line],
            "shippingAddress": {**ADDRESS, "zipCode": "52062"},
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
            "countStatus": "IN_PROGRESS",
            "schedule": {"scheduledDate": facts.created},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def replenishment(facts: Facts) -> Document:
    """Return the replenishment of the order's bin."""
    bin_ = {"binId": "wms_bin_1", "binCode": "A-01-1"}
    return facts.stamped(
        "replenishment",
        {
            "replenishmentId": f"wms_replenishment_{facts.number}",
            "warehouseId": SITE,
            "productId": f"PROD_{facts.number}",
            "fromBin": bin_,
            "toBin": {**bin_, "binId": "wms_bin_2", "binCode": "A-01-2"},
            "quantity": {"suggested": QUANTITY, "uom": "EA"},
            "replenishmentType": "DEMAND",
            "priority": 50,
            "status": "SUGGESTED",
            "worldRef": {"worldId": facts.world_id},
        },
    )


def inventory(facts: Facts) -> Document:
    """Return the stock record."""
    return facts.stamped(
        "inventory",
        {
            "inventoryId": f"wms_inventory_{facts.number}",
            "sku": f"SKU-{facts.number}",
            "productName": f"Product {facts.number}",
            "warehouseId": SITE,
            "binId": "wms_bin_1",
            "quantityOnHand": QUANTITY,
            "quantityAllocated": 0,
            "quantityAvailable": QUANTITY,
            "inventoryStatus": "ALLOCATED",
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
            "taskStatus": "ASSIGNED",
            "reference": {"type": "ORDER", "id": f"ORDER_{facts.number}"},
            "worldRef": {"worldId": facts.world_id},
        },
    )
