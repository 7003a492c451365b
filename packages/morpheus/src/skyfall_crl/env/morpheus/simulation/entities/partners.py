"""Trading partners, what is bought from them, and the transactions with them, as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import QUANTITY, Document, Facts


def supplier(facts: Facts) -> Document:
    """Return the company the goods are bought from."""
    return _company(facts, "supplier", f"COMP_{facts.number}-S", "SUPPLIER")


def customer(facts: Facts) -> Document:
    """Return the company the goods are sold to."""
    return _company(facts, "customer", f"COMP_{facts.number}", "CUSTOMER")


def purchase_order(facts: Facts) -> Document:
    """Return the purchase order."""
    return facts.stamped(
        "purchase_order",
        {
            "worldId": facts.world_id,
            "orderId": f"ORDER_{facts.number}-P",
            "customerId": f"COMP_{facts.number}-S",
            "partnerId": f"COMP_{facts.number}-S",
            "direction": "OUTBOUND",
            "poType": "STANDARD",
            "orderDate": facts.date,
            "status": facts.state("purchase_order", "RECEIVED"),
            "totalAmount": facts.amount,
            "currency": "USD",
            "lines": [{"lineNumber": 1, "sku": f"SKU-{facts.number}", "quantityOrdered": QUANTITY}],
        },
    )


def finance_transaction(facts: Facts) -> Document:
    """Return the transaction just booked."""
    return facts.stamped(
        "finance_transaction",
        {
            "worldRef": {"worldId": facts.world_id},
            "transactionId": f"TRANS_{facts.number}",
            "partnerId": f"COMP_{facts.number}",
            "type": "payment_out",
            "amount": facts.amount,
            "sourceType": "invoice",
            "sourceId": f"INV_{facts.number}",
        },
    )


def _company(facts: Facts, kind: str, identifier: str, company_type: str) -> Document:
    return facts.stamped(
        kind,
        {
            "worldRef": {"worldId": facts.world_id},
            "companyId": identifier,
            "name": f"{company_type.title()} {facts.number}",
            "status": facts.state(kind, "ACTIVE"),
            "companyType": company_type,
            "currency": "USD",
        },
    )
