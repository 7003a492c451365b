"""Entities of the ERP domain as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, QUANTITY, Document, Facts


def order(facts: Facts) -> Document:
    """Return the sales order."""
    collecting = facts.order.stage > facts.world.layout.delivered_after
    return facts.stamped(
        "order",
        {
            "worldId": facts.world_id,
            "orderId": f"ORDER_{facts.number}",
            "customerId": f"COMP_{facts.number}",
            "orderDate": facts.date,
            "status": "PARTIALLY_SHIPPED" if collecting else "IN_PROGRESS",
            "totalAmount": facts.amount,
            "currency": "USD",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityOrdered": QUANTITY}],
        },
    )


def invoice(facts: Facts) -> Document:
    """Return the invoice."""
    return facts.stamped(
        "invoice",
        {
            "worldId": facts.world_id,
            "invoiceId": f"INV_{facts.number}",
            "customerId": f"COMP_{facts.number}",
            "orderId": f"ORDER_{facts.number}",
            "issueDate": facts.date,
            "totalAmount": facts.amount,
            "balanceDue": facts.amount,
            "status": "SENT",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantity": QUANTITY}],
        },
    )


def payment(facts: Facts) -> Document:
    """Return the payment."""
    return facts.stamped(
        "payment",
        {
            "worldId": facts.world_id,
            "paymentId": f"PAY_{facts.number}",
            "customerId": f"COMP_{facts.number}",
            "paymentDate": facts.date,
            "totalAmount": facts.amount,
            "status": "UNMATCHED" if facts.order.fault else "RECEIVED",
        },
    )


def product(facts: Facts) -> Document:
    """Return the product ordered."""
    return facts.stamped(
        "product",
        {
            "worldRef": {"worldId": facts.world_id},
            "productId": f"PROD_{facts.number}",
            "name": f"Product {facts.number}",
            "status": "ACTIVE",
            "unitOfMeasure": "EA",
        },
    )


def shipment(facts: Facts) -> Document:
    """Return the shipment as the ERP has it."""
    return facts.stamped(
        "shipment",
        {
            "worldId": facts.world_id,
            "shipmentId": f"SHIP_{facts.number}",
            "status": "EXCEPTION" if facts.order.fault else "IN_TRANSIT",
            "toAddress": {**ADDRESS, "postalCode": "52062"},
            "trackingNumber": f"TRK{facts.number}",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityShipped": QUANTITY}],
        },
    )
