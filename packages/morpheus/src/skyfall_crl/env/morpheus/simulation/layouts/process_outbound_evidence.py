"""Outbound logistics where the likely cause hangs on what kind of order it is, so that counting alone does not do."""

from dataclasses import replace

from skyfall_crl.env.morpheus.simulation.layout import Trait
from skyfall_crl.env.morpheus.simulation.layouts.process_outbound import LAYOUT as PLAIN

_TRAITS = (
    Trait("carrier", ("coastline", "midland", "northway")),
    Trait("productClass", ("ambient", "chilled", "hazardous")),
    Trait("customer", ("export", "retail", "wholesale")),
)
_CARRIER, _PRODUCT, _CUSTOMER = (0,), (1,), (2,)

LAYOUT = replace(
    PLAIN,
    name="process-outbound/evidence",
    title="Outbound logistics with evidence",
    description=f"{PLAIN.description} After allocation the kind of order says which cause is likely.",
    traits=_TRAITS,
    turned_by=((), _PRODUCT, _PRODUCT, _CARRIER, _CARRIER, _CUSTOMER, _CUSTOMER),
)
