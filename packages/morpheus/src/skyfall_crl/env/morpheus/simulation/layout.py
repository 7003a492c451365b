"""What a layout is: stages that can fault, the operations that mend them, and the numbers that weigh them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skyfall_crl.env.morpheus.simulation.identifiers import order_number
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.tools import ToolCall

ENTITY_IDS: Final = {
    "order": "ORDER_{number}",
    "invoice": "INV_{number}",
    "duplicate_invoice": "INV_{number}-2",
    "payment": "PAY_{number}",
    "product": "PROD_{number}",
    "customer": "COMP_{number}",
    "shipment": "SHIP_{number}",
    "tms_shipment": "TMS_SHIP_{number}",
    "carrier": "CARRIER_{number}",
    "outbound_order": "wms_outbound-order_{number}",
    "inventory": "wms_inventory_{number}",
    "task": "wms_task_{number}",
    "cycle_count": "wms_cycle-count_{number}",
    "replenishment": "wms_replenishment_{number}",
}
"""Business ids of the entities that stand around one order, by kind."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One domain operation that mends one cause.

    `path` and `body` are templates: `{worldId}` and any kind of `ENTITY_IDS` in braces are filled in. `fields` says
    what a body must hold: `text`, `number`, `list`, `object`, or the values an enumeration allows. `decisive` are
    the values without which the operation is another one, `excluded` the keys that make it another one; `link` is
    the body's key that names the entity where the path names none. `varies` tells whether the body names the order.
    """

    name: str
    summary: str
    method: str
    path: str
    entity: str
    body: Mapping[str, Any] | None = None
    fields: Mapping[str, str | tuple[str, ...]] = field(default_factory=lambda: EMPTY)
    decisive: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    excluded: tuple[str, ...] = ()
    link: str | None = None
    creates: bool = False
    varies: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "varies", "{number}" in str(self.body))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A linked entity a fault shows itself in, and how it is read."""

    entity: str
    path: str
    summary: str


@dataclass(frozen=True, slots=True)
class Symptom:
    """A stage of the process, how it fails, and what is behind it.

    Remedy r mends cause r. `clue` is a figure in the first entity of `evidence`; the second holds one figure for
    each cause, under the names of `candidates`, and the one that equals the clue names the cause.
    """

    stage: str
    duration_steps: int
    title: str
    failure_type: str
    causes: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    evidence: tuple[Evidence, Evidence]
    clue: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A named setting of the axes: per symptom, how likely each cause is and what lateness costs."""

    name: str
    cause_mix: tuple[tuple[float, ...], ...]
    late_rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A process as data; symptom s belongs to stage s.

    `priority_quarters` are priority weights in quarters, `value_cents` the range an order's value is drawn from,
    `value_unit_cents` what counts as 1 in `leak_reference`, `reward` the weights of the spec `morpheus/paper`.
    """

    name: str
    version: int
    title: str
    description: str
    symptoms: tuple[Symptom, ...]
    delivered_after: int
    configurations: tuple[Configuration, ...]
    fault_probability: float
    demand: float
    value_cents: tuple[int, int]
    priorities: tuple[str, ...] = ("low", "medium", "high", "critical")
    priority_quarters: tuple[int, ...] = (1, 2, 3, 4)
    value_unit_cents: int = 100
    horizon_steps: int = 96
    leak_reference: int = 60
    delivered_reference: int = 2
    minutes_per_step: int = 30
    look_steps: int = 2
    reward: tuple[tuple[str, float], ...] = (("remediation", 0.5), ("financial", 0.3), ("throughput", 0.2))
    regime_axes: tuple[str, ...] = ("cause_mix", "payment_terms", "fault_probability", "demand")

    @property
    def causes(self) -> int:
        """How many causes, and so remedies, each symptom has."""
        return len(self.symptoms[0].causes)

    @property
    def steps_per_day(self) -> int:
        """World steps in one simulated day."""
        return 24 * 60 // self.minutes_per_step

    @property
    def priority_weights(self) -> tuple[float, ...]:
        """What mending a fault of each priority is worth at once, in (0, 1]."""
        return tuple(quarters / 4 for quarters in self.priority_quarters)

    def configuration(self, name: str) -> Configuration | None:
        """Return a configuration by name."""
        for configuration in self.configurations:
            if configuration.name == name:
                return configuration
        return None

    def remedy_call(self, symptom: int, remedy: int, ticket_id: str) -> ToolCall:
        """Return the operation that applies a remedy to a ticket; the world is left as a placeholder."""
        template = self.symptoms[symptom].remedies[remedy]
        number = str(order_number(ticket_id))
        body = template.body
        if body is not None and template.varies:
            body = _filled(body, number)
        return ToolCall(template.method, template.path.replace("{number}", number), body)

    def look_calls(self, symptom: int, ticket_id: str) -> tuple[ToolCall, ToolCall]:
        """Return the two reads after which `diagnose` knows the cause of a ticket."""
        number = str(order_number(ticket_id))
        first, second = self.symptoms[symptom].evidence
        return (
            ToolCall("GET", first.path.replace("{number}", number)),
            ToolCall("GET", second.path.replace("{number}", number)),
        )

    def diagnose(self, symptom: int, first: Mapping[str, Any], second: Mapping[str, Any]) -> int | None:
        """Return the cause the two linked entities show together, or None when they show none.

        `first` and `second` are the answers to `look_calls`, in order, with or without their envelope.
        """
        clue = _figures(first).get(self.symptoms[symptom].clue)
        figures = _figures(second)
        if clue is None:
            return None
        for cause, name in enumerate(self.symptoms[symptom].candidates):
            if figures.get(name) == clue:
                return cause
        return None


def named(template: str) -> str:
    """Return a path or text with every kind of entity in braces replaced by the form of its id."""
    for kind, form in ENTITY_IDS.items():
        template = template.replace(f"{{{kind}}}", form)
    return template


def _filled(template: Mapping[str, Any], number: str) -> dict[str, Any]:
    return {key: _filled_value(value, number) for key, value in template.items()}


def _filled_value(value: Any, number: str) -> Any:
    if isinstance(value, str):
        return value.replace("{number}", number)
    if isinstance(value, Mapping):
        return _filled(value, number)
    if isinstance(value, (list, tuple)):
        return [_filled_value(item, number) for item in value]
    return value


def _figures(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    body = answer.get("data", answer)
    if isinstance(body, Mapping):
        body = body.get("shipment", body)
    figures = body.get("customFields") if isinstance(body, Mapping) else None
    return figures if isinstance(figures, Mapping) else EMPTY
