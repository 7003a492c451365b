"""Keeps what was given as a header out of texts and data, also where a server echoes it."""

from collections.abc import Iterable

_SHORTEST_WORD = 6
_SHORTEST_TOKEN = 12
_MARK = "[header]"


class Redaction:
    """Replaces header values, whole or any longer word of them, by a mark.

    In texts of ours every word of at least 6 characters goes. In data only those go that look like a credential, of at
    least 12 characters and with a digit, so that a header that names a department leaves its records alone.
    """

    __slots__ = ("_tokens", "_words")

    def __init__(self, values: Iterable[str]) -> None:
        found = {word for value in values for word in (value, *value.split()) if len(word) >= _SHORTEST_WORD}
        self._words = sorted(found, key=lambda word: (-len(word), word))
        self._tokens = [
            word.encode()
            for word in self._words
            if len(word) >= _SHORTEST_TOKEN and any(character.isdigit() for character in word)
        ]

    def __call__(self, text: str) -> str:
        """Return a text without them."""
        for word in self._words:
            text = text.replace(word, _MARK)
        return text

    def data(self, body: bytes) -> bytes:
        """Return the body of a response without them."""
        for token in self._tokens:
            body = body.replace(token, _MARK.encode())
        return body
