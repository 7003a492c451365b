"""Outbound logistics: seven stages from allocation to collection, each with one symptom and three hidden causes."""

from skyfall_crl.env.morpheus.simulation.layout import Layout, Symptom, rotated_configurations
from skyfall_crl.env.morpheus.simulation.lifecycles import OUTBOUND
from skyfall_crl.env.morpheus.simulation.templates import Evidence, Remedy

_MOMENT = "2026-01-05T00:00:00.000Z"

_STOCK = ("ALLOCATED", "AVAILABLE", "EXPIRED", "HOLD", "QUARANTINE")
_MOVEMENTS = ("ADJUST", "CYCLE_COUNT", "DAMAGE", "MOVE", "PICK", "PUTAWAY", "RECEIVE", "RETURN", "SHIP")
_CARRIER = ("ACTIVE", "INACTIVE", "PENDING_APPROVAL", "SUSPENDED")
_EVENTS = ("DELAY", "ETA_UPDATE", "EXCEPTION", "LOCATION_UPDATE", "MILESTONE", "STATUS_CHANGE")
_DELAYS = ("CARRIER", "CUSTOMS", "MECHANICAL", "OTHER", "TRAFFIC", "WEATHER")
_PAYMENT = ("APPLIED", "RECEIVED", "REVERSAL", "UNMATCHED")

_INVOICE_PATH = "/{worldId}/erp/invoices/{invoice}"
_PAYMENT_PATH = "/{worldId}/erp/payments/{payment}"
_PRODUCT_PATH = "/{worldId}/erp/products/{product}"
_SHIPMENT_PATH = "/{worldId}/erp/shipments/{shipment}"
_OUTBOUND_PATH = "/{worldId}/wms/outbound-orders/{outbound_order}"
_INVENTORY_PATH = "/{worldId}/wms/inventory/{inventory}"
_COUNT_PATH = "/{worldId}/wms/cycle-counts/{cycle_count}"
_TMS_PATH = "/{worldId}/tms/shipments/{tms_shipment}"

_OUTBOUND_ORDER = Evidence("outbound_order", _OUTBOUND_PATH, "Read an outbound order")
_TMS_SHIPMENT = Evidence("tms_shipment", _TMS_PATH, "Read a freight shipment")
_INVOICE = Evidence("invoice", _INVOICE_PATH, "Read an invoice")

_ALLOCATE = Symptom(
    stage="allocate",
    duration_steps=2,
    title="Short count",
    failure_type="partial_data",
    causes=("miscounted bin", "stock on hold", "wrong warehouse"),
    remedies=(
        Remedy(
            "cycle_count_result",
            "Record the result of a cycle count",
            f"POST {_COUNT_PATH}/results",
            {
                "binId": "wms_bin_1",
                "productId": "{product}",
                "sku": "SKU-{number}",
                "expectedQuantity": 12,
                "actualQuantity": 12,
                "variance": 0,
                "countedBy": "counter",
                "countedAt": _MOMENT,
            },
        ),
        Remedy(
            "inventory_status",
            "Set the status of stock",
            f"PUT {_INVENTORY_PATH}/status",
            {"inventoryStatus": "AVAILABLE"},
            choices={"inventoryStatus": _STOCK},
            decisive=("inventoryStatus",),
        ),
        Remedy(
            "reallocate_line",
            "Allocate an order line anew",
            f"PUT {_OUTBOUND_PATH}/lines/1/allocate",
            {"allocatedQuantity": 12},
        ),
    ),
    evidence=(_OUTBOUND_ORDER, Evidence("cycle_count", _COUNT_PATH, "Read a cycle count")),
    clue="shortQuantity",
    candidates=("countVariance", "quantityOnHold", "quantityElsewhere"),
)

