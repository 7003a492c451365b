"""Entities around an order: rendered when read, from what the engine knows, and never read by the engine."""

from collections.abc import Callable

from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.entities import edi, erp, inbound, partners, storage, tms, wms
from skyfall_crl.env.morpheus.simulation.entities.facts import Document, Facts
from skyfall_crl.env.morpheus.simulation.orders import Order

__all__ = ["RECORDS", "RENDERERS", "Document", "render"]


def render(kind: str, world: World, world_id: str, order: Order, *, telling: bool = True) -> Document:
    """Return one entity around an order; unless `telling`, without what it shows of a fault."""
    return RENDERERS[kind](Facts(world, world_id, order, telling=telling))


def _message(_: Facts) -> Document:
    return {"message": "Deleted"}


RENDERERS: dict[str, Callable[[Facts], Document]] = {
    "order": erp.order,
    "invoice": erp.invoice,
    "duplicate_invoice": erp.duplicate_invoice,
    "payment": erp.payment,
    "product": erp.product,
    "shipment": erp.shipment,
    "outbound_order": wms.outbound_order,
    "cycle_count": wms.cycle_count,
    "replenishment": wms.replenishment,
    "inventory": wms.inventory,
    "inventory_transaction": wms.inventory_transaction,
    "task": wms.task,
    "wms_shipment": wms.wms_shipment,
    "tms_shipment": tms.tms_shipment,
    "tms_shipment_record": tms.tms_shipment_record,
    "tms_event": tms.tms_event,
    "carrier": tms.carrier,
    "inbound_order": inbound.inbound_order,
    "receiving": inbound.receiving,
    "trailer": inbound.trailer,
    "dock_door": inbound.dock_door,
    "dock_task": inbound.dock_task,
    "lot": storage.lot,
    "bin": storage.bin_,
    "zone": storage.zone,
    "supplier": partners.supplier,
    "customer": partners.customer,
    "purchase_order": partners.purchase_order,
    "finance_transaction": partners.finance_transaction,
    "message": _message,
    **edi.RENDERERS,
}

RECORDS: dict[str, Callable[[Facts], Document]] = {**RENDERERS, "tms_shipment": tms.tms_shipment_record}
"""What makes the one record that lists and writes show of each kind of entity."""
