"""Order to cash between trading partners: eight stages from the order document to the money in the bank."""

from skyfall_crl.env.morpheus.simulation import exchanges
from skyfall_crl.env.morpheus.simulation import records as at
from skyfall_crl.env.morpheus.simulation import settings as allowed
from skyfall_crl.env.morpheus.simulation.configurations import turned_configurations
from skyfall_crl.env.morpheus.simulation.journeys import ORDER_TO_CASH
from skyfall_crl.env.morpheus.simulation.layout import Layout, Symptom
from skyfall_crl.env.morpheus.simulation.settings import booking, setting
from skyfall_crl.env.morpheus.simulation.templates import Remedy

_MOMENT = "2026-01-05T00:00:00.000Z"
_DAY = "2026-01-05"

_CAPTURE = Symptom(
    stage="capture",
    duration_steps=1,
    title="Order document errored",
    failure_type="format_change",
    causes=("unknown item", "date outside calendar", "partner address changed"),
    remedies=(
        Remedy(
            "order_lines",
            "Change a sales order and its lines",
            f"PUT {at.SALES_ORDER}",
            {"lines": [{"lineNumber": 1, "quantityOrdered": 12}]},
        ),
        Remedy(
            "requested_date",
            "Change a sales order",
            f"PUT {at.SALES_ORDER}",
            {"requestedDate": _DAY},
            excluded=("lines",),
        ),
        Remedy(
            "partner_address",
            "Change a company",
            f"PUT {at.CUSTOMER}",
            {
                "billingAddress": {
                    "street1": "1 Dock Road",
                    "city": "Aachen",
                    "state": "NW",
                    "postalCode": "52062",
                    "country": "DE",
                }
            },
        ),
    ),
    evidence=(at.READ_SALES_ORDER, at.READ_PRODUCT),
    clue="segmentError",
    candidates=("itemSegment", "dateSegment", "addressSegment"),
)

_CREDIT = Symptom(
    stage="credit",
    duration_steps=2,
    title="Order on credit hold",
    failure_type="permission_denied",
    causes=("limit too low", "hold left set", "cash not applied"),
    remedies=(
        Remedy(
            "credit_limit",
            "Change a company",
            f"PUT {at.CUSTOMER}",
            {"creditLimit": 1000},
            excluded=("billingAddress",),
        ),
        setting("credit_hold_lifted", "Change a company", f"PUT {at.CUSTOMER}", "ACTIVE", allowed.COMPANY),
        setting(
            "payment_applied",
            "Set the status of a payment",
            f"PUT {at.PAYMENT}/status",
            "APPLIED",
            allowed.PAYMENT,
        ),
    ),
    evidence=(at.READ_SALES_ORDER, at.READ_CUSTOMER),
    clue="exposureAmount",
    candidates=("overLimitAmount", "heldAmount", "unappliedAmount"),
)

_ACKNOWLEDGE = Symptom(
    stage="acknowledge",
    duration_steps=3,
    title="Acknowledgement refused",
    failure_type="invalid_state",
    causes=("status not advanced", "price not agreed", "promise too late"),
    remedies=(
        setting(
            "order_acknowledged",
            "Set the status of a sales order",
            f"PUT {at.SALES_ORDER}/status",
            "ACKED",
            allowed.ORDER,
        ),
        Remedy(
            "agreed_price",
            "Change a product",
            f"PUT {at.PRODUCT}",
            {"price": {"currency": "USD", "amount": 0.1}},
        ),
        Remedy(
            "promised_date",
            "Change a sales order",
            f"PUT {at.SALES_ORDER}",
            {"dueDate": _DAY},
            excluded=("lines", "requestedDate"),
        ),
    ),
    evidence=(at.READ_CUSTOMER, at.READ_PRODUCT),
    clue="refusalCode",
    candidates=("statusCode", "priceCode", "promiseCode"),
)

_ADVISE = Symptom(
    stage="advise",
    duration_steps=6,
    title="Ship notice rejected",
    failure_type="partial_data",
    causes=("lines incomplete", "carrier code missing", "package count wrong"),
    remedies=(
        Remedy(
            "notice_lines",
            "Change the lines of a shipment",
            f"PUT {at.SHIPMENT}/lines",
            {"lines": [{"lineNumber": 1, "sku": "SKU-{number}", "quantityShipped": 12}]},
        ),
        Remedy(
            "carrier_code",
            "Set the carrier and the tracking number of a shipment",
            f"PUT {at.SHIPMENT}/tracking",
            {"carrier": {"name": "Lane Freight", "scac": "LANE"}},
        ),
        Remedy(
            "package_count",
            "Change a shipment",
            f"PUT {at.SHIPMENT}",
            {"packaging": {"palletCount": 1, "totalPackages": 12}},
        ),
    ),
    evidence=(at.READ_SHIPMENT, at.READ_OUTBOUND_ORDER),
    clue="rejectedSegment",
    candidates=("lineSegment", "carrierSegment", "packageSegment"),
)

