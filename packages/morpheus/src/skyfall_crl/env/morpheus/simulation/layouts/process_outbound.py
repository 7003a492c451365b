"""Outbound logistics: seven stages from allocation to collection, each with one symptom and three hidden causes."""

from skyfall_crl.env.morpheus.simulation.layout import (
    Configuration,
    Evidence,
    Layout,
    Remedy,
    Symptom,
    named,
)

_STAGES = 7
_CAUSE_MIX = (0.85, 0.1125, 0.0375)
_HOT_RATE = 4
_SITE = "wms_warehouse_1"


def _configuration(name: str, k: int) -> Configuration:
    mix = tuple(tuple(_CAUSE_MIX[(cause - k - s) % 3] for cause in range(3)) for s in range(_STAGES))
    hot = [(2 * k + offset) % _STAGES for offset in range(2)]
    rates = [_HOT_RATE if s in hot else 1 for s in range(_STAGES)]
    total = _STAGES - len(hot) + _HOT_RATE * len(hot)
    return Configuration(name, mix, tuple(rate * _STAGES / total for rate in rates))


def _read(entity: str, path: str, summary: str) -> Evidence:
    return Evidence(entity, named(path), summary)


_OUTBOUND_ORDER = _read(
    "outbound_order", "/{worldId}/wms/outbound-orders/{outbound_order}", "Read an outbound order"
)
_ORDER = _read("order", "/{worldId}/erp/orders/{order}", "Read a sales order")
_TMS_SHIPMENT = _read("tms_shipment", "/{worldId}/tms/shipments/{tms_shipment}", "Read a freight shipment")
_INVOICE = _read("invoice", "/{worldId}/erp/invoices/{invoice}", "Read an invoice")


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
            "POST",
            named("/{worldId}/wms/cycle-counts/{cycle_count}/results"),
            "cycle_count",
            body={
                "binId": "wms_bin_1",
                "productId": named("{product}"),
                "sku": "SKU-{number}",
                "expectedQuantity": 12,
                "actualQuantity": 12,
                "variance": 0,
                "countedBy": "counter-1",
                "countedAt": "2026-01-05T00:00:00.000Z",
            },
            fields={
                "binId": "text",
                "productId": "text",
                "sku": "text",
                "expectedQuantity": "number",
                "actualQuantity": "number",
                "variance": "number",
                "countedBy": "text",
                "countedAt": "text",
            },
        ),
        Remedy(
            "inventory_status",
            "Set the status of stock",
            "PUT",
            named("/{worldId}/wms/inventory/{inventory}/status"),
            "inventory",
            body={"inventoryStatus": "AVAILABLE"},
            fields={"inventoryStatus": ("ALLOCATED", "AVAILABLE", "EXPIRED", "HOLD", "QUARANTINE")},
            decisive={"inventoryStatus": "AVAILABLE"},
        ),
        Remedy(
            "reallocate_line",
            "Allocate an order line anew",
            "PUT",
            named("/{worldId}/wms/outbound-orders/{outbound_order}/lines/1/allocate"),
            "outbound_order",
            body={"allocatedQuantity": 12},
            fields={"allocatedQuantity": "number"},
        ),
    ),
    evidence=(
        _OUTBOUND_ORDER,
        _read("cycle_count", "/{worldId}/wms/cycle-counts/{cycle_count}", "Read a cycle count"),
    ),
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
            "POST",
            "/{worldId}/wms/inventory-transactions",
            "inventory_transaction",
            body={
                "warehouseId": _SITE,
                "transactionType": "MOVE",
                "productId": named("{product}"),
                "quantity": 12,
                "referenceType": "TASK",
                "referenceId": named("{task}"),
            },
            fields={
                "warehouseId": "text",
                "transactionType": (
                    "ADJUST",
                    "CYCLE_COUNT",
                    "DAMAGE",
                    "MOVE",
                    "PICK",
                    "PUTAWAY",
                    "RECEIVE",
                    "RETURN",
                    "SHIP",
                ),
                "productId": "text",
                "quantity": "number",
                "referenceId": "text",
            },
            decisive={"transactionType": "MOVE"},
            link="referenceId",
            creates=True,
        ),
        Remedy(
            "task_assign",
            "Assign a warehouse task",
            "PUT",
            named("/{worldId}/wms/tasks/{task}/assign"),
            "task",
            body={"userId": "picker-1", "userName": "Picker 1"},
            fields={"userId": "text", "userName": "text"},
        ),
        Remedy(
            "inventory_damaged",
            "Change a stock record",
            "PATCH",
            named("/{worldId}/wms/inventory/{inventory}"),
            "inventory",
            body={"inventoryStatus": "DAMAGED"},
            fields={
                "inventoryStatus": ("ALLOCATED", "AVAILABLE", "DAMAGED", "EXPIRED", "HOLD", "QUARANTINE")
            },
            decisive={"inventoryStatus": "DAMAGED"},
        ),
    ),
    evidence=(
        _OUTBOUND_ORDER,
        _read("replenishment", "/{worldId}/wms/replenishments/{replenishment}", "Read a replenishment"),
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
            "PUT",
            named("/{worldId}/erp/products/{product}"),
            "product",
            body={"customFields": {"unitsPerCase": 12}},
            fields={"customFields": "object"},
        ),
        Remedy(
            "outbound_line",
            "Change an outbound order and its lines",
            "PATCH",
            named("/{worldId}/wms/outbound-orders/{outbound_order}"),
            "outbound_order",
            body={"lines": [{"lineNumber": 1, "orderedQuantity": 12}]},
            fields={"lines": "list"},
        ),
        Remedy(
            "picking_progress",
            "Report the picking progress of a line",
            "PUT",
            named("/{worldId}/wms/outbound-orders/{outbound_order}/picking-progress"),
            "outbound_order",
            body={"lineNumber": 1, "pickedQuantity": 12},
            fields={"lineNumber": "number", "pickedQuantity": "number"},
        ),
    ),
    evidence=(_OUTBOUND_ORDER, _read("product", "/{worldId}/erp/products/{product}", "Read a product")),
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
            "PUT",
            named("/{worldId}/tms/shipments/{tms_shipment}/tender"),
            "tms_shipment_record",
            body={
                "carrierId": "CARRIER_0",
                "carrierName": "Relief Freight",
                "carrierCode": "RELF",
                "scacCode": "RELF",
            },
            fields={"carrierId": "text", "carrierName": "text", "carrierCode": "text", "scacCode": "text"},
        ),
        Remedy(
            "carrier_status",
            "Set the status of a carrier",
            "PUT",
            named("/{worldId}/tms/carriers/{carrier}/status"),
            "carrier",
            body={"status": "ACTIVE"},
            fields={"status": ("ACTIVE", "INACTIVE", "PENDING_APPROVAL", "SUSPENDED")},
            decisive={"status": "ACTIVE"},
        ),
        Remedy(
            "shipment_rate",
            "Change a shipment",
            "PUT",
            named("/{worldId}/erp/shipments/{shipment}"),
            "shipment",
            body={"customFields": {"freightRate": "current"}},
            fields={"customFields": "object"},
        ),
    ),
    evidence=(
        _TMS_SHIPMENT,
        _read("carrier", "/{worldId}/tms/carriers/id/{carrier}", "Read a carrier"),
    ),
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
            "POST",
            named("/{worldId}/tms/shipments/{tms_shipment}/events"),
            "tms_event",
            body={
                "eventType": "LOCATION_UPDATE",
                "eventTime": "2026-01-05T00:00:00.000Z",
                "source": "MANUAL",
            },
            fields={
                "eventType": (
                    "DELAY",
                    "ETA_UPDATE",
                    "EXCEPTION",
                    "LOCATION_UPDATE",
                    "MILESTONE",
                    "STATUS_CHANGE",
                ),
                "eventTime": "text",
            },
            creates=True,
        ),
        Remedy(
            "tracking_number",
            "Set the tracking number of a shipment",
            "PUT",
            named("/{worldId}/erp/shipments/{shipment}/tracking"),
            "shipment",
            body={"carrier": {"name": "Lane Freight"}, "trackingNumber": "TRK{number}"},
            fields={"carrier": "object", "trackingNumber": "text"},
        ),
        Remedy(
            "delay_record",
            "Record a delay and a new time of arrival",
            "POST",
            named("/{worldId}/tms/shipments/{tms_shipment}/delays"),
            "tms_shipment_record",
            body={"delayType": "CARRIER", "reason": "Late at the hub", "estimatedDelay": 720},
            fields={
                "delayType": ("CARRIER", "CUSTOMS", "MECHANICAL", "OTHER", "TRAFFIC", "WEATHER"),
                "reason": "text",
            },
        ),
    ),
    evidence=(
        _TMS_SHIPMENT,
        _read("shipment", "/{worldId}/erp/shipments/{shipment}", "Read a shipment"),
    ),
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
            "PUT",
            named("/{worldId}/erp/invoices/{invoice}"),
            "invoice",
            body={"subtotal": 1.0, "totalAmount": 1.0},
            fields={"totalAmount": "number"},
            excluded=("lines",),
        ),
        Remedy(
            "invoice_lines",
            "Change the lines of an invoice",
            "PUT",
            named("/{worldId}/erp/invoices/{invoice}"),
            "invoice",
            body={"lines": [{"lineNumber": 1, "quantity": 12, "unitPrice": 0.1, "lineAmount": 1.2}]},
            fields={"lines": "list"},
        ),
        Remedy(
            "delete_duplicate",
            "Delete a duplicate invoice",
            "DELETE",
            named("/{worldId}/erp/invoices/{duplicate_invoice}"),
            "message",
        ),
    ),
    evidence=(_INVOICE, _ORDER),
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
            "PUT",
            named("/{worldId}/erp/payments/{payment}"),
            "payment",
            body={"referenceNumbers": ["REM-{number}"]},
            fields={"referenceNumbers": "list"},
        ),
        Remedy(
            "payment_allocations",
            "Allocate a payment to invoices",
            "PUT",
            named("/{worldId}/erp/payments/{payment}/allocations"),
            "payment",
            body={"allocations": [{"invoiceNumber": named("{invoice}"), "appliedAmount": 1.0}]},
            fields={"allocations": "list"},
        ),
        Remedy(
            "payment_reversal",
            "Set the status of a payment",
            "PUT",
            named("/{worldId}/erp/payments/{payment}/status"),
            "payment",
            body={"status": "REVERSAL"},
            fields={"status": ("APPLIED", "RECEIVED", "REVERSAL", "UNMATCHED")},
            decisive={"status": "REVERSAL"},
        ),
    ),
    evidence=(_read("payment", "/{worldId}/erp/payments/{payment}", "Read a payment"), _INVOICE),
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
    configurations=tuple(_configuration(name, k) for k, name in enumerate("ABC")),
    fault_probability=0.15,
    demand=0.7,
    value_cents=(25, 175),
)
