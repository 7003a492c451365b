"""`key=value` overrides from a command line, laid over a document."""

from collections.abc import Sequence
from typing import Any

from skyfall_crl.ports.document import parse_yaml
from skyfall_crl.ports.errors import ConfigError


def apply_overrides(document: dict[str, Any], overrides: Sequence[str]) -> None:
    """Set each dotted key in place; list items are addressed by their index, values are read as YAML.

    Raises `ConfigError` for a word without `=`, an empty key, or a path through something that is no mapping or list.
    """
    for word in overrides:
        key, equals, text = word.partition("=")
        if not equals or not all(key.split(".")):
            raise ConfigError(f"override {word!r}: expected key.path=value")
        assign(document, key, parse_yaml(text, f"override {key}"))


def assign(document: dict[str, Any], key: str, value: object) -> None:
    """Set one dotted key in place; raises `ConfigError` for a path through something that is no mapping or list."""
    *parents, last = key.split(".")
    place: Any = document
    for depth, name in enumerate(parents):
        at = ".".join(parents[: depth + 1])
        if isinstance(place, dict):
            if not isinstance(place.get(name), dict | list):
                place[name] = {}
            place = place[name]
        else:
            place = place[_index(place, name, at)]
            if not isinstance(place, dict | list):
                raise ConfigError(f"override {key}: expected a mapping or a list at {at}, found {place!r}")
    if isinstance(place, dict):
        place[last] = value
    else:
        place[_index(place, last, key)] = value


def _index(place: list[Any], name: str, at: str) -> int:
    if not name.isdecimal() or int(name) >= len(place):
        raise ConfigError(f"override {at}: expected an index from 0 to {len(place) - 1}, found {name!r}")
    return int(name)
