"""What operations answer: the envelope around the data, the shapes of lists, and the words that describe both."""

from dataclasses import dataclass
from typing import Literal

from skyfall_crl.env.morpheus.simulation.catalogue import grammar
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import Kind, Listed, Schema
from skyfall_crl.env.morpheus.simulation.catalogue.records import Named, Nullable, Record

Shape = Literal["item", "list", "page", "items", "bare", "undeclared"]

_CURSORS = {
    "totalCount": {"type": "integer"},
    "limit": {"type": "integer"},
    "hasMore": {"type": "boolean"},
    "nextCursor": {"type": ["string", "null"]},
}
_META: Schema = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "timestamp": {"type": "string", "format": "date-time"}},
    "required": ["event", "timestamp"],
}
_SHAPES: dict[str, Shape] = {
    "item": "item",
    "list": "list",
    "page": "page",
    "items": "items",
    "bare": "bare",
    "undeclared": "undeclared",
}
_VERBS = {"GET": "Read", "POST": "Create", "PUT": "Change", "PATCH": "Change", "DELETE": "Delete"}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's shape and the kind of its data, or of one item of it.

    `item`: the data is one of the kind; `list`: a list of them; `page`: a list of them with `pagination` beside the
    data; `items`: an object that holds the list and where to go on; `bare`: no envelope; `undeclared`: anything.
    """

    shape: Shape
    status: int
    kind: Kind

    @property
    def entity(self) -> str | None:
        """The declared name of the data's kind, or None where it has none."""
        return self.kind.name if isinstance(self.kind, Named) else None

    def schema(self) -> Schema:
        """Return the JSON Schema of the whole answer; named kinds are references."""
        kind = self.kind.schema()
        if self.shape in ("bare", "undeclared"):
            return kind
        listed: Schema = {"type": "array", "items": kind}
        if self.shape == "items":
            data: Schema = {
                "type": "object",
                "properties": {"items": listed, **_CURSORS},
                "required": ["items", "totalCount", "limit", "hasMore"],
            }
        else:
            data = kind if self.shape == "item" else listed
        return _enveloped(data, self.status, paged=self.shape == "page")


def answer(text: str, status: int, look_up: grammar.LookUp) -> Answer:
    """Return the answer that a table's text declares: a shape, then a kind."""
    word, _, kind = text.partition(" ")
    shape = _SHAPES.get(word)
    if shape is None:
        raise ValueError(f"an answer's text: expected a shape, found {word} in {text}")
    return Answer(shape, status, grammar.kind(kind or "any", look_up))


def field_names(kind: Kind | None) -> tuple[str, ...]:
    """Return the names of a record's fields, none for anything else."""
    record = _bare(kind)
    return tuple(each.name for each in record.fields) if isinstance(record, Record) else ()


def demands(kind: Kind) -> bool:
    """Return whether a record has fields that must be there."""
    record = _bare(kind)
    return isinstance(record, Record) and any(each.required for each in record.fields)


def is_list(kind: Kind) -> bool:
    """Return whether values of a kind are lists."""
    return isinstance(_bare(kind), Listed)


def summary(method: str, path: str) -> str:
    """Return what a method does to a path, in a few words."""
    words = [word.replace("-", " ") for word in path.split("/")[1:] if word != "{worldId}"]
    if words[-1].startswith("{"):
        named = f"one of {' '.join(word for word in words if not word.startswith('{'))}"
        return f"{_VERBS[method]} {named} by {words[-1].strip('{}')}"
    verb = "List" if method == "GET" and words[-1].endswith("s") else _VERBS[method]
    return f"{verb} {' '.join(word for word in words if not word.startswith('{'))}"


def _bare(kind: Kind | None) -> Kind | None:
    while isinstance(kind, Named | Nullable):
        kind = kind.kind
    return kind


def _enveloped(data: Schema, status: int, *, paged: bool) -> Schema:
    properties: Schema = {
        "success": {"const": True},
        "status": {"const": status},
        "data": data,
        "message": {"type": "string"},
        "meta": _META,
    }
    required = ["success", "status", "data"]
    if paged:
        cursors = {**_CURSORS, "previousCursor": {"type": ["string", "null"]}}
        properties["pagination"] = {
            "type": "object",
            "properties": cursors,
            "required": ["totalCount", "limit", "hasMore"],
        }
        required.append("pagination")
    return {"type": "object", "properties": properties, "required": required}
