"""Entities around an order as the wire shows them: rendered when read, from what the engine knows.

What a fault's two linked entities show is put among their custom fields; nothing here feeds back into the engine.
"""

from collections.abc import Callable
from typing import Any

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.layout import ENTITY_IDS
from skyfall_crl.env.morpheus.simulation.orders import Order

_SITE = "wms_warehouse_1"
_QUANTITY = 12
_ENTITY_TAG = 128
_ADDRESS = {"street1": "1 Dock Road", "city": "Aachen", "state": "NW", "country": "DE"}

Document = dict[str, Any]


class Facts:
    """What renderers read about one order."""

    __slots__ = ("amount", "created", "number", "order", "telling", "updated", "world", "world_id")

    def __init__(self, world: World, world_id: str, order: Order, *, telling: bool):
        minutes = world.layout.minutes_per_step
        self.world_id = world_id
        self.world = world
        self.order = order
        self.telling = telling
        self.number = str(order.number)
        self.amount = order.value_cents / 100
        self.created = instant(order.entered_step, minutes)
        self.updated = instant(world.board.step, minutes)

    @property
    def date(self) -> str:
        """The day the order entered."""
        return self.created[:10]

    def named(self, kind: str) -> str:
        """Return the id of a kind of entity around this order."""
        return ENTITY_IDS[kind].replace("{number}", self.number)

    def stamped(self, kind: str, document: Document) -> Document:
        """Return a document with the keys every entity has."""
        document["_id"] = object_id(self.world.prefix, self.order.number, _TAGS[kind])
        document["createdAt"] = self.created
        document["updatedAt"] = self.updated
        if self.telling:
            figures = evidence_figures(self.world, self.order.fault, kind)
            if figures:
                document["customFields"] = figures
        return document


def evidence_figures(world: World, fault: Fault | None, kind: str) -> dict[str, int]:
    """Return the figures an entity shows of a fault: the clue, or one candidate for each cause.

    Which figure stands for which cause is turned by a draw that the cause does not depend on, so that neither
    entity alone tells the cause and the two together do.
    """
    if fault is None:
        return {}
    symptom = world.layout.symptoms[fault.symptom]
    draw, causes = fault.evidence_draw, len(symptom.candidates)
    turn = draw % causes
    if kind == symptom.evidence[0].entity:
        return {symptom.clue: _figure(draw, (fault.cause + turn) % causes)}
    if kind == symptom.evidence[1].entity:
        return {name: _figure(draw, (cause + turn) % causes) for cause, name in enumerate(symptom.candidates)}
    return {}


def render(kind: str, world: World, world_id: str, order: Order, *, telling: bool = True) -> Document:
    """Return one entity around an order; unless `telling`, without what it shows of a fault."""
    return _RENDERERS[kind](Facts(world, world_id, order, telling=telling))


def _figure(draw: int, index: int) -> int:
    figure = 2
    for place in range(index):
        figure += 1 + (draw >> 4 * place & 3)
    return figure + (draw >> 12 & 3)


def _order(facts: Facts) -> Document:
    collecting = facts.order.stage > facts.world.layout.delivered_after
    return facts.stamped(
        "order",
        {
            "worldId": facts.world_id,
            "orderId": facts.named("order"),
            "customerId": facts.named("customer"),
            "orderDate": facts.date,
            "status": "PARTIALLY_SHIPPED" if collecting else "IN_PROGRESS",
            "totalAmount": facts.amount,
            "currency": "USD",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityOrdered": _QUANTITY}],
        },
    )


def _invoice(facts: Facts) -> Document:
    return facts.stamped(
        "invoice",
        {
            "worldId": facts.world_id,
            "invoiceId": facts.named("invoice"),
            "customerId": facts.named("customer"),
            "orderId": facts.named("order"),
            "issueDate": facts.date,
            "totalAmount": facts.amount,
            "balanceDue": facts.amount,
            "status": "SENT",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantity": _QUANTITY}],
        },
    )


def _payment(facts: Facts) -> Document:
    return facts.stamped(
        "payment",
        {
            "worldId": facts.world_id,
            "paymentId": facts.named("payment"),
            "customerId": facts.named("customer"),
            "paymentDate": facts.date,
            "totalAmount": facts.amount,
            "status": "UNMATCHED" if facts.order.fault else "RECEIVED",
        },
    )


def _product(facts: Facts) -> Document:
    return facts.stamped(
        "product",
        {
            "worldRef": {"worldId": facts.world_id},
            "productId": facts.named("product"),
            "name": f"Product {facts.number}",
            "status": "ACTIVE",
            "unitOfMeasure": "EA",
        },
    )


def _shipment(facts: Facts) -> Document:
    return facts.stamped(
        "shipment",
        {
            "worldId": facts.world_id,
            "shipmentId": facts.named("shipment"),
            "status": "EXCEPTION" if facts.order.fault else "IN_TRANSIT",
            "toAddress": {**_ADDRESS, "postalCode": "52062"},
            "trackingNumber": f"TRK{facts.number}",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityShipped": _QUANTITY}],
        },
    )


