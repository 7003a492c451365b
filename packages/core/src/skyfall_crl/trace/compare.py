"""Comparing two traces row by row, clock fields aside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.trace.reader import read_rows

CLOCK_FIELDS = frozenset({"wall_ms"})


@dataclass(frozen=True, slots=True)
class Difference:
    """The first row in which two traces differ.

    `index` counts rows from 0 without provenance records; a side is None where its trace ended; `fields`
    names the fields that differ, or is empty when only their order does.
    """

    index: int
    left: dict[str, Any] | None
    right: dict[str, Any] | None
    fields: tuple[str, ...]


def without_clock(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the fields that depend on the wall clock."""
    return {name: value for name, value in row.items() if name not in CLOCK_FIELDS}


def rows_equal(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Say whether two rows are byte-identical once encoded, clock fields aside."""
    return msgspec.json.encode(without_clock(left)) == msgspec.json.encode(without_clock(right))


def first_difference(left: Path | str, right: Path | str) -> Difference | None:
    """Return where two traces first differ, clock fields and provenance records aside; None when nowhere."""
    pairs = zip_longest(_comparable_rows(left), _comparable_rows(right))
    for index, (one, other) in enumerate(pairs):
        if one is None or other is None:
            return Difference(index, one, other, ())
        if not rows_equal(one, other):
            names = [*one, *(name for name in other if name not in one)]
            return Difference(index, one, other, tuple(name for name in names if _differs(one, other, name)))
    return None


def _comparable_rows(path: Path | str) -> Iterator[dict[str, Any]]:
    return (without_clock(row) for row in read_rows(path) if row.get("kind") != "provenance")


def _differs(left: Mapping[str, Any], right: Mapping[str, Any], name: str) -> bool:
    if name not in left or name not in right:
        return True
    return msgspec.json.encode(left[name]) != msgspec.json.encode(right[name])
