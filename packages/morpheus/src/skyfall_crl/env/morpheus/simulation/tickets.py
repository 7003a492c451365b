"""Incident tickets: what the deployment tells about faults, which is never their cause."""

from typing import Any

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.faults import LOST, MENDED, Fault

_STATUS = ("open", "resolved", "closed")
_IMPACT = ("low", "medium", "high", "high")
_RESOLUTION = {MENDED: "The process went on.", LOST: "The order was cancelled after waiting too long."}


def ticket_status(fault: Fault) -> str:
    """Return the status a fault's ticket has: `open`, `resolved` once mended, `closed` when its order was lost."""
    return _STATUS[fault.state]


def ticket(world: World, world_id: str, fault: Fault) -> dict[str, Any]:
    """Return a fault's ticket in the wire's shape."""
    layout, symptom = world.layout, world.layout.symptoms[fault.symptom]
    opened = instant(fault.opened_step, layout.minutes_per_step)
    priority = layout.priorities[fault.priority]
    number = fault.order.number
    notes = [_work_note(world, fault, remedy, step) for remedy, step in fault.attempts]
    document: dict[str, Any] = {
        "_id": fault.ticket_id,
        "worldRef": {"worldId": world_id},
        "title": f"{symptom.title} at {symptom.stage} of ORDER_{number}",
        "description": f"{layout.title} stopped at {symptom.stage}: {symptom.title.lower()}.",
        "requester": "operations",
        "status": ticket_status(fault),
        "priority": priority,
        "impact": _IMPACT[fault.priority],
        "urgency": _IMPACT[fault.priority],
        "type": "incident",
        "category": symptom.stage,
        "workNotes": notes,
        "createdAt": opened,
        "updatedAt": notes[-1]["createdAt"] if notes else opened,
        "metadata": {
            "odId": f"od_{layout.name}",
            "odName": layout.title,
            "runId": f"run_{number}",
            "failedStepId": symptom.stage,
            "failureType": symptom.failure_type,
            "contextSnapshots": _evidence(world, world_id, fault),
            "orderValue": fault.value_cents / 100,
        },
    }
    if layout.traits:
        document["metadata"]["orderTraits"] = {
            trait.key: trait.values[value] for trait, value in zip(layout.traits, fault.traits, strict=True)
        }
    if fault.state in _RESOLUTION:
        document["resolutionNotes"] = _RESOLUTION[fault.state]
        document["updatedAt"] = instant(fault.closed_step, layout.minutes_per_step)
    return document


def _evidence(world: World, world_id: str, fault: Fault) -> list[dict[str, Any]]:
    number = str(fault.order.number)
    return [
        {
            "entityType": evidence.entity,
            "entityId": evidence.path.rpartition("/")[2].replace("{number}", number),
            "path": evidence.path.replace("{worldId}", world_id).replace("{number}", number),
        }
        for evidence in world.layout.symptoms[fault.symptom].evidence
    ]


def _work_note(world: World, fault: Fault, remedy: int, step: int) -> dict[str, Any]:
    at = instant(step, world.layout.minutes_per_step)
    name = world.layout.symptoms[fault.symptom].remedies[remedy].name
    return {
        "author": "operations",
        "note": f"Tried {name}; the fault remains.",
        "createdAt": at,
        "updatedAt": at,
        "isPublic": True,
    }
