"""EDI documents as the wire shows them: made from the ERP record each stands for, in the state of its order."""

from functools import partial
from typing import Final

from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.simulation.entities.erp import partner
from skyfall_crl.env.morpheus.simulation.entities.facts import Document, Facts
from skyfall_crl.env.morpheus.simulation.exchanges import ERRORED
from skyfall_crl.env.morpheus.simulation.templates import ENTITY_IDS

_MADE_FROM: Final = {
    "edi_850": ("IN", "order"),
    "edi_855": ("OUT", "order"),
    "edi_856": ("OUT", "shipment"),
    "edi_810": ("OUT", "invoice"),
    "edi_820": ("IN", "payment"),
}
"""The direction of each document as the company sees it, and the ERP record it stands for."""


def document(kind: str, facts: Facts) -> Document:
    """Return the EDI document of a kind; one in error tells the symptom, as the ticket does, and not the cause."""
    direction, record = _MADE_FROM[kind]
    number, status = str(facts.number), facts.state(kind, "DELIVERED")
    moment = instant(facts.since(_first_stage(kind, facts)), facts.world.layout.minutes_per_step)
    made = facts.stamped(
        kind,
        {
            "transactionId": ENTITY_IDS[kind].replace("{number}", number),
            "partnerId": partner(facts.number),
            "customerId": f"COMP_{number}",
            "docType": kind.removeprefix("edi_"),
            "direction": direction,
            "timestamp": moment,
            "status": status,
            "dollarValue": facts.amount,
            "businessDocumentNumber": ENTITY_IDS[record].replace("{number}", number),
            "flowId": f"run_{number}",
        },
    )
    made["createdAt"] = moment
    if status == ERRORED:
        symptom = facts.world.layout.symptoms[facts.place]
        made["errorReason"] = symptom.title
        made["errorDetails"] = {"failedStepId": symptom.stage, "failureType": symptom.failure_type}
    return made


def _first_stage(kind: str, facts: Facts) -> int:
    states = facts.world.layout.states.get(kind)
    there = () if states is None else states.free
    return next((place for place, state in enumerate(there) if state), 0) - 1


RENDERERS: Final = {kind: partial(document, kind) for kind in _MADE_FROM}
