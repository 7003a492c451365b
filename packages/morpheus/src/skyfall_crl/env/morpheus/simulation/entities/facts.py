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

UNDER_WAY, HELD, OVER = 0, 1, 2

_TAGS = {
    kind: f"{128 + position:02x}"
    for position, kind in enumerate((*ENTITY_IDS, "inventory_transaction", "tms_event"))
}


class Facts:
    """What renderers read about one order.

    `place` is the stage it is in, -1 before the first and their number once it is completed; `phase` is UNDER_WAY,
    HELD there by a fault, or OVER once it left the world. `telling` decides whether entities show what they know of a
    fault.
    """

    __slots__ = (
        "created",
        "number",
        "order",
        "phase",
        "place",
        "telling",
        "updated",
        "world",
        "world_id",
    )

    def __init__(
        self, world: World, world_id: str, order: Order, *, telling: bool = True, left: int | None = None
    ):
        minutes = world.layout.minutes_per_step
        fault = order.fault
        self.world = world
        self.world_id = world_id
        self.order = order
        self.telling = telling
        self.number = order.number
        self.phase = UNDER_WAY if fault is None else HELD
        self.place = order.stage - (fault is None)
        if left is not None:
            self.phase, self.place = OVER, left
        self.created = instant(order.entered_step, minutes)
        since = self.since(self.place) if fault is None else fault.opened_step
        if fault is not None and fault.attempts:
            since = fault.attempts[-1][1]
        self.updated = instant(since, minutes)

    @property
    def amount(self) -> float:
        """What the order is worth, in currency units."""
        return self.order.value_cents / 100

    @property
    def date(self) -> str:
        """The day the order entered."""
        return self.created[:10]

    def state(self, kind: str, otherwise: str = "") -> str:
        """Return the state of an entity by the layout's life-cycle, `otherwise` where it has none."""
        states = self.world.layout.states.get(kind)
        if states is None:
            return otherwise
        over = self.phase == OVER
        found = states.left(self.place) if over else states.at(self.place, blocked=self.phase == HELD)
        return found or otherwise

    def since(self, stage: int) -> int:
        """Return the step the order reached a stage at the earliest, no later than now."""
        entered = self.order.entered_step
        return min(entered + (self.world.layout.starts[stage] if stage >= 0 else 0), self.world.board.step)

    def reached(self, kind: str, state: str) -> str | None:
        """Return the moment an entity got into a state, or None where it has not been in it yet."""
        states = self.world.layout.states.get(kind)
        if states is None or state not in states.free:
            return None
        stage = states.free.index(state) - 1
        if stage >= self.place + (self.phase == UNDER_WAY):
            return None
        return instant(self.since(stage), self.world.layout.minutes_per_step)

    def moments(self, kind: str, **fields: str) -> Document:
        """Return the moments an entity got into the states that fields stand for, those it has been in."""
        found = {name: self.reached(kind, state) for name, state in fields.items()}
        return {name: moment for name, moment in found.items() if moment is not None}

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
