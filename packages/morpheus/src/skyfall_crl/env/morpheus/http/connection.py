"""One kept-open connection to a deployment, on which no wait outlasts the deadline of the call that waits."""

import functools
import io
import socket
import ssl
from collections.abc import Iterator, Sequence
from http.client import HTTPException, HTTPResponse, IncompleteRead
from time import monotonic
from typing import Any, cast

import httpx

from skyfall_crl.env.morpheus.http.deadline import Deadline

KEEPALIVE_SECONDS = 120.0
"""How long a connection may lie idle before it is replaced; longer than most policies think."""

_SENT_AT_ONCE = 1 << 16


class BodyTooLarge(HTTPException):
    """A response body exceeds what a call accepts."""


class Connection:
    """A TCP or TLS connection that carries one exchange at a time."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self.deadline = deadline
        self.idle_since = monotonic()

    @classmethod
    def open(cls, origin: httpx.URL, deadline: Deadline) -> "Connection":
        """Connect to the host of an http or https URL; raises `OSError`."""
        sock = _connected(origin.host, origin.port or (443 if origin.scheme == "https" else 80), deadline)
        if origin.scheme == "https":
            try:
                sock.settimeout(deadline.remaining())
                sock = _trusting().wrap_socket(sock, server_hostname=origin.host)
            except BaseException:
                sock.close()
                raise
        return cls(sock, deadline)

    def is_expired(self) -> bool:
        """Tell whether an idle connection is too old to be trusted."""
        return monotonic() - self.idle_since > KEEPALIVE_SECONDS

    def is_usable(self) -> bool:
        """Tell whether an idle connection is young, and still open and silent at its other end."""
        if self.is_expired():
            return False
        try:
            self._sock.settimeout(0)
            socket.socket.recv(self._sock, 1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def exchange(self, request: httpx.Request, deadline: Deadline, limit: int) -> tuple[httpx.Response, bool]:
        """Send a request and read its response, with the word whether the connection can carry another.

        Raises `OSError`, and `HTTPException` for what is no HTTP response, is cut off, or whose body exceeds `limit`.
        """
        self.deadline = deadline
        self._send(_serialised(request))
        incoming = HTTPResponse(cast("socket.socket", self), method=request.method)
        try:
            incoming.begin()
            body = _body(incoming, limit)
            headers = [
                (name.encode("latin-1"), value.encode("latin-1")) for name, value in incoming.getheaders()
            ]
            again = not incoming.will_close and incoming.isclosed()
            return httpx.Response(incoming.status, headers=headers, stream=_Body(body)), again
        finally:
            incoming.close()
            self.idle_since = monotonic()

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a stream over what arrives; this is how `HTTPResponse` reads a socket."""
        return io.BufferedReader(_Incoming(self._sock, self.deadline))

    def close(self) -> None:
        """Close the connection; one that refuses is not worth failing over."""
        try:
            self._sock.close()
        except OSError:
            return

    def _send(self, data: bytes) -> None:
        for start in range(0, len(data), _SENT_AT_ONCE):
            self._sock.settimeout(self.deadline.remaining())
            self._sock.sendall(data[start : start + _SENT_AT_ONCE])


class _Body(httpx.SyncByteStream):
    """A body that has been read; handing it over as a stream spares httpx from looking for a decoder."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __iter__(self) -> Iterator[bytes]:
        yield self._data


class _Incoming(io.RawIOBase):
    """What arrives on a socket until the deadline; closing it leaves the socket open."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._deadline.remaining())
        return self._sock.recv_into(buffer)


def _serialised(request: httpx.Request) -> bytes:
    lines = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    lines += [b"%s: %s" % header for header in request.headers.raw]
    return b"%s\r\n\r\n%s" % (b"\r\n".join(lines), request.read())


def _body(incoming: HTTPResponse, limit: int) -> bytes:
    encoding = incoming.getheader("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise HTTPException(f"a body in content-encoding {encoding!r}, which was not asked for")
    if incoming.length is not None and incoming.length > limit:
        raise BodyTooLarge(f"a body of {incoming.length} bytes")
    body = incoming.read(limit + 1)
    if len(body) > limit:
        raise BodyTooLarge(f"a body of more than {limit} bytes")
    if incoming.length:
        raise IncompleteRead(body, incoming.length)
    return body


def _connected(host: str, port: int, deadline: Deadline) -> socket.socket:
    """Connect to the first address of a host that answers, with an equal share of the time left for each."""
    addresses: Sequence[Any] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure: OSError = OSError(f"{host} has no address")
    for number, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(deadline.remaining() / (len(addresses) - number))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


@functools.cache
def _trusting() -> ssl.SSLContext:
    """Return the one context of this process; building it takes tens of milliseconds and a megabyte."""
    context = httpx.create_ssl_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
