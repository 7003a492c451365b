"""Entities of the places goods are kept in, as the wire shows them."""

from skyfall_crl.env.morpheus.simulation.entities.facts import SITE, Document, Facts


def bin_(facts: Facts) -> Document:
    """Return the bin the order's goods are meant for."""
    return facts.stamped(
        "bin",
        {
            "binId": f"wms_bin_{facts.number}",
            "binCode": f"A-{facts.number}",
            "warehouseId": SITE,
            "zoneId": f"wms_zone_{facts.number}",
            "binType": "PALLET",
            "locationType": "STORAGE",
            "status": "RESERVED",
            "worldRef": {"worldId": facts.world_id},
        },
    )


def zone(facts: Facts) -> Document:
    """Return the zone that bin stands in."""
    return facts.stamped(
        "zone",
        {
            "worldRef": {"worldId": facts.world_id},
            "zoneId": f"wms_zone_{facts.number}",
            "warehouseId": SITE,
            "zoneCode": f"Z-{facts.number}",
            "zoneName": f"Zone {facts.number}",
            "zoneType": "STORAGE",
            "temperatureControlled": True,
            "temperatureRange": {"min": 2, "max": 5, "unit": "C"},
        },
    )
