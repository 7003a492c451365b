"""Dashboards and metrics: counts over the entities there are; what nobody measures here stays zero."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skyfall_crl.env.morpheus.simulation.blanks import blank
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import money, resources, selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Request


def _report(request: Request, **known: Any) -> Parts:
    """Return a whole report with what is known filled in."""
    whole = blank(request.operation.answer.kind, whole=True)
    for name, value in known.items():
        whole[name] = {**whole[name], **value} if isinstance(value, Mapping) and whole.get(name) else value
    return {"data": whole}


def _counts(documents: Iterable[Document], field: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for document in documents:
        value = document.get(field)
        if isinstance(value, str):
            counts[value] = counts.get(value, 0) + 1
    return counts


def _rows(counts: Mapping[str, int], name: str) -> list[Document]:
    return [{name: value, "count": count} for value, count in counts.items()]


def _all(request: Request, path: str) -> list[Document]:
    return request.enterprise.entities(request.enterprise.directory.collections[path])


def _amount(documents: Iterable[Document], field: str) -> float:
    whole = 0
    for document in documents:
        whole += round(document.get(field, 0) * 100)
    return whole / 100


def _erp(request: Request) -> Parts:
    orders, invoices = _all(request, "erp/orders"), _all(request, "erp/invoices")
    companies, products = _all(request, "erp/companies"), _all(request, "erp/products")
    directions = (("salesOrders", "INBOUND"), ("purchaseOrders", "OUTBOUND"))
    by_direction = {
        name: _order_figures([each for each in orders if each.get("direction", "INBOUND") == direction])
        for name, direction in directions
    }
    active = [each for each in companies if each["status"] == "ACTIVE"]
    open_invoices = [each for each in invoices if each["status"] not in ("DRAFT", "PAID", "REJECTED")]
    return _report(
        request,
        orders=by_direction,
        invoices={
            "total": len(invoices),
            "byStatus": _counts(invoices, "status"),
            "totalOutstanding": _amount(open_invoices, "balanceDue"),
            "overdueCount": len(
                [each for each in open_invoices if each.get("dueDate", "9") < request.enterprise.moment]
            ),
            "paidThisMonth": money.totals(request.enterprise).incoming / 100,
        },
        companies={
            "total": len(companies),
            "byType": _counts(companies, "companyType"),
            "activeCompanies": len(active),
            "activeCustomers": _counts(active, "companyType").get("CUSTOMER", 0),
            "activeSuppliers": _counts(active, "companyType").get("SUPPLIER", 0),
        },
        products={
            "total": len(products),
            "activeProducts": _counts(products, "status").get("ACTIVE", 0),
            "discontinuedProducts": _counts(products, "status").get("DISCONTINUED", 0),
        },
    )


def _order_figures(orders: Sequence[Document]) -> Document:
    value = _amount(orders, "totalAmount")
    return {
        "total": len(orders),
        "byStatus": _counts(orders, "status"),
        "recentOrders": len(orders),
        "totalValue": value,
        "averageOrderValue": value / max(1, len(orders)),
    }


def _wms(request: Request) -> Parts:
    stock, tasks = _all(request, "wms/inventory"), _all(request, "wms/tasks")
    outbound, inbound = _all(request, "wms/outbound-orders"), _all(request, "wms/inbound-orders")
    shipped = _counts(outbound, "orderStatus")
    arriving, work = _counts(inbound, "orderStatus"), _counts(tasks, "taskStatus")
    names = ("RELEASED", "ALLOCATED", "PICKING", "PICKED", "PACKED", "SHIPPED")
    return _report(
        request,
        inventory={"totalItems": len(stock), "byStatus": _counts(stock, "inventoryStatus")},
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
            "rushOrders": _counts(outbound, "priority").get("URGENT", 0),
            **{name.lower(): shipped.get(name, 0) for name in names},
        },
        tasks={
            "total": len(tasks),
            "pending": work.get("CREATED", 0) + work.get("RELEASED", 0),
            "inProgress": work.get("IN_PROGRESS", 0) + work.get("ASSIGNED", 0),
            "byType": _counts(tasks, "taskType"),
        },
    )


def _outbound(request: Request) -> Parts:
    found, _ = resources.selected("wms/outbound-orders", request)
    counts = _counts(found, "orderStatus")
    rate = counts.get("SHIPPED", 0) / max(1, len(found))
    return _report(
        request,
        totalOrders=len(found),
        completedOrders=counts.get("SHIPPED", 0),
        fulfillmentRate=rate,
        ordersByStatus=_rows(counts, "status"),
    )


def _inbound(request: Request) -> Parts:
    found, _ = resources.selected("wms/inbound-orders", request)
    counts = _counts(found, "orderStatus")
    done = counts.get("RECEIVED", 0) + counts.get("CLOSED", 0)
    return _report(
        request, totalOrders=len(found), completedOrders=done, ordersByStatus=_rows(counts, "status")
    )


def _parcels(request: Request) -> Parts:
    found, _ = resources.selected("wms/shipments", request)
    counts = _counts(found, "shipmentStatus")
    return _report(
        request,
        totalShipments=len(found),
        shippedShipments=counts.get("SHIPPED", 0) + counts.get("IN_TRANSIT", 0),
        deliveredShipments=counts.get("DELIVERED", 0),
        exceptionShipments=counts.get("EXCEPTION", 0),
    )


def _tasks(request: Request) -> Parts:
    found, _ = resources.selected("wms/tasks", request)
    kinds = _counts(found, "taskType")
    return _report(
        request,
        totalTasks=len(found),
        completedTasks=_counts(found, "taskStatus").get("COMPLETED", 0),
        taskTypeMetrics=[
            {"taskType": kind, "count": count, "averageDuration": 0} for kind, count in kinds.items()
        ],
    )


def _timestamps(request: Request) -> Parts:
    found, _ = resources.selected("wms/tasks", request)
    rows = [
        {
            "taskId": task["taskId"],
            "taskType": task["taskType"],
            "userId": selection.figure(task, "assignment", "userId"),
            "timestamps": {"createdAt": task["createdAt"]},
        }
        for task in found
    ]
    return {"data": rows}


def _replenishments(request: Request) -> Parts:
    found, _ = resources.selected("wms/replenishments", request)
    counts = _counts(found, "status")
    done = counts.get("COMPLETED", 0)
    return _report(
        request,
        totalReplenishments=len(found),
        pendingReplenishments=len(found) - done - counts.get("CANCELLED", 0),
        completedReplenishments=done,
    )


def _variances(request: Request) -> Parts:
    found, _ = resources.selected("wms/cycle-counts", request)
    rows = [row for each in found for row in each.get("counts", ())]
    off = len([row for row in rows if row.get("variance")])
    summary = {"totalCounts": len(found), "totalVariances": off}
    return _report(request, summary=summary)


def _receipts(request: Request) -> Parts:
    found, _ = resources.selected("wms/receiving-transactions", request)
    done = _counts(found, "receivingStatus").get("COMPLETED", 0)
    return _report(
        request,
        totalTransactions=len(found),
        completedTransactions=done,
        pendingTransactions=len(found) - done,
    )


def _movements(request: Request) -> Parts:
    found, _ = resources.selected("wms/inventory-transactions", request)
    rows = []
    for kind, count in _counts(found, "transactionType").items():
        of_kind = [each for each in found if each["transactionType"] == kind]
        rows.append({"transactionType": kind, "count": count, "totalQuantity": _amount(of_kind, "quantity")})
    return _report(request, totalTransactions=len(found), transactionsByType=rows)


def _bins(request: Request) -> Parts:
    found = _all(request, "wms/bins")
    counts = _counts(found, "status")
    free, full = counts.get("AVAILABLE", 0), counts.get("OCCUPIED", 0)
    overall = {
        "totalBins": len(found),
        "availableBins": free,
        "occupiedBins": full,
        "utilization": {
            "countPercent": 100 * full / max(1, len(found)),
            "weightPercent": 0,
            "volumePercent": 0,
        },
    }
    return _report(request, overall=overall)


def _doors(request: Request) -> Parts:
    found = selection.matching(
        _all(request, "wms/dock-doors"), selection.wanted(request), "status", "createdAt"
    )
    counts = _counts(found, "status")
    return _report(
        request,
        totalDoors=len(found),
        availableDoors=counts.get("AVAILABLE", 0),
        occupiedDoors=counts.get("OCCUPIED", 0),
        maintenanceDoors=counts.get("MAINTENANCE", 0),
        utilizationPercentage=100 * counts.get("OCCUPIED", 0) / max(1, len(found)),
    )


def _zone(request: Request) -> Parts:
    _, zone = resources.sought(request, "wms/zones", request.parameters["zoneId"])
    bins = [each for each in _all(request, "wms/bins") if each["zoneId"] == zone["zoneId"]]
    names = ("zoneId", "zoneCode", "zoneName", "zoneType")
    row = {name: zone[name] for name in names if name in zone}
    row.update(totalCapacity=zone.get("capacityCubicFeet", 0), usedCapacity=0, utilizationPercentage=0)
    row.update(binCount=len(bins), availableBinCount=_counts(bins, "status").get("AVAILABLE", 0))
    return {"data": [row]}


def _center(request: Request) -> Parts:
    _, center = resources.sought(request, "wms/distribution-centers", request.parameters["dcId"])
    bins = _all(request, "wms/bins")
    figures = {"totalZones": len(_all(request, "wms/zones")), "totalBins": len(bins)}
    figures["occupiedBins"] = _counts(bins, "status").get("OCCUPIED", 0)
    names = ("dcId", "dcName", "totalSqFootage")
    return _report(
        request, utilizationMetrics=figures, **{name: center[name] for name in names if name in center}
    )


def _carrier(request: Request) -> Parts:
    _, carrier = resources.sought(request, "tms/carriers", request.parameters["carrierId"])
    return {"data": {"carrierId": carrier["carrierId"], **carrier.get("performance", {})}}


def _nothing(_: Request) -> Parts:
    return {"data": []}


def _whole(request: Request) -> Parts:
    return _report(request)


HANDLERS: dict[str, Handler] = {
    "GET erp/operations-dashboard": _erp,
    "GET wms/operations-dashboard": _wms,
    "GET wms/outbound-orders/metrics": _outbound,
    "GET wms/inbound-orders/metrics": _inbound,
    "GET wms/shipments/metrics": _parcels,
    "GET wms/tasks/metrics": _tasks,
    "GET wms/tasks/timestamps": _timestamps,
    "GET wms/replenishments/metrics": _replenishments,
    "GET wms/cycle-counts/variance-report": _variances,
    "GET wms/receiving-transactions/metrics": _receipts,
    "GET wms/inventory-transactions/movement-report": _movements,
    "GET wms/bins/utilization": _bins,
    "GET wms/dock-doors/utilization": _doors,
    "GET wms/dock-doors/schedule": _nothing,
    "GET tms/dock-doors/available": _nothing,
    "GET wms/zones/{zoneId}/capacity-utilization": _zone,
    "GET wms/distribution-centers/{dcId}/capacity": _center,
    "GET wms/daily-metrics/summary": _whole,
    "GET tms/carriers/{carrierId}/metrics": _carrier,
}
