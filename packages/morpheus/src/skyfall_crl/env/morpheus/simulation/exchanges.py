"""EDI documents that trading partners exchange about an order, and how each fares stage by stage."""

from typing import Final

from skyfall_crl.env.morpheus.simulation.lifecycles import Lifecycle

ERRORED: Final = "ERRORED"
FIRST_STATES: Final = {"IN": "RECEIVED", "OUT": "QUEUED"}
"""The state a document starts in, and starts in again, by its direction."""

_DONE = "ARCHIVED"


def _exchanged(kind: str, first: str | None, stages: dict[str, str], refused: str, done: str) -> Lifecycle:
    """Return the life-cycle of a document that is in error while a fault holds its order in stage `refused`."""
    return Lifecycle(kind, first, stages, {refused: ERRORED}, done=done, lost=_DONE)


ORDER_TO_CASH: Final = (
    _exchanged(
        "edi_850",
        "RECEIVED",
        {"capture": "PROCESSING", "credit": "DELIVERED", "advise": _DONE},
        "capture",
        _DONE,
    ),
    _exchanged(
        "edi_855",
        None,
        {"credit": "QUEUED", "acknowledge": "PROCESSING", "advise": "DELIVERED", "bill": _DONE},
        "acknowledge",
        _DONE,
    ),
    _exchanged(
        "edi_856",
        None,
        {"acknowledge": "QUEUED", "advise": "PROCESSING", "deliver": "DELIVERED", "bill": _DONE},
        "advise",
        _DONE,
    ),
    _exchanged(
        "edi_810",
        None,
        {"deliver": "QUEUED", "bill": "PROCESSING", "dispute": "DELIVERED"},
        "bill",
        _DONE,
    ),
    _exchanged("edi_820", None, {"dispute": "RECEIVED", "settle": "PROCESSING"}, "settle", "DELIVERED"),
)
"""From the purchase order to the remittance; what goes out is queued in the stage before the one that sends it."""
