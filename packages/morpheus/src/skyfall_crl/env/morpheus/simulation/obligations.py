"""The book of obligations: what blocked orders owe by the step, and what mending a fault pays, once."""

from skyfall_crl.env.morpheus.simulation.faults import LOST, MENDED, OPEN, Fault
from skyfall_crl.env.morpheus.simulation.layout import Layout

RATE_UNIT = 1_000_000
"""Late rates are held in millionths."""


class Obligations:
    """Money and merit of one world, in integers.

    An obligation accrues from the step its order is blocked until the fault is mended or the order lost, whatever an
    agent does to the entities around it: nothing here is read from a field an agent can write.

    `blocked_cents` is the value blocked by symptom. `leak` is cents x millionths, `earned` quarters of priority x
    steps left, `delivered` units, each of the last step alone.
    """

    __slots__ = (
        "_accruing",
        "_horizon",
        "_late_rates",
        "_leak_reference",
        "_quarters",
        "blocked_cents",
        "collected_cents",
        "delivered",
        "earned",
        "leak",
        "lost_cents",
    )

    def __init__(self, layout: Layout):
        self._horizon = layout.horizon_steps
        self._quarters = layout.priority_quarters
        self._leak_reference = layout.leak_reference * layout.value_unit_cents * RATE_UNIT
        self._late_rates = (0,) * len(layout.symptoms)
        self._accruing = 0
        self.blocked_cents = [0] * len(layout.symptoms)
        self.collected_cents = 0
        self.lost_cents = 0
        self.delivered = 0
        self.earned = 0
        self.leak = 0

    def charge(self, late_rates: tuple[int, ...]) -> None:
        """Set what a blocked cent costs a step, by symptom; it holds for what is blocked already."""
        self._late_rates = late_rates
        self._accruing = 0
        for cents, rate in zip(self.blocked_cents, late_rates, strict=True):
            self._accruing += cents * rate

    def block(self, fault: Fault) -> None:
        """Start the obligation of a fault's order."""
        self.blocked_cents[fault.symptom] += fault.value_cents
        self._accruing += fault.value_cents * self._late_rates[fault.symptom]

    def mend(self, fault: Fault, step: int) -> None:
        """End an obligation and pay for it; a fault that is closed already pays nothing."""
        if fault.state != OPEN:
            return
        self.earned += self._quarters[fault.priority] * (self._horizon - (step - fault.opened_step))
        self._close(fault, MENDED, step)

    def lose(self, fault: Fault, step: int) -> None:
        """End an obligation at its horizon."""
        self.lost_cents += fault.value_cents
        self._close(fault, LOST, step)

    def settle(self) -> None:
        """Let the step end: what is blocked now is what it leaked."""
        self.leak = self._accruing

    def signals(self, delivered_reference: int) -> tuple[float, float, float]:
        """Return remediation, financial and throughput of the last step, each in [0, 1]."""
        reference = self._leak_reference
        remediation = self.earned / (4 * self._horizon)
        financial = (reference - min(self.leak, reference)) / reference
        return remediation, financial, min(self.delivered, delivered_reference) / delivered_reference

    def _close(self, fault: Fault, state: int, step: int) -> None:
        self.blocked_cents[fault.symptom] -= fault.value_cents
        self._accruing -= fault.value_cents * self._late_rates[fault.symptom]
        fault.state = state
        fault.closed_step = step
        fault.order.fault = None
