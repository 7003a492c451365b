"""What a deployment answered: JSON out of bytes, refusals in all their forms, lists in all their shapes."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

import httpx
import msgspec

from skyfall_crl.env.morpheus.http.redaction import Redaction

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Answer:
    """A decoded answer; `data` is None where the body was empty. `pause` is how long it asks to wait, in seconds."""

    status: int
    data: Any
    pause: float = 0.0


class Unusable(Exception):
    """A response that holds no answer; `reason` is `http_status`, `not_json` or `bad_json`."""

    def __init__(self, reason: str, found: str, pause: float = 0.0) -> None:
        super().__init__(found)
        self.reason = reason
        self.pause = pause


def answer_in(response: httpx.Response, redacted: Redaction) -> Answer:
    """Return the JSON in a response whatever its status; raises `Unusable` where there is none."""
    body = redacted.data(b"".join(cast("Iterable[bytes]", response.stream)))
    status = response.status_code
    named = response.headers.get("content-type", "")
    pause = 0.0 if status < 400 else _retry_after(response)
    if not body and 200 <= status < 300:
        return Answer(status, None)
    try:
        if named and not _is_json(named):
            raise Unusable("not_json", f"{_phrase(status)}, {named.partition(';')[0]!r}: {_shown(body)}")
        return Answer(status, decoded(body), pause)
    except (ValueError, RecursionError):
        problem = Unusable("bad_json", f"{_phrase(status)}, which is no JSON: {_shown(body)}")
    except Unusable as unusable:
        problem = unusable
    if 200 <= status < 300:
        raise problem
    target = f" to {response.headers['location']}" if "location" in response.headers else ""
    raise Unusable("http_status", f"{_phrase(status)}{target}: {_shown(body)}", pause)


def decoded(body: bytes) -> Any:
    """Return the data in a JSON text; raises `ValueError` or `RecursionError`.

    What JSON leaves out but servers send is read as well: halves of surrogate pairs, and NaN or endless numbers,
    which become None.
    """
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return json.loads(body, parse_constant=lambda _: None, parse_float=_finite)


def refusal(answer: Answer) -> str | None:
    """Return what a refusal says, or None for an answer that grants what was asked."""
    data = answer.data
    inner = data if isinstance(data, Mapping) else {}
    if (
        200 <= answer.status < 300
        and inner.get("success") is not False
        and not _is_failing(inner.get("status"))
    ):
        return None
    text = next(
        (inner[key] for key in ("error", "message", "details") if isinstance(inner.get(key), str)), ""
    )
    return f"{_phrase(answer.status)}, {text[:_SHOWN]!r}" if text else f"{_phrase(answer.status)}, refused"


def acted(answer: Answer) -> dict[str, Any]:
    """Return an answer to an agent's call as a mapping that always holds `success` and `status`."""
    data = answer.data
    found = dict(data) if isinstance(data, Mapping) else {} if data is None else {"data": data}
    refused = refusal(answer)
    inner = found.get("status")
    found["status"] = inner if _is_code(inner) else answer.status
    found["success"] = refused is None
    if refused is not None:
        found.setdefault("error", refused)
        found["reason"] = reason_of(answer)
    return found


def reason_of(answer: Answer) -> str:
    """Return the code of a refusal: `rejected` where the call was at fault, `http_status` where the server was."""
    at_fault = answer.status < 300 or (400 <= answer.status < 500 and answer.status not in (408, 425, 429))
    return "rejected" if at_fault else "http_status"


def created_id(data: Any) -> str | None:
    """Return the id in an answer to the creation of a world, or None where there is none."""
    inner = unwrapped(data)
    for holder in (inner.get("world") if isinstance(inner, Mapping) else None, inner):
        found = holder.get("_id", holder.get("id")) if isinstance(holder, Mapping) else None
        if isinstance(found, str) and found:
            return found
    return None


def unwrapped(data: Any) -> Any:
    """Return what an envelope holds, and anything else as it is."""
    return data["data"] if isinstance(data, Mapping) and "data" in data else data


def entries(data: Any) -> list[Any] | None:
    """Return the list in an answer, bare or in any of the deployment's five shapes, or None where there is none."""
    inner = unwrapped(data)
    if isinstance(inner, Mapping):
        inner = inner.get("items")
    return inner if isinstance(inner, list) else None


def next_page(data: Any) -> dict[str, Any] | None:
    """Return the parameters that ask for the page after this one, or None on the last."""
    inner = unwrapped(data)
    holders = [holder for holder in (inner, data) if isinstance(holder, Mapping)]
    pages = [holder["pagination"] for holder in holders if isinstance(holder.get("pagination"), Mapping)]
    for holder in (*pages, *holders):
        cursor, offset = holder.get("nextCursor"), holder.get("offset")
        if holder.get("hasMore") is False:
            continue
        if isinstance(cursor, str) and cursor:
            return {"cursor": cursor}
        if holder.get("hasMore") is True and isinstance(offset, int):
            return {"offset": offset + len(entries(data) or ())}
    return None


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def _is_code(value: Any) -> bool:
    return isinstance(value, int) and 100 <= value < 600


def _is_failing(value: Any) -> bool:
    return _is_code(value) and value >= 400


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _shown(body: bytes) -> str:
    text = " ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return repr(text[:_SHOWN]) if text else "an empty body"
