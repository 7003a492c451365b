"""The financial and throughput figures of a world, put together from what a deployment records.

A deployment records no planned cost, no realised cost and no capacity. What stands for them: every issued invoice is
receivable as planned and what was not paid is the shortfall; the quoted base freight is planned and surcharges are the
overrun; completed orders and delivered shipments are units. All are levels over what the reads returned.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skyfall_crl.env.morpheus import wire_records
from skyfall_crl.env.morpheus.tickets import listed
from skyfall_crl.env.morpheus.wire_records import Memory, Record

PAGE = 500
"""How many entities a read asks for; what lies beyond the page counts where the deployment says how many there are."""

_SHIPMENT_STATUSES = (
    "PLANNED,TENDERED,ACCEPTED,PICKED_UP,IN_TRANSIT,OUT_FOR_DELIVERY,DELIVERED,DELAYED,EXCEPTION,CANCELLED"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One read the figures are made of; `read` turns an answer into records and never raises."""

    name: str
    path: str
    params: Mapping[str, Any] = field(hash=False)
    read: Callable[[Any, Memory | None], list[Record]]


SOURCES: tuple[Source, ...] = (
    Source("invoices", "/{worldId}/erp/invoices", {"limit": PAGE}, wire_records.invoices),
    Source(
        "shipments",
        "/{worldId}/tms/shipments",
        {"status": _SHIPMENT_STATUSES, "limit": PAGE},
        wire_records.shipments,
    ),
    Source("orders", "/{worldId}/erp/orders", {"status": "COMPLETED", "limit": PAGE}, wire_records.orders),
)


@dataclass(frozen=True, slots=True)
class FinancialState:
    """The figures as they stand, money in cents; `missing` names the sources that gave nothing and so count zero."""

    receivable_planned_cents: int = 0
    receivable_paid_cents: int = 0
    freight_planned_cents: int = 0
    freight_overrun_cents: int = 0
    units_processed: int = 0
    missing: tuple[str, ...] = ()

    @classmethod
    def from_answers(cls, answers: Mapping[str, Any]) -> "FinancialState":
        """Put the figures together from raw answers by the names of `SOURCES`; never raises.

        An answer that is absent, an error object or no list is a missing source.
        """
        found = {source.name: read_source(source, answers.get(source.name)) for source in SOURCES}
        return cls.from_records(found, wire_records.total_count(answers.get("orders")))

    @classmethod
    def from_records(
        cls, found: Mapping[str, Sequence[Record] | None], orders_counted: int | None = None
    ) -> "FinancialState":
        """Put the figures together from records, None for a source that is missing.

        `orders_counted` is how many completed orders the deployment says there are, where it does.
        """
        invoices, shipments, orders = (found.get(source.name) or () for source in SOURCES)
        completed = sum(order.figures.done for order in orders)
        if orders_counted is not None and found.get("orders") is not None and completed == len(orders):
            completed = max(completed, orders_counted)
        return cls(
            sum(invoice.figures.planned for invoice in invoices),
            sum(invoice.figures.settled for invoice in invoices),
            sum(shipment.figures.planned for shipment in shipments),
            sum(shipment.figures.overrun for shipment in shipments),
            completed + sum(shipment.figures.done for shipment in shipments),
            tuple(source.name for source in SOURCES if found.get(source.name) is None),
        )

    @property
    def shortfall_cents(self) -> int:
        """What was invoiced and is not paid."""
        return self.receivable_planned_cents - self.receivable_paid_cents

    @property
    def payment_timeliness(self) -> float:
        """Share of what was invoiced that is paid, in [0, 1]; 0 where nothing was."""
        return self.receivable_paid_cents / max(1, self.receivable_planned_cents)

    @property
    def freight_efficiency(self) -> float:
        """Share of the freight paid for that was quoted, in [0, 1]; 0 where there is none."""
        spent = self.freight_planned_cents + self.freight_overrun_cents
        return self.freight_planned_cents / max(1, spent)

    @property
    def amounts(self) -> tuple[float, float, float, float, float]:
        """The five figures in the order of an observation's `economics`, money in currency units."""
        return (
            self.receivable_planned_cents / 100,
            self.receivable_paid_cents / 100,
            self.freight_planned_cents / 100,
            self.freight_overrun_cents / 100,
            float(self.units_processed),
        )

    def to_row(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        row: dict[str, Any] = {
            "receivable_planned_cents": self.receivable_planned_cents,
            "receivable_paid_cents": self.receivable_paid_cents,
            "freight_planned_cents": self.freight_planned_cents,
            "freight_overrun_cents": self.freight_overrun_cents,
            "units_processed": self.units_processed,
        }
        if self.missing:
            row["missing"] = list(self.missing)
        return row


def read_source(source: Source, answer: Any, known: Memory | None = None) -> list[Record] | None:
    """Return the records in an answer, or None when it is no list of entities; never raises."""
    return None if listed(answer) is None else source.read(answer, known)
