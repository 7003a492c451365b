"""Blank values of the catalogue's kinds: what a new entity or a report holds where nobody says otherwise."""

from functools import cache
from typing import Any

from skyfall_crl.env.morpheus.simulation import catalogue
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import (
    Choice,
    Flag,
    Instant,
    Kind,
    Listed,
    Number,
    Text,
)
from skyfall_crl.env.morpheus.simulation.catalogue.records import Either, Named, Nullable, Record

MOMENT = "1970-01-01T00:00:00.000Z"
"""Stands for a moment that the world fills in."""

_PLAIN: dict[type, Any] = {Text: "", Flag: False}


def blank(kind: Kind, *, whole: bool = False) -> Any:
    """Return a value of a kind: nothing, zero, the first word; records hold what they must, or all if `whole`."""
    if isinstance(kind, Named | Nullable):
        return blank(kind.kind, whole=whole)
    if isinstance(kind, Either):
        return blank(kind.kinds[0], whole=whole)
    if isinstance(kind, Record):
        return {
            each.name: blank(each.kind, whole=whole) if each.default is None else each.default
            for each in kind.fields
            if whole or each.required
        }
    if isinstance(kind, Listed):
        return []
    if isinstance(kind, Number):
        return kind.least or 0
    if isinstance(kind, Instant):
        return MOMENT[:10] if kind.day else MOMENT
    if isinstance(kind, Choice):
        return kind.words[0] if kind.words else None
    return _PLAIN.get(type(kind), {})


@cache
def fields(entity: str) -> tuple[str, ...]:
    """Return the names of an entity's declared fields."""
    kind = catalogue.entity(entity).kind
    while isinstance(kind, Named | Nullable):
        kind = kind.kind
    return tuple(each.name for each in kind.fields) if isinstance(kind, Record) else ()
