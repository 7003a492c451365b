"""Which operations of the wire a server answers, and how each is described to those who ask."""

from functools import cache
from typing import Any

from skyfall_crl.env.morpheus.simulation import services
from skyfall_crl.env.morpheus.simulation.catalogue import Operation, operations
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names
from skyfall_crl.env.morpheus.simulation.operations import Operations

_VERIFYING = "/{worldId}/verification/"


def is_answered(operation: Operation) -> bool:
    """Return whether an operation is answered, by worlds or by the server itself."""
    within = operation.path.startswith("/{worldId}/") and not operation.path.startswith(_VERIFYING)
    return not within or services.handler(operation) is not None


@cache
def answered() -> tuple[Operation, ...]:
    """Return the wire's operations that are answered."""
    return tuple(each for each in operations() if is_answered(each))


@cache
def unanswered() -> tuple[Operation, ...]:
    """Return the wire's operations that are not simulated and answer 501."""
    return tuple(each for each in operations() if not is_answered(each))


@cache
def mesh(service: str, action: str | None, method: str | None) -> dict[str, Any]:
    """Describe a service's operations as the deployment's mesh does; with what they repair in worlds of any layout."""
    found: dict[str, Any] = {}
    lines: dict[str, dict[str, None]] = {}
    for name in layout_names():
        found = Operations(layout_named(name)).describe(service, action, method)
        for endpoint in found["endpoints"]:
            key = f"{endpoint['method']} {endpoint['path']}"
            lines.setdefault(key, {}).update(dict.fromkeys(endpoint["formatted"].split("\n")))
    for endpoint in found["endpoints"]:
        endpoint["formatted"] = "\n".join(lines[f"{endpoint['method']} {endpoint['path']}"])
    return found
