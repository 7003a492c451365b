"""Metrics: counts over the entities there are; what nobody measures here stays zero."""

from collections.abc import Iterable, Mapping
from typing import Any

from skyfall_crl.env.morpheus.simulation.blanks import blank
from skyfall_crl.env.morpheus.simulation.entities.facts import Document
from skyfall_crl.env.morpheus.simulation.services import resources, selection
from skyfall_crl.env.morpheus.simulation.services.requests import Handler, Parts, Request


def report(request: Request, **known: Any) -> Parts:
    """Return a whole report with what is known filled in."""
    whole = blank(request.operation.answer.kind, whole=True)
    for name, value in known.items():
        whole[name] = {**whole[name], **value} if isinstance(value, Mapping) and whole.get(name) else value
    return {"data": whole}


def counts_of(documents: Iterable[Document], field: str) -> dict[str, int]:
    """Return how many documents have each value of a field."""
    counts: dict[str, int] = {}
    for document in documents:
        value = document.get(field)
        if isinstance(value, str):
            counts[value] = counts.get(value, 0) + 1
    return counts


def _rows(counts: Mapping[str, int], name: str) -> list[Document]:
    return [{name: value, "count": count} for value, count in counts.items()]


def everything(request: Request, path: str) -> list[Document]:
    """Return all entities of a collection."""
    return request.enterprise.entities(request.enterprise.directory.collections[path])


def amount_of(documents: Iterable[Document], field: str) -> float:
    """Return what a field comes to over documents, to a hundredth."""
    whole = 0
    for document in documents:
        whole += round(document.get(field, 0) * 100)
    return whole / 100


def _outbound(request: Request) -> Parts:
    found, _ = resources.selected("wms/outbound-orders", request)
    counts = counts_of(found, "orderStatus")
    rate = counts.get("SHIPPED", 0) / max(1, len(found))
    return report(
        request,
        totalOrders=len(found),
        completedOrders=counts.get("SHIPPED", 0),
        fulfillmentRate=rate,
        ordersByStatus=_rows(counts, "status"),
    )


def _inbound(request: Request) -> Parts:
    found, _ = resources.selected("wms/inbound-orders", request)
    counts = counts_of(found, "orderStatus")
    done = counts.get("RECEIVED", 0) + counts.get("CLOSED", 0)
    return report(
        request, totalOrders=len(found), completedOrders=done, ordersByStatus=_rows(counts, "status")
    )


def _parcels(request: Request) -> Parts:
    found, _ = resources.selected("wms/shipments", request)
    counts = counts_of(found, "shipmentStatus")
    return report(
        request,
        totalShipments=len(found),
        shippedShipments=counts.get("SHIPPED", 0) + counts.get("IN_TRANSIT", 0),
        deliveredShipments=counts.get("DELIVERED", 0),
        exceptionShipments=counts.get("EXCEPTION", 0),
    )


def _tasks(request: Request) -> Parts:
    found, _ = resources.selected("wms/tasks", request)
    kinds = counts_of(found, "taskType")
    return report(
        request,
        totalTasks=len(found),
        completedTasks=counts_of(found, "taskStatus").get("COMPLETED", 0),
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
    counts = counts_of(found, "status")
    done = counts.get("COMPLETED", 0)
    return report(
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
    return report(request, summary=summary)


def _receipts(request: Request) -> Parts:
    found, _ = resources.selected("wms/receiving-transactions", request)
    done = counts_of(found, "receivingStatus").get("COMPLETED", 0)
    return report(
        request,
        totalTransactions=len(found),
        completedTransactions=done,
        pendingTransactions=len(found) - done,
    )


def _movements(request: Request) -> Parts:
    found, _ = resources.selected("wms/inventory-transactions", request)
    rows = []
    for kind, count in counts_of(found, "transactionType").items():
        of_kind = [each for each in found if each["transactionType"] == kind]
        rows.append(
            {"transactionType": kind, "count": count, "totalQuantity": amount_of(of_kind, "quantity")}
        )
    return report(request, totalTransactions=len(found), transactionsByType=rows)


def _bins(request: Request) -> Parts:
    found = everything(request, "wms/bins")
    counts = counts_of(found, "status")
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
    return report(request, overall=overall)


def _doors(request: Request) -> Parts:
    found = selection.matching(
        everything(request, "wms/dock-doors"), selection.wanted(request), "status", "createdAt"
    )
    counts = counts_of(found, "status")
    return report(
        request,
        totalDoors=len(found),
        availableDoors=counts.get("AVAILABLE", 0),
        occupiedDoors=counts.get("OCCUPIED", 0),
        maintenanceDoors=counts.get("MAINTENANCE", 0),
        utilizationPercentage=100 * counts.get("OCCUPIED", 0) / max(1, len(found)),
    )


def _zone(request: Request) -> Parts:
    _, zone = resources.sought(request, "wms/zones", request.parameters["zoneId"])
    bins = [each for each in everything(request, "wms/bins") if each["zoneId"] == zone["zoneId"]]
    names = ("zoneId", "zoneCode", "zoneName", "zoneType")
    row = {name: zone[name] for name in names if name in zone}
    row.update(totalCapacity=zone.get("capacityCubicFeet", 0), usedCapacity=0, utilizationPercentage=0)
    row.update(binCount=len(bins), availableBinCount=counts_of(bins, "status").get("AVAILABLE", 0))
    return {"data": [row]}


def _center(request: Request) -> Parts:
    _, center = resources.sought(request, "wms/distribution-centers", request.parameters["dcId"])
    bins = everything(request, "wms/bins")
    figures = {"totalZones": len(everything(request, "wms/zones")), "totalBins": len(bins)}
    figures["occupiedBins"] = counts_of(bins, "status").get("OCCUPIED", 0)
    names = ("dcId", "dcName", "totalSqFootage")
    return report(
        request, utilizationMetrics=figures, **{name: center[name] for name in names if name in center}
    )


def _carrier(request: Request) -> Parts:
    _, carrier = resources.sought(request, "tms/carriers", request.parameters["carrierId"])
    return {"data": {"carrierId": carrier["carrierId"], **carrier.get("performance", {})}}


def _nothing(_: Request) -> Parts:
    return {"data": []}


def _whole(request: Request) -> Parts:
    return report(request)


HANDLERS: dict[str, Handler] = {
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
