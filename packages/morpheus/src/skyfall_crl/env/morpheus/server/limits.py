"""What a server refuses before it looks at a request: no token, too many requests, too many bytes."""

import base64
import binascii
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from skyfall_crl.env.morpheus.server.replies import Refusal
from skyfall_crl.env.morpheus.server.settings import is_loopback

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

_MOST_ADDRESSES = 4096


class Gone(Exception):
    """The client went away before its request was complete."""


class Door:
    """Lets those in who bring the token: as `Authorization: Bearer`, or as the password a browser asks for."""

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()

    def check(self, headers: Iterable[tuple[bytes, bytes]], *, page: bool) -> None:
        """Raise `Refusal` 401 for a request without the token; a `page` makes browsers ask for it."""
        if self._token is None:
            return
        given = next((value for name, value in headers if name == b"authorization"), b"")
        if hmac.compare_digest(_credential(given), self._token):
            return
        challenge = b'Basic realm="skyfall-crl", charset="UTF-8"' if page else b"Bearer"
        error = "expected the server's token as `Authorization: Bearer`, found none or another"
        raise Refusal(401, error, ((b"www-authenticate", challenge),))


class Neighbourhood:
    """Turns away what pages of other sites have a browser send.

    A server for this machine alone answers to no other name, so that no name can be pointed at it afterwards.
    """

    def __init__(self, *, loopback: bool) -> None:
        self._loopback = loopback

    def check(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Raise `Refusal` 403 for a request that another site's page made."""
        found = dict(headers)
        host, origin = found.get(b"host", b"").decode("latin-1"), found.get(b"origin")
        if host and self._loopback and not is_loopback(_name(host)):
            raise Refusal(403, "host: expected a name of this machine, found another")
        if origin is not None and origin.decode("latin-1").partition("://")[2] != host:
            raise Refusal(403, "origin: expected none but this server's own, found another site's")


class Rate:
    """Lets each address ask so many requests a second, twice as many at once."""

    def __init__(self, per_second: float, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, address: str) -> None:
        """Raise `Refusal` 429 for an address that asks too much."""
        if not self._per_second:
            return
        now, most = self._clock(), max(1.0, 2 * self._per_second)
        left, since = self._buckets.pop(address, (most, now))
        left = min(most, left + (now - since) * self._per_second)
        allowed = left >= 1
        self._buckets[address] = (left - allowed, now)
        if len(self._buckets) > _MOST_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        if not allowed:
            error = f"expected at most {self._per_second:g} requests a second, found more; wait a second"
            raise Refusal(429, error, ((b"retry-after", b"1"),))


async def body_of(headers: Iterable[tuple[bytes, bytes]], receive: Receive, most: int) -> bytes:
    """Return a request's whole body; raises `Refusal` 413 as soon as it is too large, and `Gone`."""
    declared = next((value for name, value in headers if name == b"content-length"), b"")
    if declared.isdigit() and int(declared) > most:
        raise _oversize(most)
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > most:
            raise _oversize(most)
        parts.append(part)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _credential(header: bytes) -> bytes:
    scheme, _, value = header.partition(b" ")
    if scheme.lower() == b"bearer":
        return value.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return b""
    return b""


def _name(host: str) -> str:
    """Return a host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _oversize(most: int) -> Refusal:
    return Refusal(413, f"body: expected at most {most} bytes, found more", ((b"connection", b"close"),))
