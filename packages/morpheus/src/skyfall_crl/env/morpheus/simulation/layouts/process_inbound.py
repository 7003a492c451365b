"""Inbound logistics: nine stages from the purchase order to the supplier's payment, each with three hidden causes."""

from skyfall_crl.env.morpheus.simulation import records as at
from skyfall_crl.env.morpheus.simulation import settings as allowed
from skyfall_crl.env.morpheus.simulation.configurations import turned_configurations
from skyfall_crl.env.morpheus.simulation.journeys import INBOUND
from skyfall_crl.env.morpheus.simulation.layout import Layout, Symptom
from skyfall_crl.env.morpheus.simulation.settings import booking, movement, setting
from skyfall_crl.env.morpheus.simulation.templates import Remedy

_MOMENT = "2026-01-05T00:00:00.000Z"
_LOT_LINE = {"lineNumber": 1, "sku": "SKU-{number}", "quantityShipped": 12, "lotNumber": "LOT-{number}"}

_PURCHASE = Symptom(
    stage="purchase",
    duration_steps=2,
    title="Order not acknowledged",
    failure_type="permission_denied",
    causes=("supplier blocked", "contract price exceeded", "order never sent"),
    remedies=(
        setting("supplier_status", "Change a company", f"PUT {at.SUPPLIER}", "ACTIVE", allowed.COMPANY),
        Remedy(
            "order_price",
            "Change a purchase order and its lines",
            f"PUT {at.PURCHASE_ORDER}",
            {"lines": [{"lineNumber": 1, "quantityOrdered": 12, "unitPrice": 0.1, "lineTotal": 1.2}]},
        ),
        setting(
            "order_sent",
            "Set the status of a purchase order",
            f"PUT {at.PURCHASE_ORDER}/status",
            "ACKED",
            allowed.ORDER,
        ),
    ),
    evidence=(at.READ_PURCHASE_ORDER, at.READ_SUPPLIER),
    clue="refusalCode",
    candidates=("blockCode", "contractCode", "outboxCode"),
)

_ADVISE = Symptom(
    stage="advise",
    duration_steps=4,
    title="Shipment notice incomplete",
    failure_type="partial_data",
    causes=("lot missing", "carrier missing", "arrival date missing"),
    remedies=(
        Remedy(
            "notice_lots",
            "Change the lines of a shipment",
            f"PUT {at.SHIPMENT}/lines",
            {"lines": [_LOT_LINE]},
        ),
        Remedy(
            "notice_carrier",
            "Set the carrier and the tracking number of a shipment",
            f"PUT {at.SHIPMENT}/tracking",
            {"carrier": {"name": "Lane Freight"}, "trackingNumber": "TRK{number}"},
            optional=("trackingNumber",),
        ),
        Remedy(
            "expected_arrival",
            "Change an inbound order",
            f"PATCH {at.INBOUND_ORDER}",
            {"dates": {"expectedArrival": _MOMENT}},
        ),
    ),
    evidence=(at.READ_INBOUND_ORDER, at.READ_SHIPMENT),
    clue="noticeGap",
    candidates=("lotGap", "carrierGap", "arrivalGap"),
)

_DOCK = Symptom(
    stage="dock",
    duration_steps=16,
    title="Trailer not at its door",
    failure_type="timing_issue",
    causes=("appointment lost", "check-in not recorded", "held up on the road"),
    remedies=(
        Remedy(
            "book_appointment",
            "Schedule the arrival of a trailer",
            f"POST {at.TRAILER}/schedule",
            {"scheduledArrival": _MOMENT, "dcId": "wms_warehouse_1"},
        ),
        Remedy("check_in", "Check a trailer in", f"POST {at.TRAILER}/checkin", {"actualArrival": _MOMENT}),
        Remedy(
            "trailer_delay",
            "Record a delay of a trailer",
            f"POST {at.TRAILER}/delays",
            {"delayType": "TRAFFIC", "reason": "Held up on the road", "reportedAt": _MOMENT},
            choices={"delayType": allowed.TRAILER_DELAY},
        ),
    ),
    evidence=(at.READ_TRAILER, at.READ_DOOR),
    clue="missingHours",
    candidates=("unbookedHours", "yardHours", "reportedLateHours"),
)

_UNLOAD = Symptom(
    stage="unload",
    duration_steps=3,
    title="Unloading halted",
    failure_type="invalid_state",
    causes=("wrong door", "door out of service", "no crew"),
    remedies=(
        Remedy(
            "assign_door",
            "Assign a trailer to a dock door",
            f"POST {at.TRAILER}/assign-dock",
            {"dockDoor": "{dock_door}"},
        ),
        setting(
            "door_in_service",
            "Set the status of a dock door",
            f"PUT {at.DOOR}/status",
            "AVAILABLE",
            allowed.DOOR,
        ),
        Remedy(
            "crew",
            "Assign a warehouse task",
            f"PUT {at.DOCK_TASK}/assign",
            {"userId": "crew-1", "userName": "Crew 1"},
        ),
    ),
    evidence=(at.READ_DOOR, at.READ_TRAILER),
    clue="haltCode",
    candidates=("doorMismatchCode", "serviceCode", "crewCode"),
)

