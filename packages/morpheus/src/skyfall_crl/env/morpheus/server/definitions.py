"""How a world is defined on the wire: what its creator said of it, kept beside the world itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from skyfall_crl.env.morpheus.server.replies import BEGINNING, Refusal

DEFAULT_LAYOUT = "process-outbound"
DEFAULT_REAL_HOURS = 2.0

_KEPT = ("description", "url", "mpcCompany", "samplingStrategy", "capabilityIds", "personas")


@dataclass(frozen=True, slots=True)
class Definition:
    """What is known of a world beyond its state.

    `ordinal` orders worlds by their creation. `kept` has no effect and is read back. Credentials
    that a creator sends are not kept.
    """

    name: str
    layout: str
    ordinal: int
    is_default: bool = False
    real_hours_per_day: float = DEFAULT_REAL_HOURS
    kept: dict[str, Any] = field(default_factory=dict)

    def changed(self, body: Mapping[str, Any]) -> "Definition":
        """Return it with what a checked body says; raises `Refusal` for what a simulated world can't become."""
        hours = body.get("realHoursPerSimDay")
        if hours is not None and not 0 < hours <= 10_000:
            raise Refusal(400, f"body.realHoursPerSimDay: expected hours from 0 to 10000, found {hours}")
        layout = body.get("layout")
        if layout not in (None, self.layout):
            raise Refusal(
                400,
                f"body.layout: expected {self.layout}, which this world was built from, found {layout!r:.60}",
            )
        if body.get("ticketCreationEnabled") is False:
            raise Refusal(501, "body.ticketCreationEnabled: a simulated world always opens tickets")
        return replace(
            self,
            name=body.get("name") or self.name,
            is_default=bool(body.get("is_default", self.is_default)),
            real_hours_per_day=self.real_hours_per_day if hours is None else float(hours),
            kept=self.kept | {key: body[key] for key in _KEPT if body.get(key) is not None},
        )

    def document(self, world_id: str, chaos: Mapping[str, Any], now: str) -> dict[str, Any]:
        """Return the world as the wire has it; `now` is its own time."""
        return {
            "_id": world_id,
            "name": self.name,
            "url": "",
            "layout": self.layout,
            "is_default": self.is_default,
            "realHoursPerSimDay": self.real_hours_per_day,
            "ticketCreationEnabled": True,
            **self.kept,
            "chaos": complete_policy(chaos),
            "createdAt": BEGINNING,
            "updatedAt": now,
        }

    def state(self) -> dict[str, Any]:
        """Return the definition as plain data."""
        return {
            "name": self.name,
            "layout": self.layout,
            "ordinal": self.ordinal,
            "is_default": self.is_default,
            "real_hours_per_day": self.real_hours_per_day,
            "kept": self.kept,
        }


def complete_policy(chaos: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chaos document with every key that a policy must have beside the switches."""
    return {"enabled": False, "probability": 0.0, "scenarios": [], **chaos}
