"""The mesh: every simulated operation of a world, described so that an agent that knows nothing else can use it."""

import json
from functools import cache
from typing import Any

from skyfall_crl.env.morpheus.simulation import catalogue, services
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import (
    Choice,
    Flag,
    Instant,
    Kind,
    Listed,
    Number,
    Text,
)
from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
from skyfall_crl.env.morpheus.simulation.catalogue.records import Either, Named, Nullable, Record
from skyfall_crl.env.morpheus.simulation.layout import Layout, Symptom
from skyfall_crl.env.morpheus.simulation.templates import Remedy

_IN_A_WORLD = "/{worldId}/"
_WORDS: dict[type, str] = {Text: "text", Number: "number", Flag: "true|false", Instant: "ISO time"}
_REQUIRED = "* marks what must be there"


def mesh(layout: Layout, service: str | None, action: str | None, method: str | None) -> dict[str, Any]:
    """Return the operations of a service, of a sub-resource such as `inbound-order`, of a method, or of all."""
    repairs = _repairs(layout)
    endpoints = [
        {
            "path": operation.path,
            "method": operation.method.lower(),
            "summary": operation.summary,
            "formatted": "\n".join([*_formatted(operation), *repairs.get(operation.key, ())]),
        }
        for operation in catalogue.operations(service)
        if operation.path.startswith(_IN_A_WORLD)
        and services.handler(operation) is not None
        and (method is None or operation.method == method.upper())
        and (action is None or _is_about(operation, action))
    ]
    filters = {"action": action, "method": method}
    return {
        "service": service,
        "filters": {name: value for name, value in filters.items() if value is not None},
        "count": len(endpoints),
        "endpoints": endpoints,
    }


def _is_about(operation: Operation, action: str) -> bool:
    resource = operation.path.removeprefix(_IN_A_WORLD).split("/")[1:2]
    return bool(resource) and resource[0] in (action, f"{action}s")


def _formatted(operation: Operation) -> tuple[str, ...]:
    known = _texts().get(operation.key)
    if known is None:
        lines = [f"{operation.method} {operation.path}: {operation.summary}"]
        if operation.query.fields:
            lines.append(f"Query ({_REQUIRED}): {_told(operation.query)}")
        if operation.body is not None:
            lines.append(f"Body ({_REQUIRED}): {_told(operation.body)}")
        lines.append(f"Answers {operation.status}: {operation.answer.entity or operation.answer.shape}")
        known = _texts()[operation.key] = tuple(lines)
    return known


@cache
def _texts() -> dict[str, tuple[str, ...]]:
    return {}


def _repairs(layout: Layout) -> dict[str, list[str]]:
    """Return, for each operation, what it repairs and how, in the order of the layout's stages."""
    found: dict[str, list[str]] = {}
    for symptom in layout.symptoms:
        for cause, remedy in enumerate(symptom.remedies):
            example = remedy.path.removeprefix(_IN_A_WORLD).replace("{number}", "0")
            match = catalogue.find(remedy.method, example)
            if match is not None:
                found.setdefault(match.operation.key, []).append(_repair(symptom, cause, remedy))
    return found


def _repair(symptom: Symptom, cause: int, remedy: Remedy) -> str:
    first, second = symptom.evidence
    when = (
        f"Repairs {symptom.title!r} at {symptom.stage}, where {symptom.clue} of the {first.entity} equals "
        f"{symptom.candidates[cause]} of the {second.entity}"
    )
    body = "" if remedy.body is None else f" with body {json.dumps(remedy.body)}"
    return f"{when}: {remedy.method} {remedy.path}{body}; {{number}} is that of the order"


def _told(kind: Kind) -> str:
    """Return a kind in words."""
    if isinstance(kind, Named | Nullable):
        return _told(kind.kind)
    if isinstance(kind, Record):
        fields = (f"{'*' if each.required else ''}{each.name} {_told(each.kind)}" for each in kind.fields)
        return "{" + ", ".join(fields) + "}"
    if isinstance(kind, Listed):
        return f"[{_told(kind.item)}]"
    if isinstance(kind, Choice):
        return "|".join(kind.words)
    if isinstance(kind, Either):
        return " or ".join(_told(each) for each in kind.kinds)
    return _WORDS.get(type(kind), "object")
