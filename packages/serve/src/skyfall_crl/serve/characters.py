"""Character sets as plain data: the characters themselves, sorted, or ranges of code points for large sets."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from skyfall_crl.serve.errors import UnsupportedSpace

MAX_LISTED = 256
_SURROGATES = range(0xD800, 0xE000)


def characters_to_data(characters: Iterable[str]) -> dict[str, Any]:
    """Return `{"characters": text}`; more than `MAX_LISTED`, or ones no file can hold, become `{"ranges": ...}`."""
    codes = sorted(map(ord, characters))
    if len(codes) <= MAX_LISTED and not any(code in _SURROGATES for code in codes):
        return {"characters": "".join(map(chr, codes))}
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return {"ranges": ranges}


def data_to_characters(data: Mapping[str, Any]) -> str:
    """Return the characters, sorted; raises `UnsupportedSpace` for anything `characters_to_data` doesn't return."""
    if ("characters" in data) == ("ranges" in data):
        raise UnsupportedSpace("expected either characters or ranges of them")
    if "characters" in data:
        text = data["characters"]
        if not isinstance(text, str) or len(set(text)) != len(text):
            raise UnsupportedSpace(f"characters: expected text with each of them once, found {text!r:.60}")
        return "".join(sorted(text))
    return "".join(chr(code) for first, last in _ranges(data["ranges"]) for code in range(first, last + 1))


def _ranges(data: object) -> list[tuple[int, int]]:
    problem = "ranges: expected pairs of code points in ascending order"
    if not isinstance(data, list):
        raise UnsupportedSpace(f"{problem}, found {data!r:.60}")
    found: list[tuple[int, int]] = []
    end = -1
    for pair in data:
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(code) is int for code in pair):
            raise UnsupportedSpace(f"{problem}, found {pair!r:.60}")
        first, last = pair
        if not end < first <= last <= sys.maxunicode:
            raise UnsupportedSpace(f"{problem}, found {pair!r:.60}")
        found.append((first, last))
        end = last
    return found
