"""Life-cycles: the states an entity around an order goes through while the order goes through its stages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    def states(self, stages: tuple[str, ...]) -> tuple[str | None, ...]:
        """Return the state before the first stage, in each of `stages`, and once the order is completed."""
        state = self.first
        found = [state]
        for stage in stages:
            state = self.stages.get(stage, state)
            found.append(state)
        return *found, self.done or state

    def blocked_states(self, stages: tuple[str, ...]) -> tuple[str | None, ...]:
        """Return the same, but for an order that a fault holds."""
        free = self.states(stages)
        return (
            free[0],
            *(self.blocked.get(stage, state) for stage, state in zip(stages, free[1:], strict=False)),
            free[-1],
        )


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
    Lifecycle("duplicate_invoice", None, {"invoice": "DRAFT"}),
    Lifecycle(
        "payment", None, {"collect": "RECEIVED"}, {"collect": "UNMATCHED"}, done="APPLIED", lost="UNMATCHED"
    ),
)
"""What happens around an outbound order, stage by stage."""
