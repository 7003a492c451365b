"""A maker of chilled food: six stages from ingredients to dispatch, in a world where goods spoil within a day."""

from skyfall_crl.env.morpheus.simulation import records as at
from skyfall_crl.env.morpheus.simulation import settings as allowed
from skyfall_crl.env.morpheus.simulation.configurations import turned_configurations
from skyfall_crl.env.morpheus.simulation.journeys import PERISHABLE
from skyfall_crl.env.morpheus.simulation.layout import Layout, Symptom
from skyfall_crl.env.morpheus.simulation.settings import movement, setting
from skyfall_crl.env.morpheus.simulation.templates import Remedy

_MOMENT = "2026-01-05T00:00:00.000Z"

_SOURCE = Symptom(
    stage="source",
    duration_steps=3,
    title="Ingredient short",
    failure_type="partial_data",
    causes=("ordered too little", "supplier on hold", "lot expired in stock"),
    remedies=(
        Remedy(
            "order_quantity",
            "Change a purchase order and its lines",
            f"PUT {at.PURCHASE_ORDER}",
            {"lines": [{"lineNumber": 1, "quantityOrdered": 24}]},
        ),
        setting("supplier_status", "Change a company", f"PUT {at.SUPPLIER}", "ACTIVE", allowed.COMPANY),
        Remedy(
            "expired_lot_counted",
            "Record the result of a cycle count",
            f"POST {at.COUNT}/results",
            {
                "binId": "{bin}",
                "productId": "{product}",
                "sku": "SKU-{number}",
                "expectedQuantity": 12,
                "actualQuantity": 0,
                "variance": -12,
                "countedBy": "counter",
                "countedAt": _MOMENT,
            },
        ),
    ),
    evidence=(at.READ_PURCHASE_ORDER, at.READ_COUNT),
    clue="shortQuantity",
    candidates=("unorderedQuantity", "heldBackQuantity", "expiredQuantity"),
)

_RECEIVE = Symptom(
    stage="receive",
    duration_steps=2,
    title="Temperature alarm",
    failure_type="dependency_failure",
    causes=("trailer warmed up", "zone set too warm", "probe reading lost"),
    remedies=(
        Remedy(
            "reefer_delay",
            "Record a delay of a trailer",
            f"POST {at.TRAILER}/delays",
            {"delayType": "MECHANICAL", "reason": "Cooling unit replaced", "reportedAt": _MOMENT},
            choices={"delayType": allowed.TRAILER_DELAY},
        ),
        Remedy(
            "zone_temperature",
            "Change a zone",
            f"PUT {at.ZONE}",
            {"temperatureRange": {"min": 1, "max": 4, "unit": "C"}},
        ),
        setting(
            "probe_confirmed",
            "Set the status of a receiving transaction",
            f"PUT {at.RECEIPT}/status",
            "RECEIVED",
            allowed.RECEIPT,
        ),
    ),
    evidence=(at.READ_RECEIPT, at.READ_ZONE),
    clue="alarmMinutes",
    candidates=("trailerWarmMinutes", "zoneWarmMinutes", "probeSilentMinutes"),
)

_PRODUCE = Symptom(
    stage="produce",
    duration_steps=6,
    title="Batch stopped",
    failure_type="invalid_state",
    causes=("order not released", "recipe out of date", "ingredients not issued"),
    remedies=(
        setting(
            "order_released",
            "Set the status of an order",
            f"PUT {at.SALES_ORDER}/status",
            "IN_PROGRESS",
            allowed.ORDER,
        ),
        Remedy("recipe", "Change a product", f"PUT {at.PRODUCT}", {"customFields": {"recipeVersion": 2}}),
        movement("issue_ingredients", "PICK", "{task}"),
    ),
    evidence=(at.READ_SALES_ORDER, at.READ_PRODUCT),
    clue="stopCode",
    candidates=("releaseCode", "recipeCode", "issueCode"),
)

