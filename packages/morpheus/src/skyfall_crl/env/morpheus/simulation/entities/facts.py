"""What is known of one order when an entity around it is read, and what a fault's linked entities show."""

from typing import Any

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.orders import Order
from skyfall_crl.env.morpheus.simulation.templates import ENTITY_IDS

SITE = "wms_warehouse_1"
QUANTITY = 12
ADDRESS = {"street1": "1 Dock Road", "city": "Aachen", "state": "NW", "country": "DE"}

Document = dict[str, Any]

_TAGS = {
    kind: f"{128 + position:02x}"
    for position, kind in enumerate((*ENTITY_IDS, "inventory_transaction", "tms_event"))
}


class Facts:
    """What renderers read about one order; `telling` decides whether entities show what they know of a fault."""

    __slots__ = ("created", "number", "order", "telling", "updated", "world", "world_id")

    def __init__(self, world: World, world_id: str, order: Order, *, telling: bool):
        minutes = world.layout.minutes_per_step
        self.world = world
        self.world_id = world_id
        self.order = order
        self.telling = telling
        self.number = order.number
        self.created = instant(order.entered_step, minutes)
        self.updated = instant(world.board.step, minutes)

    @property
    def amount(self) -> float:
        """What the order is worth, in currency units."""
        return self.order.value_cents / 100

    @property
    def date(self) -> str:
        """The day the order entered."""
        return self.created[:10]

    def stamped(self, kind: str, document: Document) -> Document:
        """Return a document with the keys every entity has."""
        document["_id"] = f"{self.world.prefix}{self.number:08x}{_TAGS[kind]}"
        document["createdAt"] = self.created
        document["updatedAt"] = self.updated
        if self.telling:
            figures = evidence_figures(self.world, self.order.fault, kind)
            if figures:
                document["customFields"] = figures
        return document


def evidence_figures(world: World, fault: Fault | None, kind: str) -> dict[str, int]:
    """Return the figures an entity shows of a fault: the clue, or one candidate for each cause.

    Which figure stands for which cause is turned by a draw that the cause does not depend on, so that neither
    entity alone tells the cause and the two together do.
    """
    if fault is None:
        return {}
    symptom = world.layout.symptoms[fault.symptom]
    draw, causes = fault.evidence_draw, len(symptom.candidates)
    turn = draw % causes
    if kind == symptom.evidence[0].entity:
        return {symptom.clue: _figure(draw, (fault.cause + turn) % causes)}
    if kind == symptom.evidence[1].entity:
        return {name: _figure(draw, (cause + turn) % causes) for cause, name in enumerate(symptom.candidates)}
    return {}


def _figure(draw: int, index: int) -> int:
    figure = 2
    for place in range(index):
        figure += 1 + (draw >> 4 * place & 3)
    return figure + (draw >> 12 & 3)
