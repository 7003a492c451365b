"""Operations: remedies, reads, and everything else an agent may come up with."""

from typing import Any

import pytest

from skyfall_crl.env.morpheus.simulation import World
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.operations import Operations
from skyfall_crl.env.morpheus.simulation.snapshot import digest
from skyfall_crl.ports.tools import ToolCall

WORLD_ID = "5f" * 12


@pytest.fixture
def operations(layout: Layout) -> Operations:
    return Operations(layout)


def perform(operations: Operations, world: World, call: ToolCall) -> dict[str, Any]:
    call = call.resolved(WORLD_ID)
    return operations.perform(Enterprise(world, WORLD_ID), call.method, call.path, call.body)


def blocked_everywhere(layout: Layout, seed: int, mix: tuple[float, ...] = (1 / 3,) * 3) -> World:
    world = World(layout, seed)
    world.configure({"cause_mix": [list(mix)] * 7, "fault_probability": 0.3, "demand": 2})
    for _ in range(400):
        world.begin()
        world.advance()
    assert all(world.board.queues)
    return world


def test_each_remedy_mends_its_cause_and_no_other(layout: Layout, operations: Operations) -> None:
    met = set()
    for seed in range(4):
        world = blocked_everywhere(layout, seed)
        for fault in list(world.blocked.values()):
            for remedy in sorted(range(3), key=lambda remedy, cause=fault.cause: remedy == cause):
                world.begin()
                answer = perform(
                    operations, world, layout.remedy_call(fault.symptom, remedy, fault.ticket_id)
                )
                assert answer["success"], answer
                assert world.remedied is (remedy == fault.cause)
                assert world.failed is (remedy != fault.cause)
                met.add((fault.symptom, fault.cause, remedy))
    assert len(met) == 7 * 3 * 3


def test_an_operation_mends_at_most_one_fault(layout: Layout, operations: Operations) -> None:
    world = blocked_everywhere(layout, 7)
    for fault in list(world.blocked.values()):
        before = len(world.blocked)
        perform(operations, world, layout.remedy_call(fault.symptom, fault.cause, fault.ticket_id))
        assert len(world.blocked) == before - 1


def test_a_remedy_for_another_symptom_mends_nothing(layout: Layout, operations: Operations) -> None:
    world = blocked_everywhere(layout, 8)
    for fault in world.blocked.values():
        before = digest(world)
        for symptom in range(7):
            if symptom != fault.symptom:
                for remedy in range(3):
                    answer = perform(operations, world, layout.remedy_call(symptom, remedy, fault.ticket_id))
                    assert answer["status"] in (200, 201, 404)
        assert digest(world) == before


def test_every_remedy_lies_in_a_domain_agents_are_let_into_by_default(layout: Layout) -> None:
    for symptom in layout.symptoms:
        for remedy in symptom.remedies:
            assert remedy.path.split("/")[2] in ("tickets", "erp", "wms", "tms", "finance", "ledger")


def test_reading_changes_nothing(world: World, operations: Operations) -> None:
    before = digest(world)
    for fault in world.blocked.values():
        for call in world.layout.look_calls(fault.symptom, fault.ticket_id):
            assert perform(operations, world, call)["success"]
    assert perform(operations, world, ToolCall("GET", "/{worldId}/tickets"))["success"]
    assert digest(world) == before


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/other/tickets", None, 404),
        ("GET", "/{worldId}", None, 404),
        ("GET", "/{worldId}/nonsense", None, 404),
        ("GET", "/{worldId}/erp/invoices/INV_999999", None, 404),
        ("GET", "/{worldId}/edi/EDI_0-850", None, 404),
        ("GET", "/{worldId}/erp/orders/ORDER_999999", None, 404),
        ("GET", "/{worldId}/tickets/000000000000000000000000", None, 404),
        ("GET", "/{worldId}/tickets?status=broken", None, 400),
        ("GET", "/{worldId}/tickets?limit=0", None, 400),
        ("PATCH", "/{worldId}/tickets/000000000000000000000000/status", {"status": "closed"}, 404),
        ("PATCH", "/{worldId}/tickets/000000000000000000000000/status", {"status": "done"}, 400),
        ("POST", "/{worldId}/verification/verify-ticket", {"ticketId": "x"}, 404),
        ("POST", "/{worldId}/od/descriptors/x/execute", {}, 501),
        ("PATCH", "/{worldId}/ledger/increment", {"cashDelta": 1e300}, 400),
        ("PATCH", "/{worldId}/ledger/increment", {}, 400),
        ("POST", "/{worldId}/erp/companies", {"name": "mine", "companyId": "COMP_7"}, 400),
        ("POST", "/{worldId}/erp/companies", {"name": "x" * 40_000}, 400),
        ("POST", "/{worldId}/erp/companies", {"name": "mine", "companyId": "a b"}, 400),
        ("POST", "/{worldId}/wms/inventory-transactions", {"transactionType": "MOVE"}, 400),
        ("DELETE", "/{worldId}/erp/orders/ORDER_999999", None, 404),
        ("", "", None, 404),
    ],
)
def test_what_is_unknown_or_invalid_is_refused_and_changes_nothing(
    world: World, operations: Operations, method: str, path: str, body: Any, status: int
) -> None:
    before = digest(world)
    answer = perform(operations, world, ToolCall(method, path, body))
    assert answer["success"] is False
    assert answer["status"] == status
    assert isinstance(answer["error"], str)
    assert set(answer["meta"]) == {"event", "timestamp"}
    assert digest(world) == before


