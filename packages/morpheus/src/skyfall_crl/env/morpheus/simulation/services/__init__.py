"""The domain services of a world: what carries out each operation of the catalogue that is simulated."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
    from skyfall_crl.env.morpheus.simulation.services.requests import Handler

__all__ = ["handler"]


def handler(operation: "Operation") -> "Handler | None":
    """Return what carries out an operation, or None where it isn't simulated."""
    found = _known().get(operation.key)
    if found is None and operation.key not in _known():
        found = _known()[operation.key] = _looked_up(operation)
    return found


def _looked_up(operation: "Operation") -> "Handler | None":
    from skyfall_crl.env.morpheus.simulation.services import (
        cash_figures,
        dashboards,
        edi,
        figures,
        itsm,
        journal,
        ledger,
        money,
        processes,
        resources,
        special,
    )

    key = f"{operation.method} {operation.path.removeprefix('/{worldId}/')}"
    modules = (itsm, money, cash_figures, ledger, journal, processes, special, dashboards, figures, edi)
    tables: tuple[dict[str, Handler], ...] = tuple(module.HANDLERS for module in modules)
    for table in tables:
        if key in table:
            return table[key]
    return resources.handler(operation)


@cache
def _known() -> "dict[str, Handler | None]":
    return {}
