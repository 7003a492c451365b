"""A request as the routes see it: its segments decoded, its query as texts, its body as JSON data."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec

from skyfall_crl.env.morpheus.server.replies import Refusal

LAYOUTS = ("world", "layouts")
"""Where the last parameter, the name of a layout, may hold a slash."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `segments` are those of the path, none of them empty but for a slash at its end."""

    method: str
    segments: tuple[str, ...]
    query_string: str
    content: bytes

    @property
    def path(self) -> str:
        """The decoded path with a leading slash."""
        return "/" + "/".join(self.segments)

    @property
    def target(self) -> str:
        """The path with the query behind it."""
        return f"{self.path}?{self.query_string}" if self.query_string else self.path

    def query(self) -> dict[str, str | list[str]]:
        """Return the query's parameters; those that are there more than once are lists."""
        try:
            found = parse_qs(self.query_string, keep_blank_values=True, max_num_fields=1000)
        except ValueError:
            raise Refusal(400, "query: expected at most 1000 parameters, found more") from None
        return {name: values if len(values) > 1 else values[0] for name, values in found.items()}

    def json(self) -> Any:
        """Return the body's data, None where there is no body; raises `Refusal` for what is no JSON."""
        if not self.content.strip():
            return None
        try:
            return msgspec.json.decode(self.content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Refusal(400, f"body: expected JSON, found something else: {error}") from None


def request(method: str, raw_path: bytes, query: bytes, content: bytes) -> Request:
    """Return a request from what arrived; raises `Refusal` for a path that can't be one."""
    try:
        segments = tuple(unquote(part, errors="strict") for part in raw_path.decode("ascii").split("/")[1:])
        text = query.decode("ascii")
    except UnicodeDecodeError:
        raise Refusal(400, "path: expected UTF-8, percent-encoded") from None
    if any(
        "?" in part or part in (".", "..") or ("/" in part and segments[:2] != LAYOUTS) for part in segments
    ):
        raise Refusal(404, "path: expected no slash, question mark or dots as a segment")
    return Request(method, segments, text, content)
