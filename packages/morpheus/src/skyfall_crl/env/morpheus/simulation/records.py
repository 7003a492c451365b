"""Where the records around an order are found, and how those are read that a fault shows itself in."""

from typing import Final

from skyfall_crl.env.morpheus.simulation.templates import Evidence

SALES_ORDER: Final = "/{worldId}/erp/orders/{order}"
PURCHASE_ORDER: Final = "/{worldId}/erp/orders/{purchase_order}"
CUSTOMER: Final = "/{worldId}/erp/companies/{customer}"
SUPPLIER: Final = "/{worldId}/erp/companies/{supplier}"
SHIPMENT: Final = "/{worldId}/erp/shipments/{shipment}"
PRODUCT: Final = "/{worldId}/erp/products/{product}"
INVOICE: Final = "/{worldId}/erp/invoices/{invoice}"
DUPLICATE_INVOICE: Final = "/{worldId}/erp/invoices/{duplicate_invoice}"
PAYMENT: Final = "/{worldId}/erp/payments/{payment}"
INBOUND_ORDER: Final = "/{worldId}/wms/inbound-orders/{inbound_order}"
OUTBOUND_ORDER: Final = "/{worldId}/wms/outbound-orders/{outbound_order}"
RECEIPT: Final = "/{worldId}/wms/receiving-transactions/{receiving}"
DOOR: Final = "/{worldId}/wms/dock-doors/{dock_door}"
BIN: Final = "/{worldId}/wms/bins/{bin}"
ZONE: Final = "/{worldId}/wms/zones/{zone}"
DOCK_TASK: Final = "/{worldId}/wms/tasks/{dock_task}"
LOT: Final = "/{worldId}/wms/inventory/{lot}"
COUNT: Final = "/{worldId}/wms/cycle-counts/{cycle_count}"
REPLENISHMENT: Final = "/{worldId}/wms/replenishments/{replenishment}"
TRAILER: Final = "/{worldId}/tms/trailers/{trailer}"
FREIGHT: Final = "/{worldId}/tms/shipments/{tms_shipment}"

READ_SALES_ORDER: Final = Evidence("order", SALES_ORDER, "Read a sales order")
READ_PURCHASE_ORDER: Final = Evidence("purchase_order", PURCHASE_ORDER, "Read a purchase order")
READ_CUSTOMER: Final = Evidence("customer", CUSTOMER, "Read a company")
READ_SUPPLIER: Final = Evidence("supplier", SUPPLIER, "Read a company")
READ_SHIPMENT: Final = Evidence("shipment", SHIPMENT, "Read a shipment")
READ_PRODUCT: Final = Evidence("product", PRODUCT, "Read a product")
READ_INVOICE: Final = Evidence("invoice", INVOICE, "Read an invoice")
READ_PAYMENT: Final = Evidence("payment", PAYMENT, "Read a payment")
READ_INBOUND_ORDER: Final = Evidence("inbound_order", INBOUND_ORDER, "Read an inbound order")
READ_OUTBOUND_ORDER: Final = Evidence("outbound_order", OUTBOUND_ORDER, "Read an outbound order")
READ_RECEIPT: Final = Evidence("receiving", RECEIPT, "Read a receiving transaction")
READ_DOOR: Final = Evidence("dock_door", DOOR, "Read a dock door")
READ_ZONE: Final = Evidence("zone", ZONE, "Read a zone")
READ_COUNT: Final = Evidence("cycle_count", COUNT, "Read a cycle count")
READ_REPLENISHMENT: Final = Evidence("replenishment", REPLENISHMENT, "Read a replenishment")
READ_TRAILER: Final = Evidence("trailer", TRAILER, "Read an inbound trailer")
READ_FREIGHT: Final = Evidence("tms_shipment", FREIGHT, "Read a freight shipment")
