"""What goes back to a client: JSON in the wire's envelopes, refusals, and bytes of other kinds."""

from dataclasses import dataclass
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.simulation.clock import instant

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
BEGINNING = instant(0, 1)
"""The moment in the meta data of answers that belong to no world: nothing here reads the machine's clock."""

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer as it is sent."""

    status: int
    body: bytes
    kind: bytes = JSON
    headers: Headers = ()


class Refusal(Exception):
    """A request that is turned down, with the status and the headers it is answered with."""

    def __init__(self, status: int, error: str, headers: Headers = ()) -> None:
        super().__init__(error)
        self.status = status
        self.headers = headers


def bare(data: Any, status: int = 200) -> Reply:
    """Return data without an envelope."""
    return Reply(status, msgspec.json.encode(data))


def enveloped(data: Any, at: str = BEGINNING, **beside: Any) -> Reply:
    """Return data in the envelope of a success; `beside` stands next to it."""
    meta = {"event": "message", "timestamp": at}
    return bare({"success": True, "status": 200, "data": data, **beside, "meta": meta})


def refused(status: int, error: str, headers: Headers = (), at: str = BEGINNING) -> Reply:
    """Return the envelope of an error."""
    meta = {"event": "error", "timestamp": at}
    body = {"success": False, "status": status, "error": error, "meta": meta}
    return Reply(status, msgspec.json.encode(body), JSON, headers)