_PICK = Symptom(
    stage="pick",
    duration_steps=3,
    title="Bin empty",
    failure_type="stale_data",
    causes=("moved stock", "task stuck", "damaged stock"),
    remedies=(
        Remedy(
            "inventory_move",
            "Record an inventory transaction",
            "POST /{worldId}/wms/inventory-transactions",
            {
                "warehouseId": "wms_warehouse_1",
                "transactionType": "MOVE",
                "productId": "{product}",
                "quantity": 12,
                "referenceId": "{task}",
            },
            entity="inventory_transaction",
            choices={"transactionType": _MOVEMENTS},
            decisive=("transactionType",),
            link="referenceId",
            creates=True,
        ),
        Remedy(
            "task_assign",
            "Assign a warehouse task",
            "PUT /{worldId}/wms/tasks/{task}/assign",
            {"userId": "picker-1", "userName": "Picker 1"},
        ),
        Remedy(
            "inventory_damaged",
            "Change a stock record",
            f"PATCH {_INVENTORY_PATH}",
            {"inventoryStatus": "DAMAGED"},
            choices={"inventoryStatus": ("DAMAGED", *_STOCK)},
            decisive=("inventoryStatus",),
        ),
    ),
    evidence=(
        _OUTBOUND_ORDER,
        Evidence("replenishment", "/{worldId}/wms/replenishments/{replenishment}", "Read a replenishment"),
    ),
    clue="missingQuantity",
    candidates=("movedQuantity", "openTaskQuantity", "damagedQuantity"),
)

_PACK = Symptom(
    stage="pack",
    duration_steps=2,
    title="Quantity mismatch",
    failure_type="format_change",
    causes=("unit of measure", "line split", "scan lost"),
    remedies=(
        Remedy(
            "product_units",
            "Change a product",
            f"PUT {_PRODUCT_PATH}",
            {"customFields": {"unitsPerCase": 12}},
        ),
        Remedy(
            "outbound_line",
            "Change an outbound order and its lines",
            f"PATCH {_OUTBOUND_PATH}",
            {"lines": [{"lineNumber": 1, "orderedQuantity": 12}]},
        ),
        Remedy(
            "picking_progress",
            "Report the picking progress of a line",
            f"PUT {_OUTBOUND_PATH}/picking-progress",
            {"lineNumber": 1, "pickedQuantity": 12},
        ),
    ),
    evidence=(_OUTBOUND_ORDER, Evidence("product", _PRODUCT_PATH, "Read a product")),
    clue="packedDifference",
    candidates=("caseDifference", "splitDifference", "unscannedQuantity"),
)

_TENDER = Symptom(
    stage="tender",
    duration_steps=4,
    title="Carrier refused",
    failure_type="dependency_failure",
    causes=("no capacity", "compliance lapsed", "rate stale"),
    remedies=(
        Remedy(
            "tender_other_carrier",
            "Tender a shipment to a carrier",
            f"PUT {_TMS_PATH}/tender",
            {"carrierId": "CARRIER_R", "carrierName": "Relief", "carrierCode": "RELF", "scacCode": "RELF"},
            entity="tms_shipment_record",
        ),
        Remedy(
            "carrier_status",
            "Set the status of a carrier",
            "PUT /{worldId}/tms/carriers/{carrier}/status",
            {"status": "ACTIVE"},
            choices={"status": _CARRIER},
            decisive=("status",),
        ),
        Remedy(
            "shipment_rate",
            "Change a shipment",
            f"PUT {_SHIPMENT_PATH}",
            {"customFields": {"freightRate": "current"}},
        ),
    ),
    evidence=(_TMS_SHIPMENT, Evidence("carrier", "/{worldId}/tms/carriers/id/{carrier}", "Read a carrier")),
    clue="refusalCode",
    candidates=("capacityCode", "complianceCode", "rateCode"),
)

