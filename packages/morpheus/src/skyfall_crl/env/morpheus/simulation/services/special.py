"""Operations whose answers have a shape of their own: stock pages, freight events, random picks, bulk writes."""

from skyfall_crl.env.morpheus.simulation.enterprise import Sight
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.services import edi, resources, selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Rejected, Request
from skyfall_crl.env.morpheus.simulation.store import Fields

_EVENT_TAG = 253
_MOST_AT_ONCE = 50
_BULK_FIELDS = ("name", "status", "trackingNumber")
_EVENT_FIELDS = ("eventType", "eventTime", "statusInfo", "locationInfo", "etaInfo", "exceptionInfo", "source")


def _stock(request: Request) -> Parts:
    found, _ = resources.selected("wms/inventory", request)
    limit, offset = int(request.asked("limit") or 50), int(request.asked("offset") or 0)
    shown = found[offset : offset + limit]
    page = {
        "total": len(found),
        "limit": limit,
        "offset": offset,
        "hasMore": offset + len(shown) < len(found),
    }
    return {"data": {"items": shown, "pagination": page}}


def _counts(request: Request) -> Parts:
    found, more = resources.selected("wms/cycle-counts", request)
    shown, cursors = selection.page(request, found, more)
    return {"data": {"counts": shown, "pagination": {**cursors, "previousCursor": None}}}


def _freight_event(request: Request) -> Parts:
    """Record an event of a freight shipment and answer with it."""
    enterprise = request.enterprise
    sight, _ = resources.sought(request, "tms/shipments", request.parameters["shipmentId"])
    ordinal = enterprise.store.ordinal
    enterprise.store.ordinal += 1
    identifier = f"TMS_EVENT_N{ordinal}"
    event: Fields = {
        "_id": object_id(enterprise.world.prefix, ordinal, _EVENT_TAG),
        "id": identifier,
        "eventId": identifier,
        "shipmentId": sight.place.identifier,
        **{name: request.body[name] for name in _EVENT_FIELDS if name in request.body},
        "createdAt": enterprise.moment,
    }
    enterprise.write(sight, {"events": [event]})
    enterprise.store.note(enterprise.world.board.step, "create", f"{sight.path}/events", event)
    return {"data": event}


def _main_company(request: Request) -> Parts:
    return _one(request, "erp/companies", "COMP_MPC")


def _some_company(request: Request) -> Parts:
    if (request.asked("type") or "").lower() == "mpc":
        return _main_company(request)
    return _one(request, "erp/companies", f"COMP_P{1 + request.enterprise.world.board.step % 5}")


def _some_product(request: Request) -> Parts:
    return _one(request, "erp/products", f"PROD_A{1 + request.enterprise.world.board.step % 20:02d}")


def _one(request: Request, path: str, identifier: str) -> Parts:
    document = request.enterprise.entity(request.place(path, identifier))
    if document is None:
        raise Rejected(404, "no such entity")
    return {"data": document}


def _bulk(path: str, field: str) -> Handler:
    """Return what creates or changes several entities at once; none of it is a remedy."""

    def written(request: Request) -> Parts:
        rows = request.body[field]
        if len(rows) > _MOST_AT_ONCE:
            raise Rejected(400, f"body.{field}: expected at most {_MOST_AT_ONCE}, found {len(rows)}")
        known = [(sight, row) for row in rows if (sight := _known(request, path, row)) is not None]
        for sight, row in known:
            fields = {name: row[name] for name in _BULK_FIELDS if row.get(name) is not None}
            request.enterprise.write(sight, fields)
            step = request.enterprise.world.board.step
            request.enterprise.store.note(step, "update", sight.path, fields)
        return {"data": {"message": f"{len(known)} of {len(rows)} were changed; the others are not known."}}

    return written


def _known(request: Request, path: str, row: Fields) -> Sight | None:
    identifier = row.get(request.enterprise.directory.collections[path].key)
    if not isinstance(identifier, str):
        return None
    sight = request.enterprise.sight(request.place(path, identifier))
    return None if sight is None or sight.document is None else sight


def _relations(path: str, parameter: str) -> Handler:
    def related(request: Request) -> Parts:
        place = resources.sought(request, path, request.parameters[parameter])[0].place
        orders = request.enterprise.directory.collections["erp/orders"]
        exchanged = edi.related(request.enterprise, place.number) if place.kind else []
        data: Fields = {"ediDocuments": exchanged}
        for kind in orders.around if place.kind else ():
            path_of = request.enterprise.directory.path(kind, place.number)
            erp = request.enterprise.entity(request.place("erp/orders", path_of.rpartition("/")[2]))
            if erp is not None:
                names = ("orderId", "status", "totalAmount", "customerId", "partnerId", "poType")
                data["erpOrder"] = {name: erp[name] for name in names if name in erp}
        return {"data": data}

    return related


HANDLERS: dict[str, Handler] = {
    "GET wms/inventory": _stock,
    "GET wms/cycle-counts/status": _counts,
    "POST tms/shipments/{shipmentId}/events": _freight_event,
    "GET erp/companies/mpc": _main_company,
    "GET erp/companies/random": _some_company,
    "GET erp/products/random": _some_product,
    "POST erp/companies/bulk": _bulk("erp/companies", "companies"),
    "POST erp/products/bulk": _bulk("erp/products", "products"),
    "POST erp/shipments/bulk": _bulk("erp/shipments", "shipments"),
    "GET wms/outbound-orders/{orderId}/relations": _relations("wms/outbound-orders", "orderId"),
    "GET wms/inbound-orders/{inboundOrderId}/relations": _relations("wms/inbound-orders", "inboundOrderId"),
}