def _outbound_order(facts: Facts) -> Document:
    line = {
        "lineNumber": 1,
        "itemId": facts.named("product"),
        "itemDescription": f"Product {facts.number}",
        "orderedQuantity": _QUANTITY,
        "unitOfMeasure": "EA",
        "lineStatus": "PENDING" if facts.order.stage == 0 else "PICKING",
    }
    return facts.stamped(
        "outbound_order",
        {
            "orderId": facts.named("outbound_order"),
            "orderNumber": facts.number,
            "worldRef": {"worldId": facts.world_id, "worldName": facts.world.layout.title},
            "warehouseId": _SITE,
            "customerId": facts.named("customer"),
            "customerName": f"Customer {facts.number}",
            "orderType": "STANDARD",
            "priority": ("LOW", "NORMAL", "HIGH", "URGENT")[facts.order.priority],
            "orderStatus": ("RELEASED", "PICKING", "PICKED", "PACKED")[min(facts.order.stage, 3)],
            "orderDate": facts.created,
            "requestedShipDate": facts.created,
            "lines": [line],
            "shippingAddress": {**_ADDRESS, "zipCode": "52062"},
        },
    )


def _cycle_count(facts: Facts) -> Document:
    return facts.stamped(
        "cycle_count",
        {
            "cycleCountId": facts.named("cycle_count"),
            "warehouseId": _SITE,
            "countType": "SPOT",
            "countStatus": "IN_PROGRESS",
            "schedule": {"scheduledDate": facts.created},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def _replenishment(facts: Facts) -> Document:
    bin_ = {"binId": "wms_bin_1", "binCode": "A-01-1"}
    return facts.stamped(
        "replenishment",
        {
            "replenishmentId": facts.named("replenishment"),
            "warehouseId": _SITE,
            "productId": facts.named("product"),
            "fromBin": bin_,
            "toBin": {**bin_, "binId": "wms_bin_2", "binCode": "A-01-2"},
            "quantity": {"suggested": _QUANTITY, "uom": "EA"},
            "replenishmentType": "DEMAND",
            "priority": 50,
            "status": "SUGGESTED",
            "worldRef": {"worldId": facts.world_id},
        },
    )


def _inventory(facts: Facts) -> Document:
    return facts.stamped(
        "inventory",
        {
            "inventoryId": facts.named("inventory"),
            "sku": f"SKU-{facts.number}",
            "productName": f"Product {facts.number}",
            "warehouseId": _SITE,
            "binId": "wms_bin_1",
            "quantityOnHand": _QUANTITY,
            "quantityAllocated": 0,
            "quantityAvailable": _QUANTITY,
            "inventoryStatus": "ALLOCATED",
        },
    )


def _inventory_transaction(facts: Facts) -> Document:
    return facts.stamped(
        "inventory_transaction",
        {
            "transactionId": f"wms_inventory-transaction_{facts.number}",
            "warehouseId": _SITE,
            "transactionType": "MOVE",
            "productId": facts.named("product"),
            "quantity": _QUANTITY,
            "transactionDate": facts.updated,
            "worldRef": {"worldId": facts.world_id},
        },
    )


def _task(facts: Facts) -> Document:
    return facts.stamped(
        "task",
        {
            "taskId": facts.named("task"),
            "warehouseId": _SITE,
            "taskType": "PICK",
            "priority": 50,
            "taskStatus": "ASSIGNED",
            "reference": {"type": "ORDER", "id": facts.named("order")},
            "worldRef": {"worldId": facts.world_id},
        },
    )


def _tms_shipment_record(facts: Facts) -> Document:
    place = {"locationName": "Dock", "address": {**_ADDRESS, "postalCode": "52062"}}
    identifier = facts.named("tms_shipment")
    return facts.stamped(
        "tms_shipment",
        {
            "id": identifier,
            "shipmentId": identifier,
            "shipmentNumber": facts.number,
            "status": "EXCEPTION" if facts.order.fault else "IN_TRANSIT",
            "origin": place,
            "destination": place,
            "references": {"orderId": facts.named("order")},
        },
    )


def _tms_shipment(facts: Facts) -> Document:
    return {"shipment": _tms_shipment_record(facts), "events": []}


def _tms_event(facts: Facts) -> Document:
    identifier = f"TMS_EVENT_{facts.number}"
    return facts.stamped(
        "tms_event",
        {
            "id": identifier,
            "eventId": identifier,
            "shipmentId": facts.named("tms_shipment"),
            "eventType": "LOCATION_UPDATE",
            "eventTime": facts.updated,
        },
    )


def _carrier(facts: Facts) -> Document:
    return facts.stamped(
        "carrier",
        {
            "worldRef": {"worldId": facts.world_id},
            "carrierId": facts.named("carrier"),
            "carrierCode": "LANE",
            "carrierName": "Lane Freight",
            "carrierType": "FTL",
            "status": "ACTIVE",
        },
    )


def _message(_: Facts) -> Document:
    return {"message": "Deleted"}


_RENDERERS: dict[str, Callable[[Facts], Document]] = {
    "order": _order,
    "invoice": _invoice,
    "payment": _payment,
    "product": _product,
    "shipment": _shipment,
    "outbound_order": _outbound_order,
    "cycle_count": _cycle_count,
    "replenishment": _replenishment,
    "inventory": _inventory,
    "inventory_transaction": _inventory_transaction,
    "task": _task,
    "tms_shipment": _tms_shipment,
    "tms_shipment_record": _tms_shipment_record,
    "tms_event": _tms_event,
    "carrier": _carrier,
    "message": _message,
}
_TAGS = {kind: _ENTITY_TAG + position for position, kind in enumerate(_RENDERERS)}
