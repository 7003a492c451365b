"""Verification: what the obligation says of a ticket or an entity; fields that agents can write are not asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.faults import MENDED, Fault

Result = dict[str, Any]

_TYPES: Mapping[str, tuple[str, ...]] = {
    "ORDER": ("wms/outbound-orders", "wms/inbound-orders", "erp/orders"),
    "SHIPMENT": ("tms/shipments", "erp/shipments", "wms/shipments"),
    "TASK": ("wms/tasks",),
    "INVENTORY": ("wms/inventory",),
    "WAVE": (),
}


def verify_ticket(enterprise: Enterprise, fault: Fault) -> Result:
    """Return how a ticket's remediation scores: its process goes on, and so does each entity linked to it."""
    symptom = enterprise.world.layout.symptoms[fault.symptom]
    passed = fault.state == MENDED
    linked = [
        (evidence.entity, evidence.path.rpartition("/")[2].replace("{number}", str(fault.order.number)))
        for evidence in symptom.evidence
    ]
    return _result(enterprise, fault.ticket_id, fault.symptom, passed, linked)


def verify_entity(enterprise: Enterprise, body: Mapping[str, Any]) -> Result:
    """Return whether an entity's order goes on; raises `BackendError` for an entity nobody knows."""
    kind, identifier = body.get("entityType", "ORDER"), body.get("entityId")
    texts = all(isinstance(each, str) for each in (body.get("odId"), identifier, kind))
    if not texts or kind not in _TYPES:
        raise BackendError("verify-entity: expected odId, entityId and a known entityType", status=400)
    for path in _TYPES[kind]:
        collection = enterprise.directory.collections[path]
        place = enterprise.directory.place(collection, str(identifier).rpartition(":")[2])
        if place.kind and enterprise.sight(place) is not None:
            order = enterprise.world.orders.get(place.number)
            fault = None if order is None else order.fault
            stage = (
                len(enterprise.world.layout.symptoms) - 1
                if order is None
                else min(order.stage, _last(enterprise))
            )
            return _result(enterprise, "", stage, fault is None, [(place.kind, str(identifier))])
    raise BackendError(f"verify-entity: expected an entity of this world, found {identifier!r}", status=400)


def _last(enterprise: Enterprise) -> int:
    return len(enterprise.world.layout.symptoms) - 1


def _result(
    enterprise: Enterprise, ticket_id: str, stage: int, passed: bool, linked: Sequence[tuple[str, str]]
) -> Result:
    symptom = enterprise.world.layout.symptoms[stage]
    checks = [
        {
            "entityType": kind.upper(),
            "entityId": identifier,
            "expectedStates": ["UNDER_WAY"],
            "actualState": "UNDER_WAY" if passed else "HELD",
            "passed": passed,
        }
        for kind, identifier in linked
    ]
    whole = 1 + len(checks)
    return {
        "passed": passed,
        "ticketId": ticket_id,
        "worldId": enterprise.world_id,
        "timestamp": enterprise.moment,
        "totalChecks": whole,
        "passedChecks": whole if passed else 0,
        "failedChecks": 0 if passed else whole,
        "verificationDurationMs": 0,
        "invariantChecks": [
            {
                "invariantId": f"{enterprise.world.layout.name}/{symptom.stage}",
                "description": f"The process goes on after {symptom.stage}.",
                "passed": passed,
            }
        ],
        "entityStateChecks": checks,
    }