_LABEL = Symptom(
    stage="label",
    duration_steps=2,
    title="Date code rejected",
    failure_type="format_change",
    causes=("expiry date wrong", "lot number wrong", "label text wrong"),
    remedies=(
        Remedy("lot_expiry", "Change a stock record", f"PATCH {at.LOT}", {"expirationDate": _MOMENT}),
        Remedy(
            "lot_number",
            "Change a stock record",
            f"PATCH {at.LOT}",
            {"lotNumber": "LOT-{number}"},
            excluded=("expirationDate",),
        ),
        Remedy(
            "label_text",
            "Change a product",
            f"PUT {at.PRODUCT}",
            {"description": "Keep chilled"},
            excluded=("customFields",),
        ),
    ),
    evidence=(at.READ_PRODUCT, at.READ_RECEIPT),
    clue="rejectedCode",
    candidates=("expiryCode", "lotCode", "textCode"),
)

_RELEASE = Symptom(
    stage="release",
    duration_steps=12,
    title="Lot in quarantine",
    failure_type="stale_data",
    causes=("laboratory result late", "bin blocked", "replenishment waits"),
    remedies=(
        setting(
            "lot_released",
            "Set the status of stock",
            f"PUT {at.LOT}/status",
            "AVAILABLE",
            ("ALLOCATED", "AVAILABLE", "EXPIRED", "HOLD", "QUARANTINE"),
            "inventoryStatus",
        ),
        setting("bin_available", "Set the status of a bin", f"PUT {at.BIN}/status", "AVAILABLE", allowed.BIN),
        Remedy(
            "approve_replenishment",
            "Approve a replenishment",
            f"PUT {at.REPLENISHMENT}/approve",
            {"approvedBy": "planner-1"},
        ),
    ),
    evidence=(at.READ_REPLENISHMENT, at.READ_COUNT),
    clue="heldQuantity",
    candidates=("untestedQuantity", "blockedQuantity", "unapprovedQuantity"),
)

_DISPATCH = Symptom(
    stage="dispatch",
    duration_steps=8,
    title="Shelf life too short",
    failure_type="timing_issue",
    causes=("ship date too late", "older lot allocated", "cooled carrier refused"),
    remedies=(
        Remedy(
            "earlier_ship_date",
            "Change an outbound order",
            f"PATCH {at.OUTBOUND_ORDER}",
            {"dates": {"requiredShipDate": _MOMENT}},
        ),
        Remedy(
            "fresher_lot",
            "Allocate an order line anew",
            f"PUT {at.OUTBOUND_ORDER}/lines/1/allocate",
            {"allocatedQuantity": 12},
        ),
        Remedy(
            "tender_cooled",
            "Tender a shipment to a carrier",
            f"PUT {at.FREIGHT}/tender",
            {"carrierId": "CARRIER_R", "carrierName": "Cold", "carrierCode": "COLD", "scacCode": "COLD"},
            entity="tms_shipment_record",
        ),
    ),
    evidence=(at.READ_OUTBOUND_ORDER, at.READ_FREIGHT),
    clue="lostShelfHours",
    candidates=("lateShipHours", "olderLotHours", "refusalHours"),
)

_SHARP, _BLUNT = (0.9, 0.07, 0.03), (0.84, 0.04, 0.12)

LAYOUT = Layout(
    name="perishables-food-manufacturer",
    version=1,
    title="Skyfoods Manufacturer",
    description="Ingredients are sourced, received cold, cooked, labelled, released and dispatched before they spoil.",
    symptoms=(_SOURCE, _RECEIVE, _PRODUCE, _LABEL, _RELEASE, _DISPATCH),
    delivered_after=5,
    configurations=turned_configurations(
        (_SHARP, _BLUNT, _SHARP, _BLUNT, _BLUNT, _SHARP), ((0, 4), (1, 5), (2, 3)), 5
    ),
    fault_probability=0.11,
    demand=1.1,
    value_cents=(50, 150),
    priority_quarters=(1, 2, 4, 4),
    horizon_steps=48,
    leak_reference=50,
    lifecycles=PERISHABLE,
)