def test_a_body_without_what_the_remedy_needs_mends_nothing(layout: Layout, operations: Operations) -> None:
    for remedy in range(3):
        world = blocked_everywhere(layout, 9, tuple(float(cause == remedy) for cause in range(3)))
        for symptom in range(7):
            fault = world.board.queues[symptom][0]
            call = layout.remedy_call(symptom, remedy, fault.ticket_id)
            for name in layout.symptoms[symptom].remedies[remedy].fields:
                for body in (
                    {key: value for key, value in (call.body or {}).items() if key != name},
                    {**(call.body or {}), name: None},
                ):
                    before = digest(world)
                    answer = perform(operations, world, ToolCall(call.method, call.path, body))
                    assert answer["status"] in (200, 201, 400)
                    assert digest(world) == before


def test_a_link_to_the_wrong_kind_of_entity_mends_nothing(layout: Layout, operations: Operations) -> None:
    world = blocked_everywhere(layout, 10)
    fault = next(fault for fault in world.board.queues[1] if fault.cause == 0)
    call = layout.remedy_call(1, 0, fault.ticket_id)
    before = digest(world)
    for link in (f"ORDER_{fault.order.number}", f"wms_task_{fault.order.number}x", "", "wms_task_999999"):
        body = {**(call.body or {}), "referenceId": link}
        assert perform(operations, world, ToolCall(call.method, call.path, body))["status"] == 201
    assert digest(world) == before


def test_an_id_has_one_spelling_and_a_query_is_no_part_of_it(world: World, operations: Operations) -> None:
    fault = next(iter(world.blocked.values()))
    call = world.layout.look_calls(fault.symptom, fault.ticket_id)[0]
    number = str(fault.order.number)
    for spelling in (f"0{number}", f"+{number}", f"{number}0000000000", f"{number}x", "٣", ""):
        path = call.path.replace(number, spelling)
        assert perform(operations, world, ToolCall("GET", path))["status"] == 404
    whole = perform(operations, world, call)
    assert perform(operations, world, ToolCall("GET", f"{call.path}?verbose=true")) == whole


def test_a_decisive_value_that_is_another_one_is_another_operation(
    layout: Layout, operations: Operations
) -> None:
    world = blocked_everywhere(layout, 11)
    fault = next(fault for fault in world.board.queues[0] if fault.cause == 1)
    call = layout.remedy_call(0, 1, fault.ticket_id)
    world.begin()
    assert perform(operations, world, ToolCall(call.method, call.path, {"inventoryStatus": "HOLD"}))[
        "success"
    ]
    assert not world.remedied
    assert not world.failed


def test_tickets_are_paged_by_a_cursor(world: World, operations: Operations) -> None:
    whole = perform(operations, world, ToolCall("GET", "/{worldId}/tickets?limit=9999"))["data"]
    seen, cursor = [], ""
    while True:
        page = perform(operations, world, ToolCall("GET", f"/{{worldId}}/tickets?limit=7{cursor}"))["data"]
        seen += page["items"]
        if not page["hasMore"]:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == whole["items"]
    assert page["totalCount"] == len(seen) == whole["totalCount"]


def test_the_mesh_lists_each_operation_once_and_filters_by_service(operations: Operations) -> None:
    everything = operations.describe()
    pairs = [(endpoint["method"], endpoint["path"]) for endpoint in everything["endpoints"]]
    assert len(pairs) == len(set(pairs)) == everything["count"]
    assert ("put", "/{worldId}/wms/tasks/{taskId}/assign") in pairs
    assert ("delete", "/{worldId}/erp/invoices/{invoiceId}") in pairs
    services = ("tickets", "erp", "wms", "tms", "finance", "ledger", "logs", "audit", "od", "edi")
    assert sum(operations.describe(service)["count"] for service in services) == everything["count"]
    assert operations.describe("knowledge_graph")["endpoints"] == []


def test_the_mesh_filters_by_sub_resource_and_method(operations: Operations) -> None:
    found = operations.describe("wms", "inbound-order", "patch")
    assert found["filters"] == {"action": "inbound-order", "method": "patch"}
    assert [each["path"] for each in found["endpoints"]] == ["/{worldId}/wms/inbound-orders/{inboundOrderId}"]
    assert operations.describe("wms", "inbound-orders", "PATCH")["endpoints"] == found["endpoints"]


def test_the_mesh_tells_what_a_body_holds_and_what_it_repairs(operations: Operations) -> None:
    endpoints = operations.describe("tms")["endpoints"]
    texts = {f"{each['method']} {each['path']}": each["formatted"] for each in endpoints}
    tender = texts["put /{worldId}/tms/shipments/{shipmentId}/tender"]
    assert "*carrierId text, *carrierName text, *carrierCode text, *scacCode text" in tender
    assert "Repairs 'Carrier refused' at tender" in tender
    assert "GET" in texts["get /{worldId}/tms/shipments"]
    assert "Repairs" not in texts["get /{worldId}/tms/shipments"]