_DELIVER = Symptom(
    stage="deliver",
    duration_steps=24,
    title="No tracking",
    failure_type="timing_issue",
    causes=("event lost", "wrong tracking id", "real delay"),
    remedies=(
        Remedy(
            "shipment_event",
            "Record a shipment event",
            f"POST {_TMS_PATH}/events",
            {"eventType": "LOCATION_UPDATE", "eventTime": _MOMENT},
            entity="tms_event",
            choices={"eventType": _EVENTS},
            creates=True,
        ),
        Remedy(
            "tracking_number",
            "Set the tracking number of a shipment",
            f"PUT {_SHIPMENT_PATH}/tracking",
            {"carrier": {"name": "Lane Freight"}, "trackingNumber": "TRK{number}"},
        ),
        Remedy(
            "delay_record",
            "Record a delay and a new time of arrival",
            f"POST {_TMS_PATH}/delays",
            {"delayType": "CARRIER", "reason": "Late at the hub", "estimatedDelay": 720},
            entity="tms_shipment_record",
            choices={"delayType": _DELAYS},
            optional=("estimatedDelay",),
        ),
    ),
    evidence=(_TMS_SHIPMENT, Evidence("shipment", _SHIPMENT_PATH, "Read a shipment")),
    clue="silentHours",
    candidates=("unprocessedEventHours", "otherTrackingHours", "hubDwellHours"),
)

_INVOICING = Symptom(
    stage="invoice",
    duration_steps=2,
    title="Customer rejects",
    failure_type="data_corruption",
    causes=("price", "missing line", "duplicate"),
    remedies=(
        Remedy(
            "invoice_total",
            "Change an invoice",
            f"PUT {_INVOICE_PATH}",
            {"totalAmount": 1.0},
            excluded=("lines",),
        ),
        Remedy(
            "invoice_lines",
            "Change the lines of an invoice",
            f"PUT {_INVOICE_PATH}",
            {"lines": [{"lineNumber": 1, "quantity": 12, "unitPrice": 0.1, "lineAmount": 1.2}]},
        ),
        Remedy(
            "delete_duplicate",
            "Delete a duplicate invoice",
            "DELETE /{worldId}/erp/invoices/{duplicate_invoice}",
            entity="message",
        ),
    ),
    evidence=(_INVOICE, Evidence("order", "/{worldId}/erp/orders/{order}", "Read a sales order")),
    clue="disputedAmount",
    candidates=("priceDifference", "unbilledAmount", "billedTwiceAmount"),
)

_COLLECT = Symptom(
    stage="collect",
    duration_steps=48,
    title="Payment unmatched",
    failure_type="missing_data",
    causes=("remittance id", "partial payment", "wrong customer"),
    remedies=(
        Remedy(
            "payment_reference",
            "Change a payment",
            f"PUT {_PAYMENT_PATH}",
            {"referenceNumbers": ["REM-{number}"]},
        ),
        Remedy(
            "payment_allocations",
            "Allocate a payment to invoices",
            f"PUT {_PAYMENT_PATH}/allocations",
            {"allocations": [{"invoiceNumber": "{invoice}", "appliedAmount": 1.0}]},
        ),
        Remedy(
            "payment_reversal",
            "Set the status of a payment",
            f"PUT {_PAYMENT_PATH}/status",
            {"status": "REVERSAL"},
            choices={"status": _PAYMENT},
            decisive=("status",),
        ),
    ),
    evidence=(Evidence("payment", _PAYMENT_PATH, "Read a payment"), _INVOICE),
    clue="unmatchedAmount",
    candidates=("unreferencedAmount", "openBalance", "otherCustomerAmount"),
)


LAYOUT = Layout(
    name="process-outbound",
    version=1,
    title="Outbound logistics",
    description="Orders are allocated, picked, packed, tendered, delivered, invoiced and collected.",
    symptoms=(_ALLOCATE, _PICK, _PACK, _TENDER, _DELIVER, _INVOICING, _COLLECT),
    delivered_after=4,
    configurations=rotated_configurations("ABC", 7, (0.85, 0.1125, 0.0375), 4),
    fault_probability=0.15,
    demand=0.7,
    value_cents=(25, 175),
    lifecycles=OUTBOUND,
)
