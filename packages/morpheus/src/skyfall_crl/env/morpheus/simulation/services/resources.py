"""What most operations are: reading, listing, creating, changing and deleting the entities of a collection."""

from functools import cache, partial
from typing import Any

from skyfall_crl.env.morpheus.simulation import catalogue
from skyfall_crl.env.morpheus.simulation.blanks import MOMENT, blank, fields
from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
from skyfall_crl.env.morpheus.simulation.enterprise import Sight, merged
from skyfall_crl.env.morpheus.simulation.entities.collections import Collection
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import changes, selection
from skyfall_crl.env.morpheus.simulation.services.requests import Change, Handler, Parts, Rejected, Request
from skyfall_crl.env.morpheus.simulation.store import Fields

_STAMPS = ("_id", "worldId", "worldRef", "createdAt", "updatedAt")
_WORLD_PLACE = 2
_WHERE = {
    "wms/bins/available": {"status": ["AVAILABLE"]},
    "wms/dock-doors/available": {"status": ["AVAILABLE"]},
    "wms/tasks/active": {"status": ["ASSIGNED", "CREATED", "IN_PROGRESS", "RELEASED"]},
    "wms/warehouses/active": {"status": ["ACTIVE"]},
    "wms/outbound-orders/ready-for-picking/{warehouseId}": {"status": ["ALLOCATED", "RELEASED"]},
    "wms/shipments/ready-to-ship/{warehouseId}": {"status": ["CREATED", "LOADED", "MANIFESTED"]},
    "wms/inventory-transactions/adjustments": {"status": ["ADJUST"]},
    "wms/inbound-orders/expected-today": {"status": ["EXPECTED", "IN_TRANSIT"]},
    "tms/shipments/in-transit": {"status": ["IN_TRANSIT"]},
}
"""What some lists are about, beyond what their query asks."""


def handler(operation: Operation) -> Handler | None:
    """Return what carries out an operation on the entities of a collection, or None where it is none of these."""
    segments = operation.path.split("/")[_WORLD_PLACE:]
    path, rest = "/".join(segments[:2]), segments[2:]
    if path not in _paths():
        return None
    of_one = bool(rest) and rest[0].startswith("{")
    if operation.method == "GET":
        return _reading(operation, path, rest)
    if operation.method == "POST" and not rest:
        return partial(create, path)
    if not of_one:
        return None
    parameter = rest[0].strip("{}")
    if operation.method == "DELETE" and len(rest) == 1:
        return partial(delete, path, parameter)
    return partial(change, path, parameter, changes.of(operation))


def read(path: str, parameter: str, request: Request) -> Parts:
    """Answer with one entity; a freight shipment comes with its events."""
    document = sought(request, path, request.parameters[parameter], telling=True)[1]
    if path != "tms/shipments":
        return {"data": document}
    events = document.pop("events", [])
    return {"data": {"shipment": document, "events": events}}


def listing(path: str, request: Request) -> Parts:
    """Answer with the entities a query asks for."""
    found, more = selected(path, request)
    return selection.listed(request, [_alone(document) for document in found], more)


def first(path: str, request: Request) -> Parts:
    """Answer with the first entity that has what the path names."""
    found, _ = selected(path, request)
    if not found:
        raise Rejected(404, "no such entity")
    return {"data": _alone(found[0])}


def create(path: str, request: Request) -> Parts:
    """Create an entity and answer with it."""
    enterprise = request.enterprise
    collection = enterprise.directory.collections[path]
    place = request.new_place(path, collection.key)
    moment = enterprise.moment
    given = changes.created(path, request.body)
    whole = {
        name: moment if value == MOMENT else moment[:10] if value == MOMENT[:10] else value
        for name, value in _template(path, collection.entity, collection.state).items()
    }
    whole.update({name: value for name, value in given.items() if belongs(collection, name)})
    whole.pop(collection.key, None)
    if not request.trusted:
        _check(collection, {**_stamped(moment), collection.key: place.identifier, **whole})
    enterprise.store.create(path, place.identifier, enterprise.world.board.step, whole)
    enterprise.store.note(enterprise.world.board.step, "create", place.path, whole)
    document = enterprise.entity(place)
    assert document is not None
    return {"data": document}


