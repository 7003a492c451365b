"""The operational descriptor a world runs, and the switch of its schedules; nothing here stops what is owed."""

from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Rejected, Request


def descriptor(request: Request) -> Document:
    """Return the layout's process as a descriptor: one step for each stage."""
    layout = request.enterprise.world.layout
    return {
        "_id": f"od_{layout.name}",
        "id": f"od_{layout.name}",
        "name": layout.title,
        "description": layout.description,
        "version": str(layout.version),
        "type": "workflow",
        "odType": "workflow",
        "steps": [
            {
                "id": symptom.stage,
                "name": symptom.stage,
                "type": "mcp",
                "service": symptom.evidence[0].path.split("/")[2],
                "input": {"type": "static", "value": {"durationSteps": symptom.duration_steps}},
            }
            for symptom in layout.symptoms
        ],
        "runPolicy": {"idempotency": "order", "retries": 0},
    }


def _listing(request: Request) -> Parts:
    found = selection.matching([descriptor(request)], selection.wanted(request), "type", "createdAt")
    return selection.listed(request, found)


def _read(request: Request) -> Parts:
    found = descriptor(request)
    if request.parameters["odId"] != found["id"]:
        raise Rejected(404, "no such descriptor")
    return {"data": found}


def _schedules(request: Request) -> Parts:
    return {"data": [_schedule(_read(request)["data"])]}


def _with_schedules(request: Request) -> Parts:
    found = _read(request)["data"]
    return {"data": {**found, "schedules": [_schedule(found)]}}


def _schedule(found: Document) -> Document:
    return {
        "jobId": f"job_{found['id']}",
        "interval": "30 minutes",
        "isRecurring": True,
        "data": {"odId": found["id"]},
    }


def _status(request: Request) -> Parts:
    return {"data": {"status": "paused" if request.enterprise.store.paused else "operational"}}


def _pause(request: Request) -> Parts:
    request.enterprise.store.paused = True
    return {"data": {"message": "Schedules are paused; the clock goes by steps.", "count": 1}}


def _resume(request: Request) -> Parts:
    request.enterprise.store.paused = False
    return {"data": {"message": "Schedules go on.", "count": 1}}


HANDLERS: dict[str, Handler] = {
    "GET od/descriptors": _listing,
    "GET od/descriptors/{odId}": _read,
    "GET od/descriptors/{odId}/schedules": _schedules,
    "GET od/descriptors/{odId}/with-schedules": _with_schedules,
    "GET od/schedules/status": _status,
    "PUT od/schedules/pause": _pause,
    "PUT od/schedules/resume": _resume,
}
