"""What to add to a failed look-up: the nearest name, and the distribution to install."""

import difflib
from collections.abc import Iterable

FIRST_PARTY = {
    "harness": "skyfall-crl-harness",
    "morpheus": "skyfall-crl-morpheus",
    "qud": "skyfall-crl-qud",
    "serve": "skyfall-crl-serve",
}
"""Plugin name -> the distribution that brings it."""

SECTIONS = {
    "export": "skyfall-crl-serve",
    "harness": "skyfall-crl-harness",
    "rollout": "skyfall-crl-harness",
}
"""Top-level config key -> the distribution that offers it."""

_LISTED = 12


def nearest(word: str, known: Iterable[str], also: Iterable[str] = ()) -> str:
    """Return `; did you mean ...?` for a near name, else `; known: ...` with a few of `known`, else nothing.

    `also` are names that may be meant and are too many to be listed.
    """
    names = sorted(set(known))
    folded = {name.casefold(): name for name in (*also, *reversed(names))}
    close = difflib.get_close_matches(word.casefold(), folded, n=1)
    if close:
        return f"; did you mean {folded[close[0]]!r}?"
    if not names:
        return ""
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"; known: {', '.join(names[:_LISTED])}{more}"


def distribution_of_module(module: str) -> str | None:
    """Return the distribution of ours that ships a module, or None where it isn't one of an adapter's."""
    parts = module.removeprefix("skyfall_crl.").removeprefix("env.").split(".")
    return FIRST_PARTY.get(parts[0]) if module.startswith("skyfall_crl.") else None


def comes_with(distribution: str | None) -> str:
    """Return `; it comes with ...` and how to install that, or nothing without a distribution."""
    return f"; it comes with {distribution}: `pip install {distribution}`" if distribution else ""