def change(path: str, parameter: str, changed: Change, request: Request) -> Parts:
    """Write into an entity and answer with it."""
    enterprise = request.enterprise
    sight, document = sought(request, path, request.parameters[parameter])
    collection = sight.place.collection
    written = changed(request, document)
    written = {name: value for name, value in written.items() if belongs(collection, name)}
    if not request.trusted:
        _check(collection, merged(document, written))
    enterprise.store.note(enterprise.world.board.step, "update", sight.path, written)
    return {"data": _alone(enterprise.write(sight, written))}


def delete(path: str, parameter: str, request: Request) -> Parts:
    """Delete an entity; one of an order stays away until its order is forgotten, and the order goes on."""
    enterprise = request.enterprise
    place = request.place(path, request.parameters[parameter])
    sight = enterprise.sight(place)
    if sight is None or (sight.document is None and not place.kind):
        raise Rejected(404, "no such entity")
    if enterprise.store.created.get(path, {}).pop(place.identifier, None) is None:
        enterprise.write(sight, {}, deleted=True)
    else:
        enterprise.store.written.pop(sight.path, None)
    enterprise.store.note(enterprise.world.board.step, "delete", sight.path, {})
    return {"data": {"message": f"{place.identifier} was deleted."}}


def _reading(operation: Operation, path: str, rest: list[str]) -> Handler | None:
    if rest[:1] == ["id"] or (len(rest) == 1 and rest[0].startswith("{")):
        return partial(read, path, rest[-1].strip("{}"))
    if operation.answer.shape == "undeclared":
        if rest[-1:] == ["metrics"]:
            return None
        return partial(first if "code" in rest else listing, path)
    if operation.answer.entity is None:
        return None
    return partial(first if operation.answer.shape == "item" else listing, path)


def selected(path: str, request: Request) -> tuple[list[Document], int]:
    enterprise = request.enterprise
    collection = enterprise.directory.collections[path]
    asked = selection.wanted(request)
    about = _WHERE.get("/".join(request.operation.path.split("/")[_WORLD_PLACE:]), {})
    found = enterprise.entities(collection)
    for conditions in (asked, about):
        found = selection.matching(found, conditions, collection.state, collection.dated)
    states = {**about, **asked}.get("status")
    only_by_state = all(name == "status" for name in asked)
    return found, enterprise.forgotten(collection, states) if only_by_state else 0


def sought(request: Request, path: str, identifier: str, *, telling: bool = False) -> tuple[Sight, Document]:
    """Return the entity of a business id, with how it reads; raises `Rejected` where there is none."""
    sight = request.enterprise.sight(request.place(path, identifier), telling=telling)
    if sight is None or sight.document is None:
        raise Rejected(404, "no such entity")
    return sight, sight.document


def _check(collection: Collection, document: Document) -> None:
    if collection.entity:
        problem = catalogue.entity(collection.entity).problem(document)
        if problem is not None:
            raise Rejected(400, f"body: {problem}")


def belongs(collection: Collection, name: str) -> bool:
    """Tell whether a field is one of a collection's entities that can be written."""
    return name not in _STAMPS and (
        not collection.entity or name in _fields(collection.path, collection.entity)
    )


@cache
def _fields(path: str, entity: str) -> tuple[str, ...]:
    return (*fields(entity), "events") if path == "tms/shipments" else fields(entity)


def _alone(document: Document) -> Document:
    if "shipmentNumber" in document:
        document.pop("events", None)
    return document


def _stamped(moment: str) -> Document:
    return {"_id": "", "worldId": "", "worldRef": {"worldId": ""}, "createdAt": moment, "updatedAt": moment}


@cache
def _template(path: str, entity: str, state: str) -> Fields:
    whole: dict[str, Any] = dict(blank(catalogue.entity(entity).kind)) if entity else {}
    for name in _STAMPS:
        whole.pop(name, None)
    return {**whole, state: changes.FIRST_STATES.get(path, whole.get(state, ""))}


@cache
def _paths() -> tuple[str, ...]:
    return tuple(changes.FIRST_STATES)
