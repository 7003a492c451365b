"""Master data: the companies, products, places and carriers that are there from a world's first step."""

from collections.abc import Iterator
from functools import cache

from skyfall_crl.env.morpheus.simulation.entities.erp import PARTNERS, PRODUCTS
from skyfall_crl.env.morpheus.simulation.entities.facts import ADDRESS, QUANTITY, SITE, Document

CENTER = "wms_dc_1"
_ZONES = (("A1", "PICKING"), ("A2", "STORAGE"), ("A3", "PACKING"), ("A4", "SHIPPING"), ("A5", "RECEIVING"))
_BINS = ("A-01-1", "A-01-2", "A-02-1", "B-01-1", "B-01-2", "B-02-1")
_CARRIERS = (
    ("L", "LANE", "Lane Freight", "FTL"),
    ("R", "RELF", "Relief", "LTL"),
    ("P", "PARC", "Parcel", "PARCEL"),
)
_NAMES = ("Alder", "Birch", "Cedar", "Elm", "Fir")
_POSTAL = {**ADDRESS, "postalCode": "52062"}


@cache
def master_data() -> dict[str, dict[str, Document]]:
    """Return master data by collection and business id, without what differs from world to world."""
    return {
        "erp/companies": dict(_companies()),
        "erp/products": dict(_products()),
        "wms/warehouses": {SITE: _warehouse()},
        "wms/zones": dict(_zones()),
        "wms/bins": dict(_bins()),
        "wms/distribution-centers": {CENTER: _center()},
        "wms/dock-doors": dict(_dock_doors()),
        "tms/carriers": dict(_carriers()),
    }


def _companies() -> Iterator[tuple[str, Document]]:
    main = {"name": "Main Company", "companyType": "INTERNAL", "isMpcCompany": True, "duns": "100000000"}
    yield "COMP_MPC", _company("COMP_MPC", main)
    for number in range(1, PARTNERS + 1):
        identifier = f"COMP_P{number}"
        partner = {"name": f"{_NAMES[number - 1]} Trading", "companyType": "PARTNER", "isMpcCompany": False}
        yield identifier, _company(identifier, {**partner, "duns": f"20000000{number}"})


def _company(identifier: str, fields: Document) -> Document:
    common = {"status": "ACTIVE", "currency": "USD", "paymentTerms": "NET30", "billingAddress": dict(_POSTAL)}
    return {"companyId": identifier, **fields, **common, "creditHold": False}


def _products() -> Iterator[tuple[str, Document]]:
    for number in range(1, PRODUCTS + 1):
        identifier = f"PROD_A{number:02d}"
        yield (
            identifier,
            {
                "productId": identifier,
                "name": f"{_NAMES[number % len(_NAMES)]} {number:02d}",
                "status": "ACTIVE",
                "unitOfMeasure": "EA",
                "inventoryTracking": True,
                "price": {"currency": "USD", "amount": number / 4},
                "cost": {"currency": "USD", "amount": number / 8},
                "leadTimeDays": 1 + number % 5,
            },
        )


def _warehouse() -> Document:
    address = {
        "street": ADDRESS["street1"],
        **{key: _POSTAL[key] for key in ("city", "state", "postalCode", "country")},
    }
    return {
        "warehouseId": SITE,
        "warehouseCode": "W1",
        "warehouseName": "Warehouse 1",
        "address": address,
        "timezone": "UTC",
        "status": "ACTIVE",
        "warehouseType": "FULFILLMENT",
    }


def _zones() -> Iterator[tuple[str, Document]]:
    for code, kind in _ZONES:
        identifier = f"wms_zone_{code}"
        yield (
            identifier,
            {
                "zoneId": identifier,
                "warehouseId": SITE,
                "zoneCode": code,
                "zoneName": f"{kind.capitalize()} {code}",
                "zoneType": kind,
                "temperatureControlled": False,
                "capacityCubicFeet": 10_000,
                "aisles": [],
            },
        )


def _bins() -> Iterator[tuple[str, Document]]:
    for number, code in enumerate(_BINS, 1):
        identifier = f"wms_bin_A{number:02d}"
        yield (
            identifier,
            {
                "binId": identifier,
                "binCode": code,
                "warehouseId": SITE,
                "zoneId": "wms_zone_A1" if code.startswith("A") else "wms_zone_A2",
                "binType": "PICK_FACE" if code.startswith("A") else "RESERVE",
                "locationType": "STORAGE",
                "capacity": {"maxWeightLbs": 2_000, "maxCubicFeet": 64, "maxPallets": 2},
                "status": "OCCUPIED" if number == 1 else "AVAILABLE",
                "abcClassification": "A",
                "pickable": code.startswith("A"),
            },
        )


def _center() -> Document:
    return {
        "dcId": CENTER,
        "warehouseId": SITE,
        "dcName": "Distribution Center 1",
        "dcType": "FULFILLMENT",
        "operationalStatus": "ACTIVE",
        "timezone": "UTC",
        "totalSqFootage": 100_000,
    }


def _dock_doors() -> Iterator[tuple[str, Document]]:
    for number, kind in enumerate(("OUTBOUND", "INBOUND"), 1):
        identifier = f"wms_dock-door_A{number}"
        yield (
            identifier,
            {
                "dockDoorId": identifier,
                "warehouseId": SITE,
                "doorNumber": f"A{number}",
                "doorType": kind,
                "status": "AVAILABLE",
                "zoneId": "wms_zone_A4" if kind == "OUTBOUND" else "wms_zone_A5",
            },
        )


def _carriers() -> Iterator[tuple[str, Document]]:
    for letter, code, name, kind in _CARRIERS:
        identifier = f"CARRIER_{letter}"
        yield (
            identifier,
            {
                "carrierId": identifier,
                "carrierCode": code,
                "carrierName": name,
                "carrierType": kind,
                "status": "ACTIVE",
                "compliance": {"scacCode": code, "safetyRating": "SATISFACTORY"},
                "performance": {
                    "onTimeDeliveryRate": 0.95,
                    "damageClaimRate": 0.01,
                    "averageTransitTime": QUANTITY,
                },
            },
        )
