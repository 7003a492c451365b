"""Which operations of the wire a server answers, and how each is described to those who ask."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from skyfall_crl.env.morpheus.simulation.catalogue import Operation, operations
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names
from skyfall_crl.env.morpheus.simulation.operations import Operations

OWN = frozenset(
    {
        "PUT /{}/od/schedules/pause",
        "PUT /{}/od/schedules/resume",
        "GET /{}/od/schedules/status",
        "POST /{}/verification/verify-ticket",
    }
)
"""Operations inside a world that the server itself answers, in the form of `plain`."""

_PARAMETER = re.compile(r"\{[^}]*\}")


def plain(method: str, path: str) -> str:
    """Return an operation's name without the names of its parameters."""
    return f"{method.upper()} {_PARAMETER.sub('{}', path)}"


@cache
def simulated(layout: str) -> frozenset[str]:
    """Return the operations that worlds of a layout answer, in the form of `plain`."""
    endpoints = Operations(layout_named(layout)).describe()["endpoints"]
    return frozenset(plain(each["method"], each["path"]) for each in endpoints)


def is_answered(operation: Operation) -> bool:
    """Return whether an operation is answered in worlds of any layout, or by the server itself."""
    if not operation.path.startswith("/{worldId}/"):
        return True
    name = plain(operation.method, operation.path)
    return name in OWN or any(name in simulated(layout) for layout in layout_names())


@cache
def answered() -> tuple[Operation, ...]:
    """Return the wire's operations that are answered."""
    return tuple(each for each in operations() if is_answered(each))


@cache
def unanswered() -> tuple[Operation, ...]:
    """Return the wire's operations that are not simulated and answer 501."""
    known = {each.key for each in answered()}
    return tuple(each for each in operations() if each.key not in known)


def mesh(service: str, action: str | None, method: str | None) -> dict[str, Any]:
    """Describe a service's operations the way the deployment's mesh does: those that worlds answer."""
    endpoints = [
        each
        for each in _described()
        if each["path"].split("/")[2] == service
        and (action is None or each["path"].split("/")[3:4] == [action])
        and (method is None or each["method"] == method)
    ]
    filters = {key: value for key, value in (("action", action), ("method", method)) if value is not None}
    return {"service": service, "filters": filters, "count": len(endpoints), "endpoints": endpoints}


@cache
def _described() -> tuple[dict[str, str], ...]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for endpoint in _endpoints():
        found.setdefault((endpoint["method"], endpoint["path"]), endpoint)
    return tuple(found.values())


def _endpoints() -> Iterator[dict[str, str]]:
    for name in layout_names():
        yield from Operations(layout_named(name)).describe()["endpoints"]
