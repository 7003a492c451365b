"""From YAML events to plain data, with every bound checked before the value is built."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from skyfall_crl.ports.errors import ConfigError

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 64
MAX_NODES = 100_000

_MAX_DIGITS = 400
_TAG = "tag:yaml.org,2002:"
STR = f"{_TAG}str"
_INT = f"{_TAG}int"
FLOAT = f"{_TAG}float"
MERGE = f"{_TAG}merge"
SCALARS = frozenset({f"{_TAG}null", f"{_TAG}bool", _INT, FLOAT, STR})


@dataclass(slots=True)
class _Built:
    """A finished value, the nodes it expands to (keys included), and the levels below it."""

    value: Any
    nodes: int = 1
    height: int = 0


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not been read; `key` is the one that waits for its value."""

    value: dict[str, Any] | list[Any]
    anchor: str | None
    nodes: int = 1
    height: int = 1
    key: str | None = None
    merging: bool = False
    merged: dict[str, Any] | None = None


@dataclass(slots=True)
class DocumentBuilder:
    """Builds one document from a PyYAML loader's events, with a stack of its own instead of recursion.

    Every alias becomes a copy, so that no two places of the document share a value.
    """

    loader: Any
    source: str
    _nodes: int = 0
    _stack: list[_Open] = field(default_factory=list)
    _anchors: dict[str, _Built | None] = field(default_factory=dict)
    _root: object = None

    def document(self) -> object:
        """Read all events; raises `ConfigError` at the first that breaks a rule."""
        import yaml

        documents = 0
        while self.loader.check_event():
            event = self.loader.get_event()
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._start(event, isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._refuse(event, "one document", "a second one")
        return self._root

    def _refuse(self, event: "yaml.Event", expected: str, found: str) -> NoReturn:
        mark = event.start_mark
        place = f"{self.source}:{mark.line + 1}:{mark.column + 1}" if mark else self.source
        raise ConfigError(f"{place}: expected {expected}, found {found}")

    def _count(self, event: "yaml.Event", nodes: int, height: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            self._refuse(event, f"at most {MAX_NODES} nodes with aliases expanded", "more")
        if len(self._stack) + height > MAX_DEPTH:
            self._refuse(event, f"at most {MAX_DEPTH} levels with aliases expanded", "more")

    def _scalar(self, event: "yaml.ScalarEvent") -> None:
        import yaml

        self._count(event, 1, 0)
        tag = STR if event.tag == "!" else event.tag
        if tag is None:
            tag = self.loader.resolve(yaml.ScalarNode, event.value, event.implicit)
            if tag in (_INT, FLOAT) and ":" in event.value:
                tag = STR
        if self._wants_key():
            self._key(event, tag)
            return
        if tag == MERGE:
            tag = STR
        if tag not in SCALARS:
            self._refuse(event, "plain data", f"the tag {_short(tag)}")
        self._finish(event, event.anchor, _Built(self._plain(event, tag)))

    def _plain(self, event: "yaml.ScalarEvent", tag: str) -> object:
        """Return the scalar's value; a number too long to print or beyond any float is refused."""
        import yaml

        text = event.value
        if tag == STR:
            text.encode()
            return text
        try:
            if tag in (_INT, FLOAT) and (len(text) > _MAX_DIGITS or ":" in text):
                raise ValueError(text)
            value = self.loader.yaml_constructors[tag](self.loader, yaml.ScalarNode(tag, text))
            if isinstance(value, float) and math.isinf(value) and "inf" not in text.lower():
                raise ValueError(text)
        except (ValueError, LookupError, OverflowError):
            self._refuse(event, f"a value of type {tag.removeprefix(_TAG)}", "one that can't be read as such")
        return value

    def _wants_key(self) -> bool:
        if not self._stack:
            return False
        place = self._stack[-1]
        return place.key is None and isinstance(place.value, dict)

    def _key(self, event: "yaml.ScalarEvent", tag: str) -> None:
        place, key = self._stack[-1], event.value
        if tag not in (STR, MERGE):
            self._refuse(event, "a text key", f"{_short(key)} (put it in quotes)")
        key.encode()
        merging = tag == MERGE
        if key in place.value or (merging and place.merged is not None):
            self._refuse(event, "each key once", f"{_short(key)} again")
        place.key, place.merging = key, merging
        place.nodes += 1
        if event.anchor:
            self._anchors[event.anchor] = _Built(key)

    def _start(self, event: "yaml.CollectionStartEvent", mapping: bool) -> None:
        if self._wants_key():
            self._refuse(event, "a text key", "a mapping or a list")
        if event.tag not in (None, "!", f"{_TAG}map" if mapping else f"{_TAG}seq"):
            self._refuse(event, "plain data", f"the tag {_short(event.tag)}")
        self._count(event, 1, 1)
        if event.anchor:
            self._anchors[event.anchor] = None
        self._stack.append(_Open({} if mapping else [], event.anchor))

    def _end(self, event: "yaml.Event") -> None:
        closed = self._stack.pop()
        value: Any = closed.value
        if closed.merged is not None:
            value = {**closed.merged, **value}
        self._finish(event, closed.anchor, _Built(value, closed.nodes, closed.height))

    def _alias(self, event: "yaml.AliasEvent") -> None:
        if event.anchor not in self._anchors:
            self._refuse(event, "the alias of an earlier anchor", _short(f"*{event.anchor}"))
        built = self._anchors[event.anchor]
        if built is None:
            self._refuse(event, "an anchor that is complete", f"{_short(f'*{event.anchor}')} inside itself")
        if self._wants_key():
            self._refuse(event, "a text key", _short(f"*{event.anchor}"))
        self._count(event, built.nodes, built.height)
        self._finish(event, None, _Built(copy.deepcopy(built.value), built.nodes, built.height))

    def _finish(self, event: "yaml.Event", anchor: str | None, built: _Built) -> None:
        """Put a finished value where it belongs."""
        if anchor:
            self._anchors[anchor] = built
        if not self._stack:
            self._root = built.value
            return
        place = self._stack[-1]
        place.nodes += built.nodes
        place.height = max(place.height, built.height + 1)
        if isinstance(place.value, list):
            place.value.append(built.value)
        elif place.merging:
            place.merged = self._merge(event, built.value)
        elif place.key is not None:
            place.value[place.key] = built.value
        place.key, place.merging = None, False

    def _merge(self, event: "yaml.Event", value: object) -> dict[str, Any]:
        """Return what `<<` adds; of several mappings the earlier one wins."""
        merged: dict[str, Any] = {}
        for part in reversed(
            value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        ):
            if not isinstance(part, Mapping):
                self._refuse(event, "a mapping or a list of mappings after <<", "something else")
            merged.update(part)
        return merged


def _short(text: str | None) -> str:
    return repr(text if text is None or len(text) <= 60 else f"{text[:57]}...")
