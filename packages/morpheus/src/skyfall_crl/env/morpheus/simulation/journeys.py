"""What happens around an order, stage by stage, in the layouts beside the outbound one."""

from typing import Final

from skyfall_crl.env.morpheus.simulation.lifecycles import Lifecycle

_FAILED = "EXCEPTION"
_STANDING = (Lifecycle("product", "ACTIVE"),)
_FREIGHT_LOST = "CANCELLED"

INBOUND: Final = (
    *_STANDING,
    Lifecycle("supplier", "ACTIVE"),
    Lifecycle(
        "purchase_order",
        "RECEIVED",
        {"purchase": "ACKED", "advise": "IN_PROGRESS", "receive": "PARTIALLY_SHIPPED"},
        {"purchase": "RECEIVED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "shipment",
        None,
        {"advise": "CREATED", "dock": "IN_TRANSIT", "unload": "DELIVERED"},
        {"dock": _FAILED},
        done="DELIVERED",
        lost=_FAILED,
    ),
    Lifecycle(
        "inbound_order",
        None,
        {
            "advise": "EXPECTED",
            "dock": "IN_TRANSIT",
            "unload": "RECEIVING",
            "inspect": "RECEIVED",
            "match": "CLOSED",
        },
        done="CLOSED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "trailer",
        None,
        {"advise": "SCHEDULED", "dock": "EN_ROUTE", "unload": "UNLOADING", "receive": "DEPARTED"},
        {"dock": "DELAYED", "unload": "AT_DOCK"},
        done="DEPARTED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "dock_door",
        "AVAILABLE",
        {"unload": "OCCUPIED", "receive": "AVAILABLE"},
        done="AVAILABLE",
        lost="AVAILABLE",
    ),
    Lifecycle(
        "dock_task",
        None,
        {"dock": "CREATED", "unload": "IN_PROGRESS", "receive": "RELEASED", "putaway": "IN_PROGRESS"},
        {"unload": "RELEASED", "putaway": "SUSPENDED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "receiving",
        None,
        {"receive": "RECEIVED", "putaway": "PUTAWAY_PENDING", "match": "COMPLETED"},
        {"inspect": "QC_HOLD"},
        done="COMPLETED",
        lost="REJECTED",
    ),
    Lifecycle("lot", None, {"receive": "HOLD", "putaway": "AVAILABLE"}, done="AVAILABLE", lost="QUARANTINE"),
    Lifecycle(
        "bin",
        "AVAILABLE",
        {"inspect": "RESERVED", "putaway": "OCCUPIED"},
        {"putaway": "RESERVED"},
        lost="AVAILABLE",
    ),
    Lifecycle(
        "cycle_count",
        None,
        {"putaway": "IN_PROGRESS", "match": "COMPLETED"},
        done="APPROVED",
        lost="CANCELLED",
    ),
    Lifecycle("invoice", None, {"match": "SENT", "pay": "VALIDATED"}, done="PAID", lost="REJECTED"),
    Lifecycle("duplicate_invoice", None, {"match": "DRAFT", "pay": ""}),
    Lifecycle("payment", None, {"pay": "RECEIVED"}, {"pay": "UNMATCHED"}, done="APPLIED", lost="UNMATCHED"),
)
"""From the purchase order to the supplier's payment."""

PERISHABLE: Final = (
    *_STANDING,
    Lifecycle("supplier", "ACTIVE"),
    Lifecycle(
        "purchase_order",
        "RECEIVED",
        {"source": "ACKED", "receive": "PARTIALLY_SHIPPED", "produce": "COMPLETED"},
        {"source": "RECEIVED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "order",
        "RECEIVED",
        {
            "source": "ACKED",
            "produce": "MATERIALS_PICKED",
            "label": "MANUFACTURING_COMPLETE",
            "dispatch": "PARTIALLY_SHIPPED",
        },
        {"produce": "ACKED", "dispatch": "MANUFACTURING_COMPLETE"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "trailer",
        None,
        {"source": "EN_ROUTE", "receive": "UNLOADING", "produce": "DEPARTED"},
        {"receive": "AT_DOCK"},
        done="DEPARTED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "receiving",
        None,
        {"receive": "RECEIVED", "produce": "COMPLETED"},
        {"receive": "QC_HOLD"},
        done="COMPLETED",
        lost="REJECTED",
    ),
    Lifecycle(
        "task",
        None,
        {"receive": "CREATED", "produce": "IN_PROGRESS", "label": "COMPLETED"},
        {"produce": "ASSIGNED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "lot",
        None,
        {"source": "AVAILABLE", "produce": "ALLOCATED", "label": "QUARANTINE", "dispatch": "ALLOCATED"},
        done="ALLOCATED",
        lost="EXPIRED",
    ),
    Lifecycle(
        "bin",
        "AVAILABLE",
        {"label": "RESERVED", "release": "OCCUPIED", "dispatch": "AVAILABLE"},
        {"release": "RESERVED"},
        lost="AVAILABLE",
    ),
    Lifecycle("zone", "ACTIVE"),
    Lifecycle(
        "cycle_count",
        "SCHEDULED",
        {"source": "IN_PROGRESS", "receive": "COMPLETED", "release": "IN_PROGRESS", "dispatch": "COMPLETED"},
        done="APPROVED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "replenishment",
        "SUGGESTED",
        {"release": "IN_PROGRESS", "dispatch": "COMPLETED"},
        {"release": "SUGGESTED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "outbound_order",
        "PENDING",
        {"label": "RELEASED", "release": "ALLOCATED", "dispatch": "SHIPPED"},
        {"dispatch": "PACKED"},
        done="SHIPPED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "outbound_line",
        "PENDING",
        {"release": "ALLOCATED", "dispatch": "SHIPPED"},
        {"release": "PENDING", "dispatch": "ALLOCATED"},
    ),
    Lifecycle(
        "tms_shipment",
        None,
        {"label": "PLANNED", "dispatch": "IN_TRANSIT"},
        {"dispatch": _FAILED},
        done="DELIVERED",
        lost=_FREIGHT_LOST,
    ),
)
"""From ingredients to a cooled truck, within the life of a lot."""

ORDER_TO_CASH: Final = (
    *_STANDING,
    Lifecycle("customer", "ACTIVE"),
    Lifecycle(
        "order",
        "RECEIVED",
        {"acknowledge": "ACKED", "advise": "IN_PROGRESS", "bill": "PARTIALLY_SHIPPED"},
        {"acknowledge": "RECEIVED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "shipment",
        None,
        {"acknowledge": "CREATED", "deliver": "IN_TRANSIT", "bill": "DELIVERED"},
        {"advise": _FAILED, "deliver": _FAILED},
        done="DELIVERED",
        lost=_FAILED,
    ),
    Lifecycle(
        "outbound_order",
        "PENDING",
        {"acknowledge": "RELEASED", "advise": "PACKED", "deliver": "SHIPPED"},
        done="SHIPPED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "outbound_line", "PENDING", {"acknowledge": "ALLOCATED", "advise": "PICKED", "deliver": "SHIPPED"}
    ),
    Lifecycle(
        "tms_shipment",
        None,
        {"advise": "PLANNED", "deliver": "IN_TRANSIT", "bill": "DELIVERED"},
        {"deliver": _FAILED},
        done="DELIVERED",
        lost=_FREIGHT_LOST,
    ),
    Lifecycle(
        "invoice",
        None,
        {"bill": "SENT", "settle": "VALIDATED"},
        {"bill": "REJECTED", "dispute": "PARTIALLY_PAID"},
        done="PAID",
        lost="REJECTED",
    ),
    Lifecycle("duplicate_invoice", None, {"bill": "DRAFT", "dispute": ""}),
    Lifecycle(
        "payment",
        None,
        {"credit": "RECEIVED"},
        {"credit": "UNMATCHED", "settle": "UNMATCHED"},
        done="APPLIED",
        lost="UNMATCHED",
    ),
)
"""From an order document to money in the bank."""
