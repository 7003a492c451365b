"""Tickets as a service: listed, read, created, changed and deleted; what happens to a ticket mends nothing."""

from typing import Any

from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise, merged
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.services import selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Rejected, Request
from skyfall_crl.env.morpheus.simulation.store import Fields, Written
from skyfall_crl.env.morpheus.simulation.tickets import ticket, ticket_status

_HOME = "tickets"
_TAG = 249
_DRIVEN = ("status", "resolutionNotes")
_NEW = {
    "status": "new",
    "priority": "medium",
    "impact": "medium",
    "urgency": "medium",
    "type": "incident",
    "workNotes": [],
}
_FIELDS = (
    "title",
    "description",
    "status",
    "priority",
    "assignedTo",
    "resolutionNotes",
    "requester",
    "type",
    "category",
)


def everything(enterprise: Enterprise, status: str | None = None) -> list[Document]:
    """Return the tickets of one status or of all: open ones as they were opened, closed ones, agents' own."""
    world, written = enterprise.world, enterprise.store.written
    found = [
        shown(enterprise, fault)
        for fault in (*world.blocked.values(), *world.closed.values())
        if status in (None, ticket_status(fault)) or f"{_HOME}/{fault.ticket_id}" in written
    ]
    found += [_own(enterprise, identifier) for identifier in enterprise.store.created.get(_HOME, {})]
    return [each for each in found if each is not None and status in (None, each["status"])]


def shown(enterprise: Enterprise, fault: Fault) -> Document | None:
    """Return a fault's ticket under what an agent wrote into it, None once an agent deleted it."""
    document = ticket(enterprise.world, enterprise.world_id, fault)
    entry = enterprise.store.written.get(f"{_HOME}/{fault.ticket_id}")
    if entry is None:
        return document
    standing = {
        name: value
        for name, value in entry.fields.items()
        if entry.place == fault.state or name not in _DRIVEN
    }
    return _written_over(enterprise, document, entry, standing)


def _own(enterprise: Enterprise, identifier: str) -> Document | None:
    created = enterprise.store.created[_HOME][identifier]
    moment = enterprise.instant(created.step)
    document: Document = {"_id": identifier, "worldRef": {"worldId": enterprise.world_id}, **created.fields}
    document.update(createdAt=moment, updatedAt=moment)
    entry = enterprise.store.written.get(f"{_HOME}/{identifier}")
    return document if entry is None else _written_over(enterprise, document, entry, entry.fields)


def _written_over(
    enterprise: Enterprise, document: Document, entry: Written, fields: Fields
) -> Document | None:
    if entry.deleted:
        return None
    document = merged(document, fields)
    document["updatedAt"] = max(document["updatedAt"], enterprise.instant(entry.step))
    return document


def _listing(request: Request) -> Parts:
    asked = selection.wanted(request)
    statuses = asked.get("status", ())
    every = everything(request.enterprise, statuses[0] if len(statuses) == 1 else None)
    found = selection.matching(every, asked, "status", "createdAt")
    return selection.listed(request, found)


def _read(request: Request) -> Parts:
    return {"data": _found(request)[1]}


def _created(request: Request) -> Parts:
    enterprise, body = request.enterprise, request.body
    identifier = object_id(enterprise.world.prefix, enterprise.store.ordinal, _TAG)
    fields: Fields = {**_NEW, **{name: body[name] for name in _FIELDS if name in body}}
    if "metadata" in body:
        fields["metadata"] = body["metadata"]
    enterprise.store.create(_HOME, identifier, enterprise.world.board.step, fields)
    enterprise.world.board.edited = True
    enterprise.store.note(enterprise.world.board.step, "create", f"{_HOME}/{identifier}", fields)
    return {"data": _own(enterprise, identifier)}


def _changed(request: Request) -> Parts:
    return _write(request, {name: request.body[name] for name in _FIELDS if name in request.body})


def _noted(request: Request) -> Parts:
    """Keep the notes of a whole array that the ticket does not have of its own accord."""
    fault, document = _found(request)
    world, world_id = request.enterprise.world, request.enterprise.world_id
    own = [] if fault is None else ticket(world, world_id, fault)["workNotes"]
    entry = request.enterprise.store.written.get(f"{_HOME}/{document['_id']}")
    if entry is not None:
        entry.fields.pop("workNotes", None)
    return _write(request, {"workNotes": [note for note in request.body["workNotes"] if note not in own]})


def _deleted(request: Request) -> Parts:
    fault, document = _found(request)
    if fault is None:
        del request.enterprise.store.created[_HOME][document["_id"]]
        request.enterprise.store.written.pop(f"{_HOME}/{document['_id']}", None)
        request.enterprise.store.note(
            request.enterprise.world.board.step, "delete", f"{_HOME}/{document['_id']}", {}
        )
    else:
        _write(request, {}, deleted=True)
    return {"data": {"message": "The ticket was deleted."}}


def _write(request: Request, fields: Fields, *, deleted: bool = False) -> Parts:
    fault, document = _found(request)
    enterprise = request.enterprise
    store, step, path = enterprise.store, enterprise.world.board.step, f"{_HOME}/{document['_id']}"
    number, state = (-1, 0) if fault is None else (fault.order.number, fault.state)
    entry, before = Written(step, number, state), store.written.get(path)
    entry.deleted = deleted
    if before is not None:
        entry.fields = {
            name: value
            for name, value in before.fields.items()
            if before.place == state or name not in _DRIVEN
        }
    store.write(path, entry, fields)
    enterprise.world.board.edited = True
    enterprise.prune()
    store.note(step, "delete" if deleted else "update", path, fields)
    return {"data": None if deleted else _found(request)[1]}


def _found(request: Request) -> tuple[Fault | None, Document]:
    enterprise, identifier = request.enterprise, request.parameters["ticketId"]
    fault = enterprise.world.fault_of(identifier)
    document: Any = None
    if fault is not None:
        document = shown(enterprise, fault)
    elif identifier in enterprise.store.created.get(_HOME, {}):
        document = _own(enterprise, identifier)
    if document is None:
        raise Rejected(404, "no such ticket")
    return fault, document


HANDLERS: dict[str, Handler] = {
    "GET tickets": _listing,
    "POST tickets": _created,
    "GET tickets/{ticketId}": _read,
    "PUT tickets/{ticketId}": _changed,
    "DELETE tickets/{ticketId}": _deleted,
    "PATCH tickets/{ticketId}/status": _changed,
    "PATCH tickets/{ticketId}/work-notes": _noted,
}
