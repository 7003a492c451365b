"""The catalogue itself: every operation and every named kind, read from the tables when first asked for."""

from functools import cache
from importlib import import_module

from skyfall_crl.env.morpheus.simulation.catalogue import grammar, routes, tables
from skyfall_crl.env.morpheus.simulation.catalogue.documents import Entity
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import Kind
from skyfall_crl.env.morpheus.simulation.catalogue.operation import Match, Operation

_IN_A_WORLD = "/{worldId}/"
_inside: dict[str, routes.Route] = {}
_outside: dict[str, routes.Route] = {}


def find(method: str, inner_path: str) -> Match | None:
    """Return the operation behind a path within a world, without world id and leading slash: `erp/orders/ORDER_1`."""
    root = (_inside or _routed(_inside)).get(method)
    return None if root is None else routes.match(root, inner_path)


def find_root(method: str, path: str) -> Match | None:
    """Return the operation behind a path of the deployment: `/world/…`, `/docs/…` or `/chaos/…`."""
    root = (_outside or _routed(_outside)).get(method)
    return None if root is None else routes.match(root, path.removeprefix("/"))


@cache
def operations(service: str | None = None) -> tuple[Operation, ...]:
    """Return the operations of a service such as `erp`, or of all, in the order of the tables."""
    if service is not None:
        return tuple(each for each in operations() if each.service == service)
    return tuple(_operation(entry) for part in tables.MODULES for entry in _entries(part))


@cache
def entity(name: str) -> Entity:
    """Return a named kind, `ERPOrder` for one; raises `LookupError` for a name no table declares."""
    return Entity(name, named(name), named)


@cache
def names() -> tuple[str, ...]:
    """Return the names of all declared kinds, in the order of the tables."""
    return tuple(_texts())


@cache
def named(name: str) -> Kind:
    """Return the kind that a table declares under a name."""
    try:
        return grammar.kind(_texts()[name], named)
    except KeyError:
        raise LookupError(f"catalogue: expected the name of a declared kind, found {name!r}") from None


@cache
def _texts() -> dict[str, str]:
    pairs = (
        entry.split(" = ", 1)
        for part in tables.MODULES
        for entry in grammar.entries(import_module(f"{tables.__name__}.{part}").KINDS, indent=2)
    )
    return dict(pairs)


def _entries(part: str) -> list[list[str]]:
    text: str = import_module(f"{tables.__name__}.{part}").OPERATIONS
    grouped: list[list[str]] = []
    for line in grammar.entries(text, indent=4):
        if line.startswith("  "):
            grouped[-1].append(line.strip())
        else:
            grouped.append([line])
    return grouped


def _operation(entry: list[str]) -> Operation:
    head, *rest = entry
    declared, _, errors = head.partition(" ! ")
    method, template, status, answer = declared.split(" ", 3)
    marked = {line[0]: line[2:] for line in rest}
    return Operation(
        method=method,
        path=template if template.startswith("/") else _IN_A_WORLD + template,
        status=int(status),
        errors=tuple(map(int, errors.split())),
        service=_SERVICES.get(first := template.removeprefix("/").partition("/")[0], first),
        answer_text=answer,
        query_text=marked.get("?", ""),
        body_text=marked.get("<", ""),
        look_up=named,
    )


def _routed(kind: dict[str, routes.Route]) -> dict[str, routes.Route]:
    for each in operations():
        within = each.path.startswith(_IN_A_WORLD)
        root = (_inside if within else _outside).setdefault(each.method, routes.Route())
        routes.add(root, each.path.removeprefix(_IN_A_WORLD if within else "/"), each)
    return kind


_SERVICES = {"audit-logs": "audit"}
