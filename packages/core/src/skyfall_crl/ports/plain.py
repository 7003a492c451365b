"""Plain data: JSON-safe values and the shared empty mapping."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

PlainData: TypeAlias = "bool | int | float | str | list[PlainData] | dict[str, PlainData] | None"

EMPTY: Mapping[str, Any] = MappingProxyType({})
