"""The one form of the kit's messages: what was looked at, the rule, what was found, and the likely cause."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from skyfall_crl.ports.fields import FieldError, plain
from skyfall_crl.testing.plugin import ConformanceError

_WIDTH = 90


def broken(where: str, *, rule: str, found: str, cause: str) -> ConformanceError:
    """Return the error for a broken rule, in one line."""
    return ConformanceError(" ".join(f"{where}: {rule}, found {found}; {cause}".split()))


@contextmanager
def surviving(where: str, *, rule: str, cause: str) -> Iterator[None]:
    """Turn whatever the block raises into a broken rule; a rule that is broken already passes through."""
    try:
        yield
    except ConformanceError:
        raise
    except Exception as error:
        raise broken(where, rule=rule, found=f"{type(error).__name__}: {error}", cause=cause) from error


def shown(value: object) -> str:
    """Return a value in the short form that messages use; a large array is its dtype and shape."""
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"{value.dtype} array of shape {value.shape}"
    form = " ".join(repr(value).split())
    return form if len(form) <= _WIDTH else f"{form[: _WIDTH - 3]}..."


def typed(value: object) -> str:
    """Return a value with its type's name before it, for messages about a wrong type."""
    return f"{type(value).__name__} {shown(value)}"


def plain_mapping(where: str, value: object) -> dict[str, Any]:
    """Return a mapping of plain data as a copy; raises `ConformanceError` with the path to what is not plain."""
    rule = "expected a mapping of plain data (text, finite numbers, booleans, None, lists, mappings)"
    if not isinstance(value, Mapping):
        raise broken(where, rule=rule, found=typed(value), cause="return a dict")
    try:
        copy = plain(value)
    except FieldError as error:
        cause = "turn arrays into lists and objects into text or mappings before they get here"
        raise broken(where, rule=rule, found=str(error), cause=cause) from error
    assert isinstance(copy, dict)
    return copy