_DELIVER = Symptom(
    stage="deliver",
    duration_steps=36,
    title="No proof of delivery",
    failure_type="missing_data",
    causes=("document missing", "event missing", "status stuck"),
    remedies=(
        Remedy(
            "delivery_document",
            "Attach a document to a shipment",
            f"POST {at.SHIPMENT}/documents",
            {"documentUrl": "https://documents.invalid/delivery-{number}"},
        ),
        Remedy(
            "delivery_event",
            "Record an event of a shipment",
            f"POST {at.SHIPMENT}/events",
            {"ts": _MOMENT, "location": "Aachen", "status": "DELIVERED"},
        ),
        setting(
            "delivery_status",
            "Set the status of a shipment",
            f"PUT {at.SHIPMENT}/status",
            "DELIVERED",
            allowed.SHIPMENT,
        ),
    ),
    evidence=(at.READ_SHIPMENT, at.READ_FREIGHT),
    clue="unprovenHours",
    candidates=("undocumentedHours", "eventlessHours", "stuckHours"),
)

_BILL = Symptom(
    stage="bill",
    duration_steps=4,
    title="Invoice document rejected",
    failure_type="data_corruption",
    causes=("line price", "freight charge", "sent twice"),
    remedies=(
        Remedy(
            "invoice_lines",
            "Change the lines of an invoice",
            f"PUT {at.INVOICE}",
            {"lines": [{"lineNumber": 1, "quantity": 12, "unitPrice": 0.1, "lineAmount": 1.2}]},
        ),
        Remedy(
            "invoice_charges", "Change an invoice", f"PUT {at.INVOICE}", {"charges": []}, excluded=("lines",)
        ),
        Remedy(
            "delete_duplicate",
            "Delete a duplicate invoice",
            f"DELETE {at.DUPLICATE_INVOICE}",
            entity="message",
        ),
    ),
    evidence=(at.READ_INVOICE, at.READ_SALES_ORDER),
    clue="rejectedAmount",
    candidates=("priceDifference", "freightDifference", "billedTwiceAmount"),
)

_DISPUTE = Symptom(
    stage="dispute",
    duration_steps=12,
    title="Customer pays short",
    failure_type="duplicate_data",
    causes=("allowance agreed", "goods returned", "claim unfounded"),
    remedies=(
        Remedy(
            "grant_allowance",
            "Change an invoice",
            f"PUT {at.INVOICE}",
            {"allowances": [{"description": "Agreed allowance", "amount": 0.1}]},
            excluded=("lines", "charges"),
        ),
        Remedy(
            "credit_note",
            "Create an invoice",
            "POST /{worldId}/erp/invoices",
            {
                "invoiceType": "CREDIT",
                "customerId": "{customer}",
                "issueDate": _DAY,
                "totalAmount": 0.1,
                "lines": [{"lineNumber": 1, "sku": "SKU-{number}", "quantity": 1, "unitPrice": 0.1}],
            },
            entity="invoice",
            choices={"invoiceType": ("CORRECTION", "CREDIT", "DEBIT", "STANDARD")},
            decisive=("invoiceType",),
            link="customerId",
            creates=True,
        ),
        setting(
            "uphold_invoice",
            "Set the status of an invoice",
            f"PUT {at.INVOICE}/status",
            "VALIDATED",
            allowed.INVOICE,
        ),
    ),
    evidence=(at.READ_INVOICE, at.READ_CUSTOMER),
    clue="deductedAmount",
    candidates=("allowanceAmount", "returnedAmount", "unfoundedAmount"),
)

_SETTLE = Symptom(
    stage="settle",
    duration_steps=72,
    title="Remittance unread",
    failure_type="dependency_failure",
    causes=("reference missing", "invoices not named", "receipt not booked"),
    remedies=(
        Remedy(
            "payment_reference",
            "Change a payment",
            f"PUT {at.PAYMENT}",
            {"referenceNumbers": ["REM-{number}"]},
        ),
        Remedy(
            "payment_allocations",
            "Allocate a payment to invoices",
            f"PUT {at.PAYMENT}/allocations",
            {"allocations": [{"invoiceNumber": "{invoice}", "appliedAmount": 1.0}]},
        ),
        booking("book_receipt", "payment_in", "{invoice}"),
    ),
    evidence=(at.READ_PAYMENT, at.READ_INVOICE),
    clue="unreadAmount",
    candidates=("unreferencedAmount", "unnamedAmount", "unbookedAmount"),
)

_MIX = (0.87, 0.1, 0.03)
_MIRRORED = (0.87, 0.03, 0.1)

LAYOUT = Layout(
    name="erp-order-to-cash",
    version=1,
    title="Order to cash",
    description="Order documents are captured, checked, acknowledged, advised, delivered, billed, argued and settled.",
    symptoms=(_CAPTURE, _CREDIT, _ACKNOWLEDGE, _ADVISE, _DELIVER, _BILL, _DISPUTE, _SETTLE),
    delivered_after=4,
    configurations=turned_configurations((_MIX, _MIRRORED) * 4, ((0, 2), (1, 6), (5, 7)), 4),
    fault_probability=0.2,
    demand=0.45,
    value_cents=(50, 550),
    priority_quarters=(2, 2, 3, 4),
    horizon_steps=144,
    leak_reference=150,
    delivered_reference=1,
    lifecycles=(*ORDER_TO_CASH, *exchanges.ORDER_TO_CASH),
)
