"""Life-cycles: the states an entity around an order goes through while the order goes through its stages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from skyfall_crl.ports.plain import EMPTY


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The states of one kind of entity by the stage its order is in; where none is given the last one holds.

    `first` is the state before the first stage, None while the entity isn't there yet. `stages` maps names of stages
    to the state while the order is in them, `blocked` to the state while a fault holds it there. `done` is the state
    once the order is completed, `lost` once it was given up, unless the entity had reached `done` by then.
    """

    entity: str
    first: str | None = None
    stages: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    blocked: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    done: str | None = None
    lost: str | None = None


class States(NamedTuple):
    """A life-cycle by place: before the first stage, in each stage, and once the order is completed."""

    free: tuple[str | None, ...]
    blocked: tuple[str | None, ...]
    lost: str | None

    def at(self, place: int, *, blocked: bool) -> str | None:
        """Return the state of an order under way; `place` is its stage, -1 before the first."""
        return (self.blocked if blocked else self.free)[place + 1]

    def left(self, stage: int) -> str | None:
        """Return the state of an order that was lost in a stage, or completed where that is their number."""
        reached = self.blocked[stage + 1]
        if stage == len(self.free) - 2 or reached is None or reached == self.free[-1]:
            return reached
        return self.lost or reached


def states(lifecycles: tuple[Lifecycle, ...], stages: tuple[str, ...]) -> dict[str, States]:
    """Return life-cycles by entity, spelled out for the stages of a layout."""
    found = {}
    for each in lifecycles:
        state, free, blocked = each.first, [each.first], [each.first]
        for stage in stages:
            state = each.stages.get(stage, state)
            free.append(state)
            blocked.append(each.blocked.get(stage, state))
        last = each.done or state
        found[each.entity] = States((*free, last), (*blocked, last), each.lost)
    return found


_FAILED = "EXCEPTION"

OUTBOUND: tuple[Lifecycle, ...] = (
    Lifecycle(
        "order",
        "RECEIVED",
        {"allocate": "ACKED", "pick": "IN_PROGRESS", "invoice": "PARTIALLY_SHIPPED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "outbound_order",
        "PENDING",
        {
            "allocate": "ALLOCATED",
            "pick": "PICKING",
            "pack": "PICKED",
            "tender": "PACKED",
            "deliver": "SHIPPED",
        },
        {"allocate": "RELEASED", "deliver": "SHIPPED"},
        done="SHIPPED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "outbound_line",
        "PENDING",
        {"allocate": "ALLOCATED", "pick": "PICKING", "pack": "PICKED", "deliver": "SHIPPED"},
        {"allocate": "PENDING"},
    ),
    Lifecycle(
        "inventory",
        "AVAILABLE",
        {"allocate": "ALLOCATED", "deliver": "AVAILABLE"},
        {"allocate": "AVAILABLE"},
        lost="AVAILABLE",
    ),
    Lifecycle(
        "task",
        "CREATED",
        {"allocate": "RELEASED", "pick": "IN_PROGRESS", "pack": "COMPLETED"},
        {"pick": "ASSIGNED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "cycle_count",
        "SCHEDULED",
        {"allocate": "IN_PROGRESS", "pick": "COMPLETED"},
        done="APPROVED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "replenishment",
        "SUGGESTED",
        {"allocate": "APPROVED", "pick": "IN_PROGRESS", "pack": "COMPLETED"},
        done="COMPLETED",
        lost="CANCELLED",
    ),
    Lifecycle(
        "wms_shipment",
        None,
        {"pack": "CREATED", "tender": "MANIFESTED", "deliver": "IN_TRANSIT", "invoice": "DELIVERED"},
        {"deliver": _FAILED},
        done="DELIVERED",
        lost=_FAILED,
    ),
    Lifecycle(
        "shipment",
        None,
        {"pack": "CREATED", "deliver": "IN_TRANSIT", "invoice": "DELIVERED"},
        {"tender": _FAILED, "deliver": _FAILED},
        done="DELIVERED",
        lost=_FAILED,
    ),
    Lifecycle(
        "tms_shipment",
        None,
        {"pack": "PLANNED", "tender": "TENDERED", "deliver": "IN_TRANSIT", "invoice": "DELIVERED"},
        {"tender": _FAILED, "deliver": _FAILED},
        done="DELIVERED",
        lost="CANCELLED",
    ),
    Lifecycle("carrier", None, {"tender": "ACTIVE"}),
    Lifecycle("product", "ACTIVE"),
    Lifecycle("customer", "ACTIVE"),
    Lifecycle("invoice", None, {"invoice": "SENT", "collect": "VALIDATED"}, done="PAID", lost="REJECTED"),
    Lifecycle("duplicate_invoice", None, {"invoice": "DRAFT", "collect": ""}),
    Lifecycle(
        "payment", None, {"collect": "RECEIVED"}, {"collect": "UNMATCHED"}, done="APPLIED", lost="UNMATCHED"
    ),
)
"""What happens around an outbound order, stage by stage."""
