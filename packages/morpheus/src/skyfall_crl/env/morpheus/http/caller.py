"""One call to a deployment: sent under a deadline, repeated only when it reads, and answered or refused in words."""

import functools
import os
from collections.abc import Mapping
from random import Random
from time import monotonic, sleep
from typing import Any

import httpx

from skyfall_crl.env.morpheus.http.address import encoded_json, origin_of, request_headers
from skyfall_crl.env.morpheus.http.answers import Answer, Unusable, answer_in, reason_of, refusal
from skyfall_crl.env.morpheus.http.deadline import Deadline
from skyfall_crl.env.morpheus.http.patience import Patience
from skyfall_crl.env.morpheus.http.redaction import Redaction
from skyfall_crl.env.morpheus.http.transport import KeepAliveTransport, TransportFailure
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.errors import ConfigError

ATTEMPTS = 3
"""How often a read is tried at most; a write is tried once."""

_FIRST_PAUSE = 0.05
PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that say nothing about the call, only that now is not the time."""

_PASSING_REASONS = frozenset(
    {"refused", "reset", "unresolved", "unreachable", "truncated", "bad_http", "bad_json", "not_json"}
)
_ADVICE = {
    "timeout": "; allow more time with `timeout`",
    "refused": "; start the deployment, or correct `base_url`",
    "unresolved": "; correct `base_url`",
    "not_json": "; `base_url` may lead to something else than a deployment",
}


class CallFailure(BackendError):
    """A call that got no answer, or was refused; `pause` is how long the deployment asked to wait, in seconds."""

    def __init__(self, message: str, reason: str, status: int | None, pause: float) -> None:
        super().__init__(message, reason=reason, status=status)
        self.pause = pause


class Caller:
    """Calls one deployment from any number of threads; holds nothing of any world.

    Every failure is a `BackendError` that names the deployment, the call, what was expected and what was found, and
    never a header's value. Raises `ConfigError` for a base URL, a timeout or headers that can't work.
    """

    def __init__(self, base_url: str, timeout: object, headers: Mapping[str, str] | None) -> None:
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < 1e6:
            raise ConfigError(f"timeout: expected a positive number of seconds, found {timeout!r}")
        origin = origin_of(base_url)
        self.base_url = str(origin).rstrip("/")
        self._timeout = timeout
        given = {} if headers is None else headers
        self._headers = request_headers(origin, given)
        self._redacted = Redaction(given.values())
        self._transport = KeepAliveTransport(origin)
        self._patience = Patience(timeout)
        self._jitter = Random(f"{self.base_url} {os.getpid()}")  # noqa: S311

    def deadline(self) -> Deadline:
        """Return the deadline of a call that starts now."""
        return Deadline(self._timeout)

    def read(self, target: str, deadline: Deadline | None = None) -> Any:
        """GET a target and return the data of the answer, trying again where that may help and time is left."""
        until = self.deadline() if deadline is None else deadline
        for attempt in range(1, ATTEMPTS):
            given_up = self._patience.attempt(until)
            try:
                return self._read_once(target, given_up)
            except CallFailure as failure:
                late = failure.reason == "timeout" and given_up is not until
                if not late and not self._waited(failure, attempt, until):
                    raise
        return self._read_once(target, until)

    def write(
        self,
        method: str,
        target: str,
        body: Mapping[str, Any] | None = None,
        deadline: Deadline | None = None,
    ) -> Any:
        """Send a request that may change something, once, and return the data of the answer."""
        return self._granted(method, target, body, self.deadline() if deadline is None else deadline)

    def ask(self, method: str, target: str, body: Mapping[str, Any] | None, deadline: Deadline) -> Answer:
        """Send one request and return the answer, a refusal in JSON included."""
        content = None if body is None else encoded_json(body)
        try:
            request = httpx.Request(
                method,
                _parsed(self.base_url + target),
                headers=self._headers,
                content=content,
                extensions={"deadline": deadline},
            )
            response = self._transport.handle_request(request)
            return answer_in(response, self._redacted)
        except httpx.InvalidURL as error:
            raise self._failure(method, target, "bad_call", f"a path that can't be sent: {error}") from None
        except TransportFailure as failure:
            raise self._failure(method, target, failure.reason, str(failure)) from failure
        except Unusable as unusable:
            raise self._failure(
                method, target, unusable.reason, str(unusable), response.status_code, unusable.pause
            ) from None

    def close(self) -> None:
        """Close all connections; repeating it does nothing."""
        self._transport.close()

    def failure(self, method: str, target: str, expected: str, data: Any) -> BackendError:
        """Return the error for an answer that lacks what was asked."""
        found = f"{type(data).__name__} {data!r:.120}"
        return self._failure(method, target, "bad_answer", found, expected=expected)

    def _granted(self, method: str, target: str, body: Mapping[str, Any] | None, deadline: Deadline) -> Any:
        answer = self.ask(method, target, body, deadline)
        refused = refusal(answer)
        if refused is not None:
            raise self._failure(
                method, target, reason_of(answer), refused, answer.status, answer.pause, expected="success"
            )
        return answer.data

    def _read_once(self, target: str, deadline: Deadline) -> Any:
        began = monotonic()
        data = self._granted("GET", target, None, deadline)
        self._patience.answered(began)
        return data

    def _waited(self, failure: CallFailure, attempt: int, deadline: Deadline) -> bool:
        """Wait before the next attempt at a read; False where it would not help or would come too late."""
        if failure.reason not in _PASSING_REASONS and failure.status not in PASSING_STATUSES:
            return False
        pause = max(failure.pause, _FIRST_PAUSE * 2**attempt * self._jitter.uniform(0.25, 0.5))
        try:
            if pause >= deadline.remaining():
                return False
        except TimeoutError:
            return False
        sleep(pause)
        return True

    def _failure(
        self,
        method: str,
        target: str,
        reason: str,
        found: str,
        status: int | None = None,
        pause: float = 0.0,
        *,
        expected: str = "a JSON answer",
    ) -> CallFailure:
        text = (
            f"{self.base_url}: {method} {target}: expected {expected}, found {found}{_ADVICE.get(reason, '')}"
        )
        return CallFailure(self._redacted(text), reason, status, pause)


@functools.lru_cache(maxsize=4096)
def _parsed(url: str) -> httpx.URL:
    return httpx.URL(url)
