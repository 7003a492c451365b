"""Where calls go and what they carry: base URL, paths inside a world, queries, headers and JSON bodies."""

import functools
import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode

import httpx

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import WORLD_PLACEHOLDERS, ToolCall

_PATH_SAFE = "/%:@!$&'()*+,;=~"
_OURS = frozenset({"connection", "content-length", "transfer-encoding", "accept-encoding"})
_JSON = {"accept": "application/json", "content-type": "application/json"}


def origin_of(base_url: object) -> httpx.URL:
    """Return a base URL as parsed; raises `ConfigError` without repeating credentials it may hold."""
    try:
        url = httpx.URL(base_url)  # type: ignore[arg-type]
    except (httpx.InvalidURL, TypeError) as error:
        raise ConfigError(
            f"base_url: expected an address such as http://localhost:8282; {type(error).__name__}"
        ) from None
    if url.userinfo:
        raise ConfigError("base_url: expected no credentials in it; give them as `headers`, by ${env:NAME}")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise ConfigError(
            f"base_url: expected http:// or https://, a host, and nothing after the path, found {base_url!r}"
        )
    if url.port is not None and not 0 < url.port < 1 << 16:
        raise ConfigError(f"base_url: expected a port from 1 to 65535, found {url.port}")
    return url


def request_headers(origin: httpx.URL, headers: object) -> httpx.Headers:
    """Return the headers of every request; given ones win over our own. Errors never show a value."""
    found = httpx.Headers({"host": origin.netloc.decode(), **_JSON})
    if not isinstance(headers, Mapping):
        raise ConfigError("headers: expected a mapping of names to values, found something else")
    for name, value in headers.items():
        if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
            raise ConfigError(f"headers: expected names of letters, digits, - and _, found {name!r}")
        if name.lower() in _OURS:
            raise ConfigError(f"headers.{name}: is set by the connection; leave it out")
        if not isinstance(value, str) or not value.isascii() or not value.isprintable():
            raise ConfigError(f"headers.{name}: expected printable ASCII text, found something else")
        found[name] = value
    return found


def segment(world_id: object) -> str:
    """Return a world's id as a path segment; raises `BackendError` for what can't be one."""
    if not isinstance(world_id, str) or world_id in ("", ".", ".."):
        raise BackendError(f"expected the id of a world, found {world_id!r}", reason="bad_call")
    return quote(world_id, safe="", errors="replace")


def inside(world_id: str, path: object, params: Mapping[str, Any] | None = None) -> str:
    """Return the target of a read inside a world; raises `BackendError` for a path that leads out of it.

    The path's first segment is the world's id or a placeholder for it.
    """
    if not isinstance(path, str):
        raise BackendError(f"fetch: expected a path, found {path!r}", reason="bad_call")
    segment(world_id)
    return with_query(_placed(world_id, path), params)


@functools.lru_cache(maxsize=4096)
def _placed(world_id: str, path: str) -> str:
    route, _, query = path.partition("?")
    first, _, rest = route.removeprefix("/").partition("/")
    if first != world_id and first not in WORLD_PLACEHOLDERS:
        raise BackendError(
            f"fetch: expected a path inside world {world_id}, found {path!r}", reason="bad_call"
        )
    if any(part in (".", "..") for part in unquote(rest).replace("\\", "/").split("/")):
        raise BackendError(f"fetch: expected a path without dot segments, found {path!r}", reason="bad_call")
    target = f"/{segment(world_id)}/{quote(rest, safe=_PATH_SAFE, errors='replace')}"
    if query:
        target = f"{target}?{quote(query, safe=_PATH_SAFE + '?', errors='replace')}"
    return target


def with_query(target: str, params: Mapping[str, Any] | None) -> str:
    """Add parameters as the deployment reads them: nothing for None, lower-case booleans, lists as repeated keys."""
    if not params:
        return target
    pairs = [(name, _parameter(item)) for name, value in params.items() for item in _several(value)]
    if not pairs:
        return target
    return f"{target}{'&' if '?' in target else '?'}{urlencode(pairs, errors='replace')}"


def template(name: str, path: object) -> str:
    """Return a path with `{worldId}` in it; raises `ConfigError` for anything else."""
    if not isinstance(path, str) or not path.startswith("/") or "{worldId}" not in path:
        raise ConfigError(f"{name}: expected a path from / that holds {{worldId}}, found {path!r}")
    return path


def proxied(call: ToolCall) -> dict[str, Any]:
    """Return the body that has the deployment run an agent's call; what a call lacks is left out."""
    path, _, query = call.path.partition("?")
    body: dict[str, Any] = {"path": path, "method": call.method}
    if query:
        found = parse_qs(query, keep_blank_values=True)
        body["query"] = {name: values if len(values) > 1 else values[0] for name, values in found.items()}
    if call.body is not None:
        body["body"] = call.body
    return body


def encoded_json(body: Mapping[str, Any]) -> bytes:
    """Return a body's bytes, ASCII only; raises `BackendError` for what is no JSON."""
    try:
        return json.dumps(body, separators=(",", ":"), allow_nan=False, default=_mapping).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BackendError(f"expected a body of JSON data: {error}", reason="bad_call") from None


def _several(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return value if isinstance(value, (list, tuple)) else (value,)


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"found {type(value).__name__}")
