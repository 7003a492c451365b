"""The transport under every call: a stack of open connections that any thread takes from and returns to."""

import os
import socket
import ssl
from collections import deque
from http.client import HTTPException, IncompleteRead

import httpx

from skyfall_crl.env.morpheus.http.connection import BodyTooLarge, Connection
from skyfall_crl.env.morpheus.http.deadline import Deadline

MAX_BODY_BYTES = 16 << 20


class TransportFailure(httpx.TransportError):
    """No usable response arrived; `reason` is the short code that rows and errors carry.

    Codes: `timeout`, `refused`, `reset`, `unresolved`, `tls`, `unreachable`, `truncated`, `too_large`, `bad_http`,
    `closed`.
    """

    def __init__(self, reason: str, found: str) -> None:
        super().__init__(found)
        self.reason = reason


class KeepAliveTransport(httpx.BaseTransport):
    """Sends httpx requests to one origin over kept-open connections.

    There are as many connections as calls were ever under way at once, and taking one costs the same however many
    there are. Nothing belongs to a thread, so threads come and go freely. A request is sent at most once: one that
    fails is never repeated here. Requests carry their `Deadline` as the extension `deadline`.
    """

    def __init__(self, origin: httpx.URL, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._origin = origin
        self._limit = max_body_bytes
        self._idle: deque[Connection] = deque()
        self._process = os.getpid()
        self._closed = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response with its body read; raises `TransportFailure`."""
        if self._closed:
            raise TransportFailure("closed", "this backend was closed")
        deadline: Deadline = request.extensions["deadline"]
        try:
            connection = self._taken() or Connection.open(self._origin, deadline)
            try:
                response, again = connection.exchange(request, deadline, self._limit)
            except BaseException:
                connection.close()
                raise
        except (OSError, HTTPException, ValueError) as error:
            raise _failure(error) from error
        if again:
            self._returned(connection)
        else:
            connection.close()
        return response

    def close(self) -> None:
        """Close what lies idle; connections in use are closed as their calls end. Repeating it does nothing."""
        self._closed = True
        self._drop_idle()

    def _taken(self) -> Connection | None:
        """Return the connection that was used last, when it is still good."""
        if self._process != os.getpid():
            self._drop_idle()
            self._process = os.getpid()
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            if connection.is_usable():
                return connection
            connection.close()
        return None

    def _returned(self, connection: Connection) -> None:
        self._idle.append(connection)
        if self._closed:
            self._drop_idle()
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Close the connection that has been idle longest, when it has gone bad."""
        try:
            oldest = self._idle.popleft()
        except IndexError:
            return
        if oldest.is_expired():
            oldest.close()
        else:
            self._idle.appendleft(oldest)

    def _drop_idle(self) -> None:
        while self._idle:
            try:
                self._idle.pop().close()
            except IndexError:
                return


def _failure(error: Exception) -> TransportFailure:
    if isinstance(error, TimeoutError):
        return TransportFailure("timeout", "no complete answer in time")
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return TransportFailure(reason, f"{error}" or type(error).__name__)
    return TransportFailure("bad_http", f"{type(error).__name__}: {error}")


_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (ConnectionRefusedError, "refused"),
    (ConnectionError, "reset"),
    (socket.gaierror, "unresolved"),
    (ssl.SSLError, "tls"),
    (OSError, "unreachable"),
    (IncompleteRead, "truncated"),
    (BodyTooLarge, "too_large"),
)
