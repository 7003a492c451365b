"""Operations and reads as templates, filled in with the number of an order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skyfall_crl.ports.plain import EMPTY

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
    "purchase_order": "ORDER_{number}-P",
    "supplier": "COMP_{number}-S",
    "inbound_order": "wms_inbound-order_{number}",
    "receiving": "wms_receiving-transaction_{number}",
    "lot": "wms_inventory_{number}",
    "dock_task": "wms_task_{number}",
    "dock_door": "wms_dock-door_{number}",
    "bin": "wms_bin_{number}",
    "zone": "wms_zone_{number}",
    "trailer": "TRAILER_{number}",
    "finance_transaction": "TRANS_{number}",
    "wms_shipment": "wms_shipment_{number}",
    "edi_850": "EDI_{number}-850",
    "edi_855": "EDI_{number}-855",
    "edi_856": "EDI_{number}-856",
    "edi_810": "EDI_{number}-810",
    "edi_820": "EDI_{number}-820",
}
"""Business ids of the entities that stand around one order, by kind."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One domain operation that mends one cause.

    `operation` is a verb and a path; path and `body` are templates: `{worldId}`, `{number}` (the order's) and any
    kind of `ENTITY_IDS` in braces are filled in. A body must have the keys of the template but for the `optional`
    ones, with values of the same kind or among `choices`; the values of `decisive` keys must be the template's, else
    the operation is another one, as it is with a key of `excluded`. `link` is the body's key that names the entity
    where the path names none. `entity` is what is answered, by default what the path names.

    Derived are `method` and `path`; `fields`, what each key must hold: `text`, `number`, `list`, `object` or one of the
    values allowed; and `varies`, whether the body names the order.
    """

    name: str
    summary: str
    operation: str
    body: Mapping[str, Any] | None = None
    entity: str = ""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: EMPTY)
    decisive: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    link: str | None = None
    creates: bool = False
    method: str = field(init=False)
    path: str = field(init=False)
    fields: Mapping[str, str | tuple[str, ...]] = field(init=False)
    varies: bool = field(init=False)

    def __post_init__(self) -> None:
        method, _, path = self.operation.partition(" ")
        body = None if self.body is None else mapped(self.body, named)
        fields = {key: self.choices.get(key) or _kind(value) for key, value in (body or {}).items()}
        for key in self.optional:
            del fields[key]
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "path", named(path))
        object.__setattr__(self, "entity", self.entity or path.rpartition("{")[2].partition("}")[0])
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "varies", "{number}" in str(body))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A linked entity a fault shows itself in, and how it is read; `path` is a template as in `Remedy`."""

    entity: str
    path: str
    summary: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", named(self.path))


def named(template: str) -> str:
    """Return a path or text with every kind of entity in braces replaced by the form of its id."""
    for kind, form in ENTITY_IDS.items():
        template = template.replace(f"{{{kind}}}", form)
    return template


def mapped(template: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return a template with every text in it changed."""
    return {key: _mapped_value(value, change) for key, value in template.items()}


def _mapped_value(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return mapped(value, change)
    if isinstance(value, (list, tuple)):
        return [_mapped_value(item, change) for item in value]
    return value


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, (list, tuple)):
        return "list"
    return "object" if isinstance(value, Mapping) else "number"
