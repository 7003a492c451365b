"""Entities of the ERP domain as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, QUANTITY, Document, Facts

PARTNERS, PRODUCTS = 5, 20
_TERM_DAYS = 30
_STEPS = 24 * 60


def order(facts: Facts) -> Document:
    """Return the sales order."""
    return facts.stamped(
        "order",
        {
            "worldId": facts.world_id,
            "orderId": f"ORDER_{facts.number}",
            "poType": "STANDARD",
            "direction": "INBOUND",
            "customerId": f"COMP_{facts.number}",
            "partnerId": partner(facts.number),
            "orderDate": facts.date,
            "requestedDate": facts.date,
            "status": facts.state("order", "IN_PROGRESS"),
            "subtotal": facts.amount,
            "totalAmount": facts.amount,
            "currency": "USD",
            "lines": [
                {
                    "lineNumber": 1,
                    "sku": f"SKU-{facts.number}",
                    "description": f"Product {facts.number}",
                    "quantityOrdered": QUANTITY,
                    "lineTotal": facts.amount,
                }
            ],
        },
    )


def invoice(facts: Facts) -> Document:
    """Return the invoice."""
    return _invoice(facts, "invoice", f"INV_{facts.number}")


def duplicate_invoice(facts: Facts) -> Document:
    """Return the copy of the invoice that waits to be sent again."""
    return {**_invoice(facts, "duplicate_invoice", f"INV_{facts.number}-2"), "invoiceType": "CORRECTION"}


def _invoice(facts: Facts, kind: str, identifier: str) -> Document:
    status = facts.state(kind, "SENT")
    stages = [symptom.stage for symptom in facts.world.layout.symptoms]
    minutes = facts.world.layout.minutes_per_step
    issued = facts.since(stages.index("invoice")) if "invoice" in stages else facts.order.entered_step
    return facts.stamped(
        kind,
        {
            "worldId": facts.world_id,
            "invoiceId": identifier,
            "invoiceType": "STANDARD",
            "customerId": f"COMP_{facts.number}",
            "partnerId": partner(facts.number),
            "orderId": f"ORDER_{facts.number}",
            "issueDate": instant(issued, minutes)[:10],
            "dueDate": instant(issued + _TERM_DAYS * _STEPS // minutes, minutes)[:10],
            "currency": "USD",
            "subtotal": facts.amount,
            "totalAmount": facts.amount,
            "balanceDue": 0 if status == "PAID" else facts.amount,
            "status": status,
            "lines": [
                {
                    "lineNumber": 1,
                    "sku": f"SKU-{facts.number}",
                    "quantity": QUANTITY,
                    "lineAmount": facts.amount,
                }
            ],
        },
    )


def payment(facts: Facts) -> Document:
    """Return the payment."""
    status = facts.state("payment", "RECEIVED")
    document = {
        "worldId": facts.world_id,
        "paymentId": f"PAY_{facts.number}",
        "customerId": f"COMP_{facts.number}",
        "partnerId": partner(facts.number),
        "paymentDate": facts.updated[:10],
        "currency": "USD",
        "method": "ACH",
        "totalAmount": facts.amount,
        "status": status,
    }
    if status == "APPLIED":
        document["allocations"] = [{"invoiceNumber": f"INV_{facts.number}", "appliedAmount": facts.amount}]
    return facts.stamped("payment", document)


def product(facts: Facts) -> Document:
    """Return the product ordered."""
    return facts.stamped(
        "product",
        {
            "worldRef": {"worldId": facts.world_id},
            "productId": f"PROD_{facts.number}",
            "name": f"Product {facts.number}",
            "commodityCode": f"PROD_A{1 + facts.number % PRODUCTS:02d}",
            "status": facts.state("product", "ACTIVE"),
            "unitOfMeasure": "EA",
            "inventoryTracking": True,
        },
    )


def shipment(facts: Facts) -> Document:
    """Return the shipment as the ERP has it."""
    document = {
        "worldId": facts.world_id,
        "shipmentId": f"SHIP_{facts.number}",
        "status": facts.state("shipment", "IN_TRANSIT"),
        "carrier": {"name": "Lane Freight", "scac": "LANE", "mode": "TL"},
        "toAddress": {**ADDRESS, "postalCode": "52062"},
        "trackingNumber": f"TRK{facts.number}",
        "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityShipped": QUANTITY}],
    }
    dates = facts.moments("shipment", shipDate="IN_TRANSIT", actualArrival="DELIVERED")
    document.update({name: moment[:10] for name, moment in dates.items()})
    return facts.stamped("shipment", document)


def partner(number: int) -> str:
    """Return the trading partner an order is booked under."""
    return f"COMP_P{1 + number % PARTNERS}"
