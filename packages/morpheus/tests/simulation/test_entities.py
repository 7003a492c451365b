"""Entities: every key the wire demands is there."""

from typing import Any

import pytest

from skyfall_crl.env.morpheus.simulation import World
from skyfall_crl.env.morpheus.simulation.entities import render

COMMON = ("_id", "createdAt", "updatedAt")
REQUIRED = {
    "order": ("worldId", "orderId", "customerId", "orderDate", "status", "lines"),
    "invoice": ("worldId", "invoiceId", "customerId", "issueDate", "totalAmount", "status", "lines"),
    "payment": ("worldId", "paymentId", "customerId", "paymentDate", "totalAmount"),
    "product": ("worldRef", "productId", "name", "status"),
    "shipment": ("worldId", "shipmentId", "status", "toAddress", "lines"),
    "outbound_order": (
        "orderId",
        "orderNumber",
        "worldRef",
        "warehouseId",
        "customerId",
        "customerName",
        "orderType",
        "priority",
        "orderStatus",
        "orderDate",
        "requestedShipDate",
        "lines",
        "shippingAddress",
    ),
    "cycle_count": ("cycleCountId", "warehouseId", "countType", "countStatus", "schedule", "worldRef"),
    "replenishment": (
        "replenishmentId",
        "warehouseId",
        "productId",
        "fromBin",
        "toBin",
        "quantity",
        "replenishmentType",
        "priority",
        "status",
        "worldRef",
    ),
    "inventory": ("inventoryId", "sku", "warehouseId", "quantityOnHand", "inventoryStatus"),
    "inventory_transaction": (
        "transactionId",
        "warehouseId",
        "transactionType",
        "productId",
        "quantity",
        "transactionDate",
        "worldRef",
    ),
    "task": ("taskId", "warehouseId", "taskType", "worldRef", "priority", "taskStatus"),
    "tms_shipment_record": ("id", "shipmentId", "shipmentNumber", "status", "origin", "destination"),
    "tms_event": ("id", "eventId", "shipmentId", "eventType", "eventTime"),
    "carrier": ("carrierId", "carrierCode", "carrierName", "carrierType", "status"),
}


@pytest.mark.parametrize("kind", REQUIRED)
def test_an_entity_has_the_keys_the_wire_demands(world: World, kind: str) -> None:
    for order in world.orders.values():
        document: dict[str, Any] = render(kind, world, "5f" * 12, order)
        assert document.keys() >= {*COMMON, *REQUIRED[kind]}
        assert None not in document.values()


def test_ids_of_different_entities_differ(world: World) -> None:
    ids = [
        render(kind, world, "5f" * 12, order)["_id"] for kind in REQUIRED for order in world.orders.values()
    ]
    ids += [fault.ticket_id for fault in world.blocked.values()]
    shared_by_shipments = len(world.orders) * 0
    assert len(set(ids)) == len(ids) - shared_by_shipments


def test_a_read_of_a_shipment_carries_its_events(world: World) -> None:
    order = next(iter(world.orders.values()))
    assert render("tms_shipment", world, "5f" * 12, order).keys() == {"shipment", "events"}
