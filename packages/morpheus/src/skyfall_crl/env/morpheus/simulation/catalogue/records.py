"""Kinds made of other kinds: records with named fields, alternatives, null beside a kind, and named kinds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skyfall_crl.env.morpheus.simulation.catalogue.kinds import Kind, Schema, Trouble, found

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record; `default` is what the deployment assumes where it is absent."""

    name: str
    kind: Kind
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object with declared fields; undeclared ones are let through untouched."""

    fields: tuple[Field, ...]
    lenient: bool = False
    _required: tuple[Field, ...] = field(init=False)
    _kinds: dict[str, Field] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_required", tuple(each for each in self.fields if each.required))
        object.__setattr__(self, "_kinds", {each.name: each for each in self.fields})

    def trouble(self, value: Any) -> Trouble | None:
        if not isinstance(value, Mapping):
            return "", f"expected an object, found {found(value)}"
        for each in self._required:
            if each.name not in value:
                return f".{each.name}", f"expected {expected(each.kind)}, found nothing"
        for name, item in value.items():
            declared = self._kinds.get(name)
            if declared is None or (item is None and declared.kind.lenient and not declared.required):
                continue
            trouble = declared.kind.trouble(item)
            if trouble is not None:
                return f".{name}{trouble[0]}", trouble[1]
        return None

    def schema(self) -> Schema:
        schema: Schema = {
            "type": "object",
            "properties": {each.name: _property(each) for each in self.fields},
        }
        if self._required:
            schema["required"] = [each.name for each in self._required]
        return schema

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of several kinds."""

    kinds: tuple[Kind, ...]
    lenient: bool = False

    def trouble(self, value: Any) -> Trouble | None:
        troubles = [kind.trouble(value) for kind in self.kinds]
        return None if None in troubles else troubles[0]

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True, slots=True)
class Nullable:
    """A kind, or null."""

    kind: Kind
    lenient: bool = True

    def trouble(self, value: Any) -> Trouble | None:
        return None if value is None else self.kind.trouble(value)

    def schema(self) -> Schema:
        return or_null(self.kind.schema())

    def read(self, text: str) -> Any:
        return self.kind.read(text)


@dataclass(slots=True)
class Named:
    """A kind by the name it is declared under, looked up when first needed."""

    name: str
    look_up: Callable[[str], Kind]
    _kind: Kind | None = None

    @property
    def kind(self) -> Kind:
        """The kind that the name stands for; raises `LookupError` for a name nobody declares."""
        if self._kind is None:
            self._kind = self.look_up(self.name)
        return self._kind

    @property
    def lenient(self) -> bool:
        """What the kind behind the name says."""
        return self.kind.lenient

    def trouble(self, value: Any) -> Trouble | None:
        return self.kind.trouble(value)

    def schema(self) -> Schema:
        return {"$ref": f"#/components/schemas/{self.name}"}

    def read(self, text: str) -> Any:
        return self.kind.read(text)


def or_null(schema: Schema) -> Schema:
    """Return a schema that takes null too."""
    kind = schema.get("type")
    if isinstance(kind, str) and "enum" not in schema:
        return schema | {"type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def expected(kind: Kind) -> str:
    """Return what a kind accepts, in a few words."""
    trouble = kind.trouble(_ABSENT)
    if trouble is None:
        return "a value"
    return trouble[1].removeprefix("expected ").rpartition(", found ")[0]


def _property(each: Field) -> Schema:
    schema = each.kind.schema()
    if each.kind.lenient and not each.required:
        schema = or_null(schema)
    return schema if each.default is None else schema | {"default": each.default}