_RECEIVE = Symptom(
    stage="receive",
    duration_steps=2,
    title="Count differs from notice",
    failure_type="format_change",
    causes=("scan lost", "unit of measure", "item not on the notice"),
    remedies=(
        Remedy(
            "receiving_progress",
            "Report the receiving progress of a line",
            f"PUT {at.INBOUND_ORDER}/receiving-progress",
            {"lineNumber": 1, "receivedQuantity": 12},
        ),
        Remedy(
            "product_units", "Change a product", f"PUT {at.PRODUCT}", {"customFields": {"unitsPerCase": 12}}
        ),
        Remedy(
            "receipt_item",
            "Add an item to a receiving transaction",
            f"POST {at.RECEIPT}/items",
            {
                "sku": "SKU-{number}",
                "productName": "Product {number}",
                "expectedQuantity": 0,
                "receivedQuantity": 12,
                "unitOfMeasure": "EA",
            },
        ),
    ),
    evidence=(at.READ_INBOUND_ORDER, at.READ_RECEIPT),
    clue="countDifference",
    candidates=("unscannedQuantity", "caseDifference", "unlistedQuantity"),
)

_INSPECT = Symptom(
    stage="inspect",
    duration_steps=8,
    title="Goods on quality hold",
    failure_type="dependency_failure",
    causes=("certificate missing", "result not posted", "goods damaged"),
    remedies=(
        Remedy(
            "certificate",
            "Attach a document to a shipment",
            f"POST {at.SHIPMENT}/documents",
            {"documentUrl": "https://documents.invalid/certificate-{number}"},
        ),
        setting(
            "inspection_result",
            "Set the status of a receiving transaction",
            f"PUT {at.RECEIPT}/status",
            "PUTAWAY_PENDING",
            allowed.RECEIPT,
        ),
        setting(
            "quarantine",
            "Change a stock record",
            f"PATCH {at.LOT}",
            "QUARANTINE",
            allowed.STOCK,
            "inventoryStatus",
        ),
    ),
    evidence=(at.READ_RECEIPT, at.READ_SHIPMENT),
    clue="holdCode",
    candidates=("certificateCode", "laboratoryCode", "damageCode"),
)

_PUTAWAY = Symptom(
    stage="putaway",
    duration_steps=4,
    title="Pallet not in its bin",
    failure_type="stale_data",
    causes=("bin blocked", "task suspended", "stored elsewhere"),
    remedies=(
        setting("bin_available", "Set the status of a bin", f"PUT {at.BIN}/status", "AVAILABLE", allowed.BIN),
        setting(
            "task_released",
            "Set the status of a warehouse task",
            f"PUT {at.DOCK_TASK}/status",
            "RELEASED",
            allowed.TASK,
        ),
        movement("putaway_recorded", "PUTAWAY", "{dock_task}"),
    ),
    evidence=(at.READ_RECEIPT, at.READ_COUNT),
    clue="unstoredQuantity",
    candidates=("blockedQuantity", "suspendedQuantity", "foundElsewhereQuantity"),
)

_MATCH = Symptom(
    stage="match",
    duration_steps=12,
    title="Supplier invoice does not match",
    failure_type="duplicate_data",
    causes=("price above order", "freight billed twice", "second invoice"),
    remedies=(
        Remedy(
            "invoice_lines",
            "Change the lines of an invoice",
            f"PUT {at.INVOICE}",
            {"lines": [{"lineNumber": 1, "quantity": 12, "unitPrice": 0.1, "lineAmount": 1.2}]},
            excluded=("charges",),
        ),
        Remedy("invoice_charges", "Change an invoice", f"PUT {at.INVOICE}", {"charges": []}),
        Remedy(
            "delete_duplicate",
            "Delete a duplicate invoice",
            f"DELETE {at.DUPLICATE_INVOICE}",
            entity="message",
        ),
    ),
    evidence=(at.READ_INVOICE, at.READ_PURCHASE_ORDER),
    clue="excessAmount",
    candidates=("priceExcess", "freightExcess", "billedTwiceAmount"),
)

_PAY = Symptom(
    stage="pay",
    duration_steps=40,
    title="Payment returned",
    failure_type="missing_data",
    causes=("bank details", "no remittance", "not booked"),
    remedies=(
        Remedy(
            "bank_details",
            "Change a payment",
            f"PUT {at.PAYMENT}",
            {"bankDetails": {"accountNumber": "{number}"}},
        ),
        Remedy(
            "payment_allocations",
            "Allocate a payment to invoices",
            f"PUT {at.PAYMENT}/allocations",
            {"allocations": [{"invoiceNumber": "{invoice}", "appliedAmount": 1.0}]},
        ),
        booking("book_payment", "payment_out", "{invoice}"),
    ),
    evidence=(at.READ_PAYMENT, at.READ_SUPPLIER),
    clue="returnCode",
    candidates=("bankCode", "remittanceCode", "bookingCode"),
)

_SHARP, _BLUNT = (0.88, 0.09, 0.03), (0.82, 0.05, 0.13)

LAYOUT = Layout(
    name="process-inbound",
    version=1,
    title="Inbound logistics",
    description="Goods are ordered, announced, docked, unloaded, received, inspected, stored, matched and paid.",
    symptoms=(_PURCHASE, _ADVISE, _DOCK, _UNLOAD, _RECEIVE, _INSPECT, _PUTAWAY, _MATCH, _PAY),
    delivered_after=6,
    configurations=turned_configurations(
        (_BLUNT, _SHARP, _SHARP, _BLUNT, _SHARP, _SHARP, _BLUNT, _SHARP, _BLUNT),
        ((0, 1, 2), (3, 4, 6), (5, 7, 8)),
        3,
    ),
    fault_probability=0.135,
    demand=0.6,
    value_cents=(40, 240),
    horizon_steps=72,
    leak_reference=80,
    lifecycles=INBOUND,
)
