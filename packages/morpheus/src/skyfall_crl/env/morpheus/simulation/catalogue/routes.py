"""Finds the operation that a method and a path mean; literal segments win over parameters."""

from dataclasses import dataclass, field

from skyfall_crl.env.morpheus.simulation.catalogue.operation import Match, Operation


@dataclass(slots=True)
class Route:
    """One segment of the paths of one method, and what lies below it."""

    literals: dict[str, "Route"] = field(default_factory=dict)
    parameter: "Route | None" = None
    operation: Operation | None = None
    names: tuple[str, ...] = ()


def add(root: Route, template: str, operation: Operation) -> None:
    """Put an operation under a template without a leading slash, such as `erp/orders/{orderId}`."""
    route, names = root, []
    for segment in template.split("/"):
        if segment.startswith("{"):
            names.append(segment.strip("{}"))
            if route.parameter is None:
                route.parameter = Route()
            route = route.parameter
        else:
            route = route.literals.setdefault(segment, Route())
    route.operation, route.names = operation, tuple(names)


def match(root: Route, path: str) -> Match | None:
    """Return the operation behind a path and its parameters, or None where there is none."""
    values: list[str] = []
    reached = _walk(root, path.split("/"), 0, values)
    if reached is None or reached.operation is None:
        return None
    return Match(reached.operation, dict(zip(reached.names, values, strict=True)))


def _walk(route: Route, segments: list[str], at: int, values: list[str]) -> Route | None:
    while at < len(segments):
        segment = segments[at]
        literal = route.literals.get(segment)
        if literal is None:
            if route.parameter is None or not segment:
                return None
            values.append(segment)
            route = route.parameter
        elif route.parameter is None:
            route = literal
        else:
            kept = len(values)
            reached = _walk(literal, segments, at + 1, values)
            if reached is not None:
                return reached
            del values[kept:]
            values.append(segment)
            route = route.parameter
        at += 1
    return route if route.operation is not None else None
