"""Faults: what blocks an order, why, and what was tried; its cause is known to nobody who only reads tickets."""

from skyfall_crl.env.morpheus.simulation.orders import Order

OPEN, MENDED, LOST = 0, 1, 2


class Fault:
    """A blocked stage of one order, with the fields of an open ticket.

    `symptom` is the stage's, `tried` has bit r set when remedy r was applied in vain, `attempts` says when. A closed
    fault is MENDED or, when its order ran out of time, LOST.
    """

    __slots__ = (
        "attempts",
        "cause",
        "closed_step",
        "opened_step",
        "order",
        "priority",
        "state",
        "symptom",
        "ticket_id",
        "tried",
        "value_cents",
    )

    def __init__(self, order: Order, symptom: int, opened_step: int, cause: int, ticket_id: str):
        self.order = order
        self.symptom = symptom
        self.opened_step = opened_step
        self.cause = cause
        self.ticket_id = ticket_id
        self.priority = order.priority
        self.value_cents = order.value_cents
        self.tried = 0
        self.attempts: list[tuple[int, int]] = []
        self.state = OPEN
        self.closed_step = -1

    def note_attempt(self, remedy: int, step: int) -> None:
        """Record that a remedy did not mend this fault; a second time adds nothing."""
        if not self.tried >> remedy & 1:
            self.tried |= 1 << remedy
            self.attempts.append((remedy, step))

    @property
    def traits(self) -> tuple[int, ...]:
        """The order's value of each trait of the layout, by its place among the values."""
        return self.order.traits

    @property
    def turn(self) -> int:
        """By how many places the order's traits turn the causes of this symptom."""
        return self.order.turns[self.symptom]

    @property
    def evidence_draw(self) -> int:
        """The draw behind the figures its evidence shows; its low digits say nothing about the cause."""
        return self.order.draws[2 * self.symptom + 1]
