"""Tool calls recovered from a policy's text, and the tickets an action names."""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from skyfall_crl.ports.tools import ToolCall

MAX_TEXT = 65_536
_MAX_CANDIDATES = 256
_MARKER = re.compile(r"ACTION\s*:", re.IGNORECASE)
_REQUEST_LINE = re.compile(r"\s*[`*]*\s*(GET|POST|PUT|PATCH|DELETE)\s+(/\S*)", re.IGNORECASE)
_FIELD_LINE = re.compile(r"^\s*(method|path)\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_TICKET_PATH = re.compile(r"/tickets/([^/?#\s]+)", re.IGNORECASE)
_METHOD_KEYS = ("method", "verb", "http_method")
_PATH_KEYS = ("path", "url", "endpoint")
_BODY_KEYS = ("body", "json", "data", "payload")
_NESTING_KEYS = ("action", "tool_call", "arguments", "input", "parameters")
_TICKET_KEYS = ("ticketId", "ticket_id", "ticketIds", "ticket_ids", "tickets", "incidentId")


def parse_tool_call(text: str) -> ToolCall | None:
    """Recover a tool call from a policy's text, or None when nothing parses; never raises.

    After the last `ACTION:` it takes a JSON object, a request line (`PUT /{worldId}/... {body}`) or
    `method:`, `path:` and `body:` lines; without a marker, the last JSON object in the text that names a
    path. A missing method means GET. Only the last 65,536 characters are read.
    """
    if not isinstance(text, str):
        return None
    text = text[-MAX_TEXT:]
    markers = list(_MARKER.finditer(text))
    if not markers:
        return _last_object_call(text)
    block = text[markers[-1].end() :]
    request = _REQUEST_LINE.match(block)
    if request is not None:
        return _call(request[1], request[2].rstrip("`*"), _first_object(block[request.end() :]))
    found = _last_object_call(block)
    return found if found is not None else _field_call(block)


def extract_ticket_ids(action: Any) -> tuple[str, ...]:
    """Return the tickets an action claims to address, so that they can be verified; never raises.

    Takes a `ToolCall` or a mapping with `path` and `body`; ids come from a `/tickets/<id>` path and from the
    body's `ticketId`, `ticketIds` and their spellings, in the order met and without repeats.
    """
    path: Any
    body: Any
    if isinstance(action, ToolCall):
        path, body = action.path, action.body
    elif isinstance(action, Mapping):
        path, body = action.get("path"), action.get("body")
    else:
        return ()
    found: dict[str, None] = {}
    if isinstance(path, str) and (named := _TICKET_PATH.search(path)) is not None:
        found[named[1]] = None
    if isinstance(body, Mapping):
        for source in (body, body.get("metadata")):
            if isinstance(source, Mapping):
                for key in _TICKET_KEYS:
                    found.update(dict.fromkeys(_ids(source.get(key))))
    return tuple(found)


def parse_body(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object in `text`, or None when it is empty; raises `ValueError` for anything else."""
    if not text.strip():
        return None
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("a body must not be nested without end") from None
    if not isinstance(body, dict):
        raise ValueError(f"a body is a JSON object, not {type(body).__name__}")
    return body


def _ids(value: Any) -> list[str]:
    entries = value if isinstance(value, (list, tuple)) else [value]
    return [entry for entry in entries if isinstance(entry, str) and entry]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects in `text`, in order."""
    found: list[dict[str, Any]] = []
    position = text.find("{")
    for _ in range(_MAX_CANDIDATES):
        if position < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            found.append(value)
        position = text.find("{", end)
    return found


def _first_object(text: str) -> Any:
    if not text.lstrip("`*: \t\r\n").startswith("{") and '"' not in text:
        return None
    objects = _objects(text)
    return objects[0] if objects else None


def _last_object_call(text: str) -> ToolCall | None:
    for candidate in reversed(_objects(text)):
        call = _call_from_mapping(candidate)
        if call is not None:
            return call
    return None


def _call_from_mapping(data: Mapping[str, Any]) -> ToolCall | None:
    path = _first_value(data, _PATH_KEYS)
    if path is None:
        inner = _first_value(data, _NESTING_KEYS)
        return _call_from_mapping(inner) if isinstance(inner, dict) else None
    return _call(_first_value(data, _METHOD_KEYS) or "GET", path, _first_value(data, _BODY_KEYS))


def _first_value(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((data[key] for key in keys if data.get(key) is not None), None)


def _field_call(block: str) -> ToolCall | None:
    fields = {match[1].lower(): match[2] for match in _FIELD_LINE.finditer(block)}
    if "path" not in fields:
        return None
    return _call(fields.get("method", "GET"), fields["path"], _first_object(block))


def _call(method: Any, path: Any, body: Any) -> ToolCall | None:
    if not isinstance(method, str) or not isinstance(path, str):
        return None
    if isinstance(body, str):
        try:
            body = parse_body(body)
        except ValueError:
            return None
    if body is not None and not isinstance(body, dict):
        return None
    return ToolCall(method.strip().upper(), path.strip(), body)
