"""Keeps what was given as a header out of every text, also where a server echoes it."""

from collections.abc import Iterable

_SHORTEST = 6


class Redaction:
    """Replaces header values, whole or any longer word of them, by a mark."""

    __slots__ = ("_secrets",)

    def __init__(self, values: Iterable[str]) -> None:
        words = {word for value in values for word in (value, *value.split()) if len(word) >= _SHORTEST}
        self._secrets = sorted(words, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return a text without them."""
        for secret in self._secrets:
            text = text.replace(secret, "[header]")
        return text
