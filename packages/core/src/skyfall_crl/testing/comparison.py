"""Where two values differ: observations, actions and rows that should be equal."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.testing.verdict import shown

TOLERANCE = 1e-9
"""How far two numbers may lie apart, relatively, where a figure is computed in two ways."""


def difference(expected: Any, found: Any, *, tolerance: float = 0.0, path: str = "") -> str | None:
    """Return the place where two values differ and both values there, or None when they are equal.

    A list equals a tuple of equal items, NaN equals NaN, and numbers may lie `tolerance` apart, relatively.
    """
    here = f"{path}: " if path else ""
    if isinstance(expected, ActionOutcome) or isinstance(found, ActionOutcome):
        expected, found = (
            side.to_row() if isinstance(side, ActionOutcome) else side for side in (expected, found)
        )
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        if expected.keys() != found.keys():
            return (
                f"{here}keys {shown(sorted(map(str, found)))}, expected {shown(sorted(map(str, expected)))}"
            )
        parts = ((f"{path}[{key!r}]", expected[key], found[key]) for key in expected)
    elif isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        if len(expected) != len(found):
            return f"{here}{len(found)} items, expected {len(expected)}"
        parts = ((f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(expected, found, strict=True)))
    else:
        return (
            None
            if _equal(expected, found, tolerance)
            else f"{here}{shown(found)}, expected {shown(expected)}"
        )
    for place, one, other in parts:
        if (where := difference(one, other, tolerance=tolerance, path=place)) is not None:
            return where
    return None


def mentions(value: Any, text: str) -> bool:
    """Tell whether a text stands anywhere in a value: in text, bytes, keys, or arrays of text."""
    if isinstance(value, str):
        return text in value
    if isinstance(value, bytes):
        return text.encode() in value
    if isinstance(value, Mapping):
        return any(mentions(part, text) for pair in value.items() for part in pair)
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "SUO":
            return any(mentions(part, text) for part in value.ravel().tolist())
        return value.dtype == np.uint8 and text.encode() in value.tobytes()
    return isinstance(value, list | tuple) and any(mentions(part, text) for part in value)


def renamed(value: Any, old: str, new: str) -> Any:
    """Return a value with another text in place of `old`, wherever it stands in text."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, Mapping):
        return {key: renamed(part, old, new) for key, part in value.items()}
    return [renamed(part, old, new) for part in value] if isinstance(value, list | tuple) else value


def _equal(expected: Any, found: Any, tolerance: float) -> bool:
    if isinstance(expected, np.ndarray) or isinstance(found, np.ndarray):
        left, right = np.asarray(expected), np.asarray(found)
        if left.shape != right.shape:
            return False
        if left.dtype.kind in "fc" and right.dtype.kind in "fc":
            return np.allclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True)
        return bool(np.array_equal(left, right))
    if _is_number(expected) and _is_number(found):
        if tolerance == 0 or not (math.isfinite(expected) and math.isfinite(found)):
            return bool(expected == found) or (expected != expected and found != found)
        return math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance)
    return bool(expected == found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
