"""Strict reading of mappings out of documents: every complaint names its key path, expected and found."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.plain import PlainData


class FieldError(ConfigError):
    """A value that can't stand where it stands; `path` is its key path, such as `regimes[2].axes`."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


@contextmanager
def inside(outer: str) -> Iterator[None]:
    """Put `outer` before the key path of a `FieldError` that is raised in the block."""
    try:
        yield
    except FieldError as error:
        separator = "." if error.path and not error.path.startswith("[") else ""
        raise FieldError(f"{outer}{separator}{error.path}", error.problem) from None


def unexpected(path: str, expected: str, value: object) -> FieldError:
    """Return the error for a value that is not what was expected."""
    return FieldError(path, f"expected {expected}, found {describe(value)}")


def mapping(
    data: object, what: str, required: Sequence[str], optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return `data` when it is a mapping with the required keys and none beside the optional ones."""
    if not isinstance(data, Mapping):
        raise unexpected("", f"a mapping that describes {what}", data)
    known = (*required, *optional)
    for key in data:
        if key not in known:
            raise FieldError(str(key), f"unknown key of {what}{nearest(str(key), known)}")
    for key in required:
        if key not in data:
            raise FieldError(key, "expected a value, found nothing")
    return data


def text(path: str, value: object) -> None:
    """Refuse what is not text with something in it."""
    if not isinstance(value, str) or not value.strip():
        raise unexpected(path, "text that is not empty", value)


def whole(path: str, value: object, least: int) -> None:
    """Refuse what is not an integer of at least `least`; a boolean is none."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise unexpected(path, f"a whole number of at least {least}", value)


def not_negative(path: str, value: object) -> None:
    """Refuse what is not a finite number of at least 0."""
    if not isinstance(value, int | float) or not finite(value) or value < 0:
        raise unexpected(path, "a finite number of at least 0", value)


def items(path: str, value: object, what: str) -> Sequence[Any]:
    """Return `value` when it is a list or a tuple that is not empty."""
    if not isinstance(value, list | tuple) or not value:
        raise unexpected(path, f"a list of at least one {what}", value)
    return value


def plain(value: object, path: str = "") -> PlainData:
    """Return a deep copy of None, booleans, finite numbers, text, lists and mappings with text keys."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (float, int)):
        if not finite(value):
            raise unexpected(path, "a finite number", value)
        return float(value) if isinstance(value, float) else int(value)
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise unexpected(path, "text keys", key)
        return {key: plain(item, f"{path}.{key}" if path else key) for key, item in value.items()}
    raise unexpected(path, "plain data (text, numbers, lists, mappings)", value)


def finite(value: object) -> bool:
    """Tell whether `value` is a number, no boolean, that a finite float stands for."""
    try:
        return isinstance(value, (float, int)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the end of a message about an unknown word: the one probably meant, or all there are."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; expected one of {', '.join(known)}" if known else ""


def describe(value: object) -> str:
    """Return a short form of a value for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, int) and value.bit_length() > 1024:
        return "a number too large"
    form = repr(value)
    return form if len(form) <= 60 else f"{form[:57]}..."
