"""One question to an OpenAI-compatible endpoint: bounded in time, asked again where that helps, telling no key."""

from collections.abc import Mapping, Sequence
from random import Random
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from weakref import finalize

from skyfall_crl.ports.errors import ConfigError, CrlError
from skyfall_crl.serve.chat.answer import Reply, error_in, reply_in

if TYPE_CHECKING:
    import httpx

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same question may be asked again."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_LEAST_SECRET = 8
Message = Mapping[str, str]


class ChatFailure(CrlError):
    """No answer came.

    `reason` is a short code for rows: `timeout`, `unreachable`, `http_status` or `bad_answer`; `pause` is how long the
    endpoint asked to wait, in seconds.
    """

    def __init__(self, message: str, reason: str, status: int | None = None, pause: float = 0.0) -> None:
        super().__init__(message)
        self.reason, self.status, self.pause = reason, status, pause


class ChatEndpoint:
    """Asks one model at one address; safe for any number of threads.

    `timeout` bounds one question with all its attempts, in seconds. `parameters` go into every request as they are
    (`temperature`, `max_tokens`, ...). Raises `ConfigError` for an address that can't work.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
        attempts: int = 4,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._httpx = _httpx()
        self.address = f"{base_url.rstrip('/')}/chat/completions"
        if not self.address.startswith(("http://", "https://")):
            raise ConfigError(f"base_url: expected http://... or https://..., found {base_url!r}")
        self._model, self._timeout, self._attempts = model, timeout, attempts
        self._parameters = dict(parameters or {})
        sent = {**(headers or {}), **({"Authorization": f"Bearer {api_key}"} if api_key else {})}
        words = {word for value in sent.values() for word in value.split() if len(word) >= _LEAST_SECRET}
        self._secrets = sorted(words, key=len, reverse=True)
        self._client = self._httpx.Client(headers=sent)
        self._jitter = Random(0)  # noqa: S311
        finalize(self, self._client.close)

    def ask(self, messages: Sequence[Message]) -> Reply:
        """Return the model's answer; raises `ChatFailure` when none came in time."""
        body = {"model": self._model, "messages": list(messages), **self._parameters}
        until = monotonic() + self._timeout
        attempt = 1
        while True:
            try:
                return self._once(body, until, attempt)
            except ChatFailure as failure:
                again = failure.reason in ("unreachable", "bad_answer") or failure.status in PASSING
                pause = self._pause(failure, attempt)
                if not again or attempt == self._attempts or monotonic() + pause >= until:
                    raise
                sleep(pause)
                attempt += 1

    def _once(self, body: Mapping[str, Any], until: float, attempt: int) -> Reply:
        left = until - monotonic()
        try:
            response = self._client.post(self.address, json=body, timeout=max(left, 0.001))
        except self._httpx.TimeoutException:
            raise self._failure("an answer in time", f"none within {self._timeout:g} s", "timeout") from None
        except self._httpx.HTTPError as error:
            found = f"{type(error).__name__}: {error}"
            raise self._failure("an answer", found, "unreachable") from None
        if response.status_code != 200:
            raise self._refused(response)
        try:
            return reply_in(response.content, attempt)
        except ValueError as error:
            raise self._failure("a chat completion", str(error), "bad_answer") from None

    def _refused(self, response: "httpx.Response") -> ChatFailure:
        found = f"{response.status_code} {error_in(response.content)}"
        wait = response.headers.get("retry-after", "")
        pause = float(wait) if wait.isdecimal() else 0.0
        return self._failure("200", found, "http_status", response.status_code, pause)

    def _pause(self, failure: ChatFailure, attempt: int) -> float:
        backoff = _FIRST_PAUSE * float(1 << attempt) * self._jitter.uniform(0.25, 0.5)
        return min(max(failure.pause, backoff), _LONGEST_PAUSE)

    def _failure(
        self, expected: str, found: str, reason: str, status: int | None = None, pause: float = 0.0
    ) -> ChatFailure:
        text = f"{self.address}: expected {expected}, found {found}"
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return ChatFailure(text, reason, status, pause)


def _httpx() -> Any:
    try:
        import httpx
    except ModuleNotFoundError:
        raise ConfigError(
            "serve/chat needs httpx, found none; install it with: pip install 'skyfall-crl-serve[chat]'"
        ) from None
    return httpx
