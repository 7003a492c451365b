"""Remedies that set one field to one of the values the wire allows, and those values."""

from typing import Final

from skyfall_crl.env.morpheus.simulation.templates import Remedy

COMPANY: Final = ("ACTIVE", "BLOCKED", "INACTIVE", "PROSPECT")
ORDER: Final = ("ACKED", "CANCELLED", "COMPLETED", "IN_PROGRESS", "PARTIALLY_SHIPPED", "RECEIVED")
INVOICE: Final = ("DRAFT", "PAID", "PARTIALLY_PAID", "REJECTED", "SENT", "VALIDATED")
PAYMENT: Final = ("APPLIED", "RECEIVED", "REVERSAL", "UNMATCHED")
SHIPMENT: Final = ("CREATED", "DELIVERED", "EXCEPTION", "IN_TRANSIT")
RECEIPT: Final = ("COMPLETED", "PUTAWAY_PENDING", "QC_HOLD", "RECEIVED", "REJECTED")
STOCK: Final = ("ALLOCATED", "AVAILABLE", "DAMAGED", "EXPIRED", "HOLD", "QUARANTINE")
DOOR: Final = ("AVAILABLE", "CLOSED", "MAINTENANCE", "OCCUPIED")
BIN: Final = ("AVAILABLE", "BLOCKED", "DAMAGED", "OCCUPIED", "RESERVED")
TASK: Final = ("ASSIGNED", "CANCELLED", "COMPLETED", "CREATED", "IN_PROGRESS", "RELEASED", "SUSPENDED")
MOVEMENT: Final = ("ADJUST", "CYCLE_COUNT", "DAMAGE", "MOVE", "PICK", "PUTAWAY", "RECEIVE", "RETURN", "SHIP")
TRAILER_DELAY: Final = (
    "CARRIER",
    "DOCK_AVAILABILITY",
    "MECHANICAL",
    "OTHER",
    "REGULATORY",
    "TRAFFIC",
    "WEATHER",
)


def setting(
    name: str, summary: str, operation: str, value: str, allowed: tuple[str, ...], field: str = "status"
) -> Remedy:
    """Return a remedy that sets `field` to `value`; any other allowed value is accepted and mends nothing."""
    return Remedy(name, summary, operation, {field: value}, choices={field: allowed}, decisive=(field,))


def movement(name: str, kind: str, link: str) -> Remedy:
    """Return a remedy that records an inventory transaction of a kind about the entity `link` names."""
    return Remedy(
        name,
        "Record an inventory transaction",
        "POST /{worldId}/wms/inventory-transactions",
        {
            "warehouseId": "wms_warehouse_1",
            "transactionType": kind,
            "productId": "{product}",
            "quantity": 12,
            "referenceId": link,
        },
        entity="inventory_transaction",
        choices={"transactionType": MOVEMENT},
        decisive=("transactionType",),
        link="referenceId",
        creates=True,
    )


def booking(name: str, kind: str, link: str) -> Remedy:
    """Return a remedy that records a finance transaction of a kind for the invoice `link` names."""
    return Remedy(
        name,
        "Record a finance transaction",
        "POST /{worldId}/finance/transactions",
        {"type": kind, "amount": 1.0, "sourceType": "invoice", "sourceId": link},
        entity="finance_transaction",
        choices={
            "type": ("payment_in", "payment_out"),
            "sourceType": ("bill", "interest", "invoice", "manual", "payment"),
        },
        decisive=("type",),
        link="sourceId",
        creates=True,
    )
