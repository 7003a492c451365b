"""Collections: where entities of one kind are found on the wire, and which of their fields mean what."""

import re
from dataclasses import dataclass
from typing import Final

from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.templates import ENTITY_IDS


@dataclass(frozen=True, slots=True)
class Collection:
    """Entities at one path of a world.

    `entity` is their name in the catalogue, empty where the wire declares none. `key` is the field of the business id,
    `prefix` what the ids begin with, `state` the field of the life-cycle's state, `dated` the one that ranges of dates
    are held against. `around` are the kinds that stand around each order of a layout, by `ENTITY_IDS`.
    """

    path: str
    entity: str
    key: str
    prefix: str
    state: str = "status"
    dated: str = "createdAt"
    around: tuple[str, ...] = ()

    @property
    def service(self) -> str:
        """The part of the world the collection belongs to."""
        return self.path.partition("/")[0]


_ALL: Final = (
    Collection("erp/orders", "ERPOrder", "orderId", "ORDER_", dated="orderDate"),
    Collection("erp/invoices", "ERPInvoice", "invoiceId", "INV_", dated="issueDate"),
    Collection("erp/payments", "ERPPayment", "paymentId", "PAY_", dated="paymentDate"),
    Collection("erp/shipments", "ERPShipment", "shipmentId", "SHIP_", dated="shipDate"),
    Collection("erp/products", "ERPProduct", "productId", "PROD_"),
    Collection("erp/companies", "ERPCompany", "companyId", "COMP_"),
    Collection(
        "wms/outbound-orders",
        "WMSOutboundOrder",
        "orderId",
        "wms_outbound-order_",
        "orderStatus",
        "orderDate",
    ),
    Collection(
        "wms/inbound-orders", "WMSInboundOrder", "inboundOrderId", "wms_inbound-order_", "orderStatus"
    ),
    Collection("wms/shipments", "WMSOutboundShipment", "shipmentId", "wms_shipment_", "shipmentStatus"),
    Collection("wms/inventory", "WMSInventory", "inventoryId", "wms_inventory_", "inventoryStatus"),
    Collection(
        "wms/inventory-transactions",
        "WMSInventoryTransaction",
        "transactionId",
        "wms_inventory-transaction_",
        "transactionType",
        "transactionDate",
    ),
    Collection(
        "wms/receiving-transactions",
        "WMSReceivingTransaction",
        "receivingId",
        "wms_receiving-transaction_",
        "receivingStatus",
    ),
    Collection("wms/replenishments", "WMSReplenishment", "replenishmentId", "wms_replenishment_"),
    Collection("wms/cycle-counts", "WMSCycleCount", "cycleCountId", "wms_cycle-count_", "countStatus"),
    Collection("wms/tasks", "WMSTask", "taskId", "wms_task_", "taskStatus"),
    Collection("wms/bins", "WMSBin", "binId", "wms_bin_"),
    Collection("wms/zones", "WMSZone", "zoneId", "wms_zone_"),
    Collection("wms/warehouses", "WMSWarehouse", "warehouseId", "wms_warehouse_"),
    Collection("wms/dock-doors", "WMSDockDoor", "dockDoorId", "wms_dock-door_"),
    Collection("wms/distribution-centers", "WMSDistributionCenter", "dcId", "wms_dc_", "operationalStatus"),
    Collection("wms/daily-metrics", "WMSDailyMetrics", "metricId", "wms_daily-metrics_", dated="date"),
    Collection("tms/shipments", "TMSShipment", "shipmentId", "TMS_SHIP_"),
    Collection("tms/carriers", "", "carrierId", "CARRIER_"),
    Collection("tms/trailers", "TMSInboundTrailer", "trailerId", "TRAILER_"),
    Collection("edi", "EdiTransaction", "transactionId", "EDI_", dated="timestamp"),
)

HOMES: Final = {
    "order": "erp/orders",
    "purchase_order": "erp/orders",
    "invoice": "erp/invoices",
    "duplicate_invoice": "erp/invoices",
    "payment": "erp/payments",
    "shipment": "erp/shipments",
    "product": "erp/products",
    "customer": "erp/companies",
    "supplier": "erp/companies",
    "outbound_order": "wms/outbound-orders",
    "inbound_order": "wms/inbound-orders",
    "wms_shipment": "wms/shipments",
    "inventory": "wms/inventory",
    "lot": "wms/inventory",
    "receiving": "wms/receiving-transactions",
    "replenishment": "wms/replenishments",
    "cycle_count": "wms/cycle-counts",
    "task": "wms/tasks",
    "dock_task": "wms/tasks",
    "bin": "wms/bins",
    "zone": "wms/zones",
    "dock_door": "wms/dock-doors",
    "tms_shipment": "tms/shipments",
    "carrier": "tms/carriers",
    "trailer": "tms/trailers",
    "edi_850": "edi",
    "edi_855": "edi",
    "edi_856": "edi",
    "edi_810": "edi",
    "edi_820": "edi",
}
"""The collection of each kind of entity that can stand around an order."""

_FORMS: Final = {
    kind: re.compile(rf"(?<![\w-]){re.escape(form)}(?![\w-])") for kind, form in ENTITY_IDS.items()
}


def collections(layout: Layout) -> dict[str, Collection]:
    """Return every collection by its path, with the kinds that stand around the orders of a layout.

    Of kinds that share the form of their ids a layout has the first: the one it gives a life-cycle.
    """
    named = list(layout.states)
    for symptom in layout.symptoms:
        named += [evidence.entity for evidence in symptom.evidence]
        for remedy in symptom.remedies:
            named += [kind for kind, form in _FORMS.items() if form.search(f"{remedy.path} {remedy.body}")]
    around: dict[str, list[str]] = {each.path: [] for each in _ALL}
    for kind in dict.fromkeys(named):
        kinds = around.get(HOMES.get(kind, ""))
        if kinds is not None and ENTITY_IDS[kind] not in [ENTITY_IDS[other] for other in kinds]:
            kinds.append(kind)
    return {
        each.path: Collection(
            each.path, each.entity, each.key, each.prefix, each.state, each.dated, tuple(around[each.path])
        )
        for each in _ALL
    }
