"""Logs and audit logs: the world's story out of what it remembers, and what agents did to it, newest first."""

from collections.abc import Iterator
from typing import NamedTuple

from skyfall_crl.env.morpheus.simulation import chronicle
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.identifiers import log_prefix, object_id
from skyfall_crl.env.morpheus.simulation.services import selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Request

_ENTERED, _COMPLETED, _RECEIVED = 3, 4, 5
_STAGES = 32
_AUDIT_TAG = 255
_LEVELS = ("error", "info", "warn", "info", "info", "info")
_TEXTS = (
    "{order} stopped at {stage}: {title}; ticket {ticket} was opened",
    "{order} goes on after {stage}; ticket {ticket} was resolved",
    "{order} was given up at {stage}; ticket {ticket} was closed",
    "{order} entered {stage}",
    "{order} was completed",
    "{order} was received",
)
_MODELS = {
    "erp/companies": "Company",
    "erp/shipments": "ERPShipment",
    "wms/tasks": "Task",
    "wms/inbound-orders": "InboundOrder",
    "tms/shipments": "TMSShipment",
    "tms/carriers": "Carrier",
    "finance/transactions": "FinanceTransaction",
    "tickets": "WorldItsmTicket",
}


class _Line(NamedTuple):
    step: int
    number: int
    what: int
    stage: int


def _lines(enterprise: Enterprise) -> Iterator[_Line]:
    world = enterprise.world
    for step, number, symptom, what in world.chronicle.events:
        yield _Line(step, number, what, symptom)
    completed = len(world.layout.symptoms)
    for finished in world.chronicle.finished.values():
        if finished.stage == completed:
            yield _Line(finished.step, finished.order.number, _COMPLETED, completed - 1)
    for facts in enterprise.everyone():
        if facts.number in world.orders:
            what = _RECEIVED if facts.place < 0 else _ENTERED
            yield _Line(facts.since(facts.place), facts.number, what, max(facts.place, 0))


def logs(enterprise: Enterprise) -> list[Document]:
    """Return what was logged, newest first: faults and finished orders as remembered, and where each order is."""
    prefix = log_prefix(enterprise.world.seed)
    return [_log(enterprise, prefix, line) for line in sorted(_lines(enterprise), reverse=True)]


def _log(enterprise: Enterprise, prefix: str, line: _Line) -> Document:
    world = enterprise.world
    symptom = world.layout.symptoms[line.stage]
    identifier = object_id(prefix, line.number, line.what * _STAGES + line.stage)
    order = f"ORDER_{line.number}"
    ticket = object_id(world.prefix, line.number, line.stage)
    text = _TEXTS[line.what].format(
        order=order, stage=symptom.stage, title=symptom.title.lower(), ticket=ticket
    )
    metadata = {"orderId": order, "stepId": symptom.stage, "odId": f"od_{world.layout.name}"}
    if line.what <= chronicle.LOST:
        metadata["ticketId"] = ticket
    return {
        "_id": identifier,
        "worldRef": {"worldId": enterprise.world_id},
        "logId": f"log_{identifier}",
        "timestamp": enterprise.instant(line.step),
        "serviceType": symptom.evidence[0].path.split("/")[2],
        "level": _LEVELS[line.what],
        "msg": text,
        "metadata": metadata,
    }


def audit(enterprise: Enterprise) -> list[Document]:
    """Return what agents changed, newest first."""
    found = []
    for ordinal, step, verb, path, fields in reversed(enterprise.store.audit):
        home, _, identifier = path.rpartition("/")
        collection = enterprise.directory.collections.get(home)
        moment = enterprise.instant(step)
        found.append(
            {
                "_id": object_id(enterprise.world.prefix, ordinal, _AUDIT_TAG),
                "model": _MODELS.get(home) or (collection.entity if collection is not None else "World"),
                "documentId": identifier,
                "changedBy": "agent",
                "reason": verb,
                "after": dict(fields),
                "createdAt": moment,
                "updatedAt": moment,
            }
        )
    return found


def _read_logs(request: Request) -> Parts:
    asked = selection.wanted(request)
    found = selection.matching(logs(request.enterprise), asked, "level", "timestamp")
    return selection.listed(request, found)


def _read_audit(request: Request) -> Parts:
    asked = selection.wanted(request)
    return {"data": selection.matching(audit(request.enterprise), asked, "model", "createdAt")}


HANDLERS: dict[str, Handler] = {"GET logs": _read_logs, "GET audit-logs": _read_audit}
