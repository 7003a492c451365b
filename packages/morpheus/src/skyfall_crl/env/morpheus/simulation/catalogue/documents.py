"""A named kind of the wire, with its JSON Schema and the names it refers to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from skyfall_crl.env.morpheus.simulation.catalogue.kinds import Kind, Schema

_REFERENCE = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class Entity:
    """What a name stands for."""

    name: str
    kind: Kind
    look_up: Callable[[str], Kind]

    def problem(self, document: Any) -> str | None:
        """Return what is wrong with a document in one sentence that names the field, or None where it fits."""
        trouble = self.kind.trouble(document)
        return None if trouble is None else f"{self.name}{trouble[0]}: {trouble[1]}"

    def schema(self) -> Schema:
        """Return a JSON Schema that stands alone: what it refers to is under `$defs`."""
        return standing_alone(self.kind.schema(), self.look_up)


def standing_alone(schema: Schema, look_up: Callable[[str], Kind]) -> Schema:
    """Return a schema whose references to named kinds lead to its own `$defs`."""
    needed: dict[str, Schema] = {}
    waiting = references(schema)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = look_up(name).schema()
            waiting |= references(needed[name])
    whole = dict(schema)
    if needed:
        whole["$defs"] = {name: needed[name] for name in sorted(needed)}
    local: Schema = _localised(whole)
    return local


def references(schema: Any) -> set[str]:
    """Return the names of the kinds that a schema refers to."""
    if isinstance(schema, dict):
        own = {schema["$ref"].removeprefix(_REFERENCE)} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*map(references, schema.values()))
    return set().union(*map(references, schema)) if isinstance(schema, list) else set()


def _localised(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: value.replace(_REFERENCE, "#/$defs/")
            if key == "$ref" and isinstance(value, str)
            else _localised(value)
            for key, value in schema.items()
        }
    return [_localised(item) for item in schema] if isinstance(schema, list) else schema
