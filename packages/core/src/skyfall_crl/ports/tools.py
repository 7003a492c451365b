"""Tool calls: what an agent proposes, what became of it, and how a tool is described."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skyfall_crl.ports.plain import EMPTY

WORLD_PLACEHOLDERS = (
    "{worldId}",
    "{world_id}",
    "{world}",
    ":worldId",
    ":world_id",
    "<worldId>",
    "<world_id>",
)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One domain operation against a world.

    `method` is an HTTP verb, `path` starts with `/` and may hold a world placeholder, `body` is JSON data.
    """

    method: str
    path: str
    body: Mapping[str, Any] | None = None

    def resolved(self, world_id: str) -> "ToolCall":
        """Return the call with an upper-case verb and the world's id in place of any placeholder."""
        path = self.path
        for placeholder in WORLD_PLACEHOLDERS:
            if placeholder in path:
                path = path.replace(placeholder, world_id)
        return ToolCall(self.method.strip().upper(), path, self.body)


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """What became of a proposed action.

    `accepted` is False when the scope, the parser or the world refused it; `reason` is then a short code such as
    `out_of_scope`, `unparsed` or `rejected`. `sent` tells whether the world was asked at all.
    """

    accepted: bool
    sent: bool = False
    reason: str | None = None
    status: int | None = None
    tickets: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=lambda: EMPTY)

    def to_row(self) -> dict[str, Any]:
        """Return the trace form: `accepted` always, every other field only when it says something."""
        row: dict[str, Any] = {"accepted": self.accepted}
        if self.sent:
            row["sent"] = True
        if self.reason is not None:
            row["reason"] = self.reason
        if self.status is not None:
            row["status"] = self.status
        if self.tickets:
            row["tickets"] = list(self.tickets)
        if self.verified:
            row["verified"] = list(self.verified)
        if self.details:
            row["details"] = dict(self.details)
        return row


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool an agent can be offered; `input_schema` is a JSON Schema object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
