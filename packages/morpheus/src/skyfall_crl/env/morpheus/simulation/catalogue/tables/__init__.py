"""The catalogue's tables, one module for each part of the wire."""

MODULES = (
    "common",
    "world",
    "tickets",
    "erp_parties",
    "erp_documents",
    "erp_flows",
    "wms_sites",
    "wms_inbound",
    "wms_outbound",
    "wms_stock",
    "wms_work",
    "tms_freight",
    "tms_trailers",
    "finance",
    "edi",
    "processes",
)
