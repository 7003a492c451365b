"""The dashboards of ERP and WMS: what there is, by state."""

from collections.abc import Sequence

from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import money
from skyfall_crl.env.morpheus.simulation.services.figures import amount_of, counts_of, everything, report
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Request


def _erp(request: Request) -> Parts:
    orders, invoices = everything(request, "erp/orders"), everything(request, "erp/invoices")
    companies, products = everything(request, "erp/companies"), everything(request, "erp/products")
    directions = (("salesOrders", "INBOUND"), ("purchaseOrders", "OUTBOUND"))
    by_direction = {
        name: _order_figures([each for each in orders if each.get("direction", "INBOUND") == direction])
        for name, direction in directions
    }
    active = [each for each in companies if each["status"] == "ACTIVE"]
    open_invoices = [each for each in invoices if each["status"] not in ("DRAFT", "PAID", "REJECTED")]
    return report(
        request,
        orders=by_direction,
        invoices={
            "total": len(invoices),
            "byStatus": counts_of(invoices, "status"),
            "totalOutstanding": amount_of(open_invoices, "balanceDue"),
            "overdueCount": len(
                [each for each in open_invoices if each.get("dueDate", "9") < request.enterprise.moment]
            ),
            "paidThisMonth": money.totals(request.enterprise).incoming / 100,
        },
        companies={
            "total": len(companies),
            "byType": counts_of(companies, "companyType"),
            "activeCompanies": len(active),
            "activeCustomers": counts_of(active, "companyType").get("CUSTOMER", 0),
            "activeSuppliers": counts_of(active, "companyType").get("SUPPLIER", 0),
        },
        products={
            "total": len(products),
            "activeProducts": counts_of(products, "status").get("ACTIVE", 0),
            "discontinuedProducts": counts_of(products, "status").get("DISCONTINUED", 0),
        },
    )


def _order_figures(orders: Sequence[Document]) -> Document:
    value = amount_of(orders, "totalAmount")
    return {
        "total": len(orders),
        "byStatus": counts_of(orders, "status"),
        "recentOrders": len(orders),
        "totalValue": value,
        "averageOrderValue": value / max(1, len(orders)),
    }


def _wms(request: Request) -> Parts:
    stock, tasks = everything(request, "wms/inventory"), everything(request, "wms/tasks")
    outbound, inbound = everything(request, "wms/outbound-orders"), everything(request, "wms/inbound-orders")
    shipped = counts_of(outbound, "orderStatus")
    arriving, work = counts_of(inbound, "orderStatus"), counts_of(tasks, "taskStatus")
    names = ("RELEASED", "ALLOCATED", "PICKING", "PICKED", "PACKED", "SHIPPED")
    return report(
        request,
        inventory={"totalItems": len(stock), "byStatus": counts_of(stock, "inventoryStatus")},
        receiving={
            "total": len(inbound),
            "expected": arriving.get("EXPECTED", 0),
            "pending": arriving.get("EXPECTED", 0) + arriving.get("IN_TRANSIT", 0),
            "inTransit": arriving.get("IN_TRANSIT", 0),
            "receiving": arriving.get("RECEIVING", 0),
            "received": arriving.get("RECEIVED", 0),
        },
        fulfillment={
            "total": len(outbound),
            "active": len(outbound) - shipped.get("SHIPPED", 0) - shipped.get("CANCELLED", 0),
            "created": shipped.get("PENDING", 0),
            "rushOrders": counts_of(outbound, "priority").get("URGENT", 0),
            **{name.lower(): shipped.get(name, 0) for name in names},
        },
        tasks={
            "total": len(tasks),
            "pending": work.get("CREATED", 0) + work.get("RELEASED", 0),
            "inProgress": work.get("IN_PROGRESS", 0) + work.get("ASSIGNED", 0),
            "byType": counts_of(tasks, "taskType"),
        },
    )


HANDLERS: dict[str, Handler] = {"GET erp/operations-dashboard": _erp, "GET wms/operations-dashboard": _wms}
