"""What a bundle from somebody else may ask for: registered ids, and arguments that reach for nothing of the user's."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from skyfall_crl.config.secret import REFERENCE
from skyfall_crl.registry import registered_only
from skyfall_crl.serve.errors import BundleError

_PATH = re.compile(r"[/~\\]|[A-Za-z]:[/\\]")
_SEPARATORS = re.compile(r"[/\\]")
_IMPORT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.-]*(/[\w.-]+)?")


@contextmanager
def restricted(trust: bool) -> Iterator[None]:
    """Without trust, refuse inside the block every id that imports what no installed plugin names."""
    if trust:
        yield
        return
    with registered_only():
        yield


def check_arguments_asked(arguments: Mapping[str, Any], at: str) -> None:
    """Raise `BundleError` where recorded arguments name a secret, or a path that leads out of the working folder.

    A stranger's bundle could otherwise send the user's secrets to an address of its own, or have a file of the
    user's read or written.
    """
    for place, text in _texts(arguments, at):
        if found := REFERENCE.search(text):
            raise BundleError(
                f"{place}: asks for the secret {found[0]}; give it yourself, or say that you trust the bundle"
            )
        if _PATH.match(text) or ".." in _SEPARATORS.split(text):
            raise BundleError(
                f"{place}: names {text!r:.80}, a path out of the working folder; give that argument yourself, "
                "or say that you trust the bundle"
            )


def check_no_imports(arguments: Mapping[str, Any], at: str) -> None:
    """Raise `BundleError` where arguments of a Gymnasium id hold another id, which Gymnasium would import."""
    for place, text in _texts(arguments, at):
        if _IMPORT.fullmatch(text):
            raise BundleError(
                f"{place}: {text!r:.80} looks like an id that imports a module, which only a trusted bundle may"
            )


def _texts(value: object, at: str) -> Iterator[tuple[str, str]]:
    """Yield every text among the values of plain data, with where it stands."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, f"{at}.{key}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _texts(item, f"{at}[{number}]")
