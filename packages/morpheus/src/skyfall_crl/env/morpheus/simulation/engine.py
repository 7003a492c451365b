"""The engine: orders move through their stages step by step, fault, are mended or lost."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.simulation import chronicle
from skyfall_crl.env.morpheus.simulation.axes import completed, conditions
from skyfall_crl.env.morpheus.simulation.chronicle import Chronicle
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.identifiers import object_id, object_prefix, parts
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.obligations import Obligations
from skyfall_crl.env.morpheus.simulation.orders import Arrivals, Order, OrderBook

_CLOSED_KEPT = 64


class Board:
    """Open tickets by symptom, oldest first; `step` is the step about to be taken.

    `edited` says that agents wrote into tickets or made some, so that the tickets say other things than the board.
    """

    __slots__ = ("blocked_cents", "edited", "queues", "step")

    def __init__(self, symptoms: int, blocked_cents: list[int]):
        self.step = 0
        self.edited = False
        self.queues: list[deque[Fault]] = [deque() for _ in range(symptoms)]
        self.blocked_cents = blocked_cents


class World:
    """One world: `mend` is what an agent may do in a step, `advance` is the world's own move that ends it.

    A step never reads a clock, and an order's faults don't depend on actions: two worlds of one seed under the same
    axes meet the same faults at the same stages, however they are worked.
    """

    def __init__(self, layout: Layout, seed: int):
        self.layout = layout
        self.seed = seed
        self.obligations = Obligations(layout)
        self.chronicle = Chronicle(len(layout.symptoms))
        self.board = Board(len(layout.symptoms), self.obligations.blocked_cents)
        self.axes: dict[str, Any] = {}
        self.faulting = True
        self.next_order = 0
        self.orders: dict[int, Order] = {}
        self.blocked: dict[int, Fault] = {}
        self.closed: dict[str, Fault] = {}
        self.remedied = False
        self.failed = False
        self.prefix = object_prefix(seed)
        self.calendar: list[list[Order]] = [[] for _ in range(self._horizon())]
        self._order_book = OrderBook(layout, seed)
        self._arrivals = Arrivals(seed)
        self._causes = layout.causes
        self._durations = tuple(symptom.duration_steps for symptom in layout.symptoms)
        self.configure({})

    def configure(self, axes: Mapping[str, Any], *, faulting: bool = True) -> None:
        """Set every axis, those not named to the layout's default; raises `BackendError` and changes nothing."""
        axes = completed(self.layout, axes)
        self.conditions = conditions(self.layout, axes, faults=faulting)
        self.obligations.charge(self.conditions.late_rates)
        self.axes = axes
        self.faulting = faulting

    def mend(self, fault: Fault, remedy: int) -> bool:
        """Apply a remedy to an open fault and tell whether it was the right one; a wrong one is noted on it."""
        step = self.board.step
        if fault.cause != remedy:
            fault.note_attempt(remedy, step)
            self.failed = True
            return False
        self._release(fault, step, step + 1)
        self.chronicle.events.append((step, fault.order.number, fault.symptom, chronicle.MENDED))
        self.remedied = True
        return True

    def relieve(self, fault: Fault) -> None:
        """Mend a fault in the very step it appeared, as no crew can: what bounds are made of."""
        self._release(fault, fault.opened_step, self.board.step)

    def begin(self) -> None:
        """Start a step; what the last one earned and delivered is over."""
        self.remedied = False
        self.failed = False
        self.obligations.earned = 0
        self.obligations.delivered = 0

    def advance(self) -> None:
        """Move the world one step: orders enter, finish stages or fault, and blocked ones run out of time."""
        board, now = self.board, self.conditions
        step = board.step
        entering = now.arrivals + (self._arrivals.draw(step) < now.arrival_threshold)
        for _ in range(entering):
            self._enter(step)
        slot = step % len(self.calendar)
        due = self.calendar[slot]
        if due:
            self.calendar[slot] = []
            self._go_on(due, step)
        self._lose_overdue(step)
        self.obligations.settle()
        board.step = step + 1

    def signals(self) -> tuple[float, float, float]:
        """Return remediation, financial and throughput of the last step, each in [0, 1]."""
        return self.obligations.signals(self.layout.delivered_reference)

    def fault_of(self, ticket_id: str) -> Fault | None:
        """Return the open or lately closed fault behind a ticket."""
        known = parts(ticket_id)
        fault = self.blocked.get(known[1]) if known else None
        if fault is not None and fault.ticket_id == ticket_id:
            return fault
        return self.closed.get(ticket_id)

    def block(self, fault: Fault) -> None:
        """Stop an order at a fault."""
        fault.order.fault = fault
        self.blocked[fault.order.number] = fault
        self.board.queues[fault.symptom].append(fault)
        self.obligations.block(fault)

    def schedule(self, order: Order, step: int) -> None:
        """Let an order go on at a later step, in the stage it has."""
        self.calendar[step % len(self.calendar)].append(order)

    def draw_order(self, number: int, entered_step: int) -> Order:
        """Return an order as it was when it entered."""
        return self._order_book.draw(number, entered_step)

    def _enter(self, step: int) -> None:
        order = self.draw_order(self.next_order, step)
        self.next_order += 1
        self.orders[order.number] = order
        self.schedule(order, step + 1)

    def _go_on(self, due: list[Order], step: int) -> None:
        calendar, durations, book = self.calendar, self._durations, self.obligations
        faults, causes = self.conditions.faults, self.conditions.causes
        length, last, delivered_at = len(calendar), len(durations), self.layout.delivered_after + 1
        kinds = self._causes
        for order in due:
            stage = order.stage
            if stage == delivered_at:
                book.delivered += 1
            if stage == last:
                book.collected_cents += order.value_cents
                del self.orders[order.number]
                self.chronicle.finish(order, step, last)
            elif order.draws[2 * stage] >= faults[stage]:
                order.stage = stage + 1
                calendar[(step + durations[stage]) % length].append(order)
            else:
                draw = order.draws[2 * stage + 1]
                cause = 0
                for threshold in causes[stage]:
                    cause += draw >= threshold
                cause = (cause + order.turns[stage]) % kinds
                self.block(Fault(order, stage, step, cause, object_id(self.prefix, order.number, stage)))
                self.chronicle.events.append((step, order.number, stage, chronicle.OPENED))

    def _lose_overdue(self, step: int) -> None:
        blocked, latest = self.blocked, step - self.layout.horizon_steps
        while blocked:
            fault = next(iter(blocked.values()))
            if fault.opened_step > latest:
                return
            self.board.queues[fault.symptom].popleft()
            self.obligations.lose(fault, step)
            self._forget(fault)
            del self.orders[fault.order.number]
            self.chronicle.finish(fault.order, step, fault.symptom)
            self.chronicle.events.append((step, fault.order.number, fault.symptom, chronicle.LOST))

    def _release(self, fault: Fault, step: int, go_on_step: int) -> None:
        self.board.queues[fault.symptom].remove(fault)
        self.obligations.mend(fault, step)
        self._forget(fault)
        fault.order.stage += 1
        self.schedule(fault.order, go_on_step)

    def _forget(self, fault: Fault) -> None:
        del self.blocked[fault.order.number]
        self.closed[fault.ticket_id] = fault
        if len(self.closed) > _CLOSED_KEPT:
            del self.closed[next(iter(self.closed))]

    def _horizon(self) -> int:
        longest = 0
        for symptom in self.layout.symptoms:
            longest = max(longest, symptom.duration_steps)
        return longest + 2
