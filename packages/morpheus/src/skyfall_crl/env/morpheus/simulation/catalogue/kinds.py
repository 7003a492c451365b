"""The kinds of values on the wire: what each accepts, in a sentence where it doesn't, and its JSON Schema."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from skyfall_crl.env.morpheus.simulation.catalogue.instants import DAY, MOMENT

Trouble = tuple[str, str]
Schema = dict[str, Any]

_SHOWN = 40


class Kind(Protocol):
    """One kind of value."""

    @property
    def lenient(self) -> bool:
        """Whether an optional field of this kind also takes null."""

    def trouble(self, value: Any) -> Trouble | None:
        """Return where below the value something is wrong and what, or None where it fits."""

    def schema(self) -> Schema:
        """Return the JSON Schema (2020-12, as OpenAPI 3.1 uses it) of such values; named kinds are references."""

    def read(self, text: str) -> Any:
        """Return what a query string's text stands for; text that stands for nothing is returned as it is."""


def found(value: Any) -> str:
    """Return a value the way a refusal quotes it: short, on one line."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if value is None:
        return "null"
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    lenient: bool = True

    def trouble(self, value: Any) -> Trouble | None:
        return None if value.__class__ is str else ("", f"expected text, found {found(value)}")

    def schema(self) -> Schema:
        return {"type": "string"}

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number; `whole` ones have no fraction, and `least` and `most` are inclusive."""

    whole: bool = False
    least: int | None = None
    most: int | None = None
    lenient: bool = True

    def trouble(self, value: Any) -> Trouble | None:
        if value.__class__ in (int, float) and -1e308 < value < 1e308:
            whole = not self.whole or value == int(value)
            low = self.least is not None and value < self.least
            high = self.most is not None and value > self.most
            if whole and not low and not high:
                return None
        return "", f"expected {self._described()}, found {found(value)}"

    def schema(self) -> Schema:
        bounds = {"minimum": self.least, "maximum": self.most}
        schema: Schema = {"type": "integer" if self.whole else "number"}
        return schema | {key: bound for key, bound in bounds.items() if bound is not None}

    def read(self, text: str) -> Any:
        if re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        if re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?", text):
            return float(text)
        return text

    def _described(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        if self.least is None:
            return noun
        return f"{noun} from {self.least}" + ("" if self.most is None else f" to {self.most}")


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    lenient: bool = False

    def trouble(self, value: Any) -> Trouble | None:
        return None if value.__class__ is bool else ("", f"expected true or false, found {found(value)}")

    def schema(self) -> Schema:
        return {"type": "boolean"}

    def read(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text, text)


@dataclass(frozen=True, slots=True)
class Instant:
    """An ISO 8601 date and time, with an offset or without; a `day` is written as a date alone too."""

    day: bool
    lenient: bool = False

    def trouble(self, value: Any) -> Trouble | None:
        if isinstance(value, str) and (MOMENT.fullmatch(value) or (self.day and DAY.fullmatch(value))):
            try:
                datetime.fromisoformat(value)
            except ValueError:
                pass
            else:
                return None
        expected = "an ISO date" if self.day else "an ISO date and time"
        return "", f"expected {expected}, found {found(value)}"

    def schema(self) -> Schema:
        moment = {"type": "string", "format": "date-time"}
        return {"anyOf": [{"type": "string", "format": "date"}, moment]} if self.day else moment

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words, case and all."""

    words: tuple[str, ...]
    lenient: bool = False

    def trouble(self, value: Any) -> Trouble | None:
        if isinstance(value, str) and value in self.words:
            return None
        return "", f"expected one of {', '.join(self.words)}, found {found(value)}"

    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self.words)}

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True, slots=True)
class Free:
    """A JSON object whose keys nobody declared, or, unless `keyed`, any JSON value."""

    keyed: bool
    lenient: bool = False

    def trouble(self, value: Any) -> Trouble | None:
        if not self.keyed or isinstance(value, Mapping):
            return None
        return "", f"expected an object, found {found(value)}"

    def schema(self) -> Schema:
        return {"type": "object"} if self.keyed else {}

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True, slots=True)
class Listed:
    """A JSON array of one kind of items."""

    item: Kind
    lenient: bool = True

    def trouble(self, value: Any) -> Trouble | None:
        if not isinstance(value, Sequence) or isinstance(value, str):
            return "", f"expected a list, found {found(value)}"
        for index, item in enumerate(value):
            trouble = self.item.trouble(item)
            if trouble is not None:
                return f"[{index}]{trouble[0]}", trouble[1]
        return None

    def schema(self) -> Schema:
        return {"type": "array", "items": self.item.schema()}

    def read(self, text: str) -> Any:
        return [self.item.read(text)]
