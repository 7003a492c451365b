"""A deployment as an operator sees it: reached with headers by reference, read within one deadline, shown as text."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from skyfall_crl.config.secret import REFERENCE, resolve_secrets
from skyfall_crl.env.morpheus.http.address import segment, with_query
from skyfall_crl.env.morpheus.http.answers import unwrapped
from skyfall_crl.env.morpheus.http.caller import Caller
from skyfall_crl.env.morpheus.http.redaction import Redaction
from skyfall_crl.env.morpheus.http_backend import MAX_PAGES
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.errors import ConfigError

PAGE = 100
"""How many worlds are asked for at once."""


@dataclass(frozen=True, slots=True)
class WorldRow:
    """A world in a list; what the deployment doesn't say is `-`."""

    id: str
    name: str
    layout: str


class Deployment:
    """Reads the worlds of one deployment; all reads of one object share a deadline of `timeout` seconds.

    `headers` are `NAME=VALUE` texts with the value, or a part of it, by `${env:NAME}` or `${file:PATH}`. Raises
    `ConfigError` for arguments that can't work, also where a value is in clear, which no message repeats.
    """

    def __init__(self, url: str, headers: Sequence[str], timeout: float) -> None:
        self.references = references_in(headers)
        given = resolve_secrets(dict(self.references), "--header")
        self._redacted = Redaction(given.values())
        self.caller = Caller(url, timeout, given)
        self._deadline = self.caller.deadline()

    @property
    def url(self) -> str:
        """Where the deployment answers."""
        return self.caller.base_url

    def read(self, target: str) -> Any:
        """Read a target and return what its envelope holds; raises `BackendError`."""
        return unwrapped(self.caller.read(target, self._deadline))

    def worlds(self) -> tuple[list[WorldRow], bool]:
        """Return the worlds in the deployment's order, and whether there are more; raises `BackendError`."""
        found: list[WorldRow] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            target = with_query("/world", {"limit": PAGE, "cursor": cursor})
            data = self.read(target)
            listed = data.get("worlds") if isinstance(data, Mapping) else data
            if not isinstance(listed, list):
                raise self.caller.failure("GET", target, "a list of worlds", data)
            found += [self._row(world) for world in listed if isinstance(world, Mapping)]
            after = data.get("nextCursor") if isinstance(data, Mapping) else None
            if not isinstance(after, str) or after in ("", cursor):
                return found, False
            cursor = after
        return found, True

    def world(self, world_id: str) -> WorldRow:
        """Return one world; raises `BackendError` where there is none of this id."""
        target = f"/world/{segment(world_id)}"
        data = self.read(target)
        if not isinstance(data, Mapping):
            raise self.caller.failure("GET", target, "a world", data)
        return self._row({"_id": world_id, **data})

    def status(self, world_id: str) -> str:
        """Return how a world's schedules stand, `operational`, `paused` or `partial`; `-` where nobody says."""
        try:
            data = self.read(f"/{segment(world_id)}/od/schedules/status")
        except BackendError:
            return "-"
        return self.shown(data.get("status")) if isinstance(data, Mapping) else "-"

    def delete(self, world_id: str) -> None:
        """Delete a world for good, in one request; raises `BackendError`."""
        self.caller.write("DELETE", f"/world/{segment(world_id)}", deadline=self._deadline)

    def shown(self, value: Any) -> str:
        """Return what a deployment says as text for a terminal: one line, printable, and no header's value in it."""
        if not isinstance(value, str) or not value.strip():
            return "-"
        return self._redacted("".join(sign if sign.isprintable() else "?" for sign in value))

    def _row(self, world: Mapping[str, Any]) -> WorldRow:
        found = (world.get("_id", world.get("id")), world.get("name"), world.get("layout"))
        return WorldRow(*(self.shown(value) for value in found))


@contextmanager
def reached(url: str, headers: Sequence[str], timeout: float) -> Iterator[Deployment]:
    """Open a deployment and close its connections at the end; raises as `Deployment` does."""
    deployment = Deployment(url, headers, timeout)
    try:
        yield deployment
    finally:
        deployment.caller.close()


def references_in(headers: Sequence[str]) -> dict[str, str]:
    """Return headers by name, as given; raises `ConfigError` for one that holds no reference, without repeating it."""
    found: dict[str, str] = {}
    for header in headers:
        name, _, value = header.partition("=")
        if not name or not REFERENCE.search(value):
            raise ConfigError(
                "--header: expected NAME=VALUE with the value by reference, such as "
                "'Authorization=Bearer ${env:TOKEN}', found one in clear"
            )
        found[name] = value
    return found
