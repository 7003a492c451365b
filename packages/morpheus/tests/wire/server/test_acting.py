"""`/world/act` runs an agent's call: however the path is filled in, once, for one step, with the inner answer."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.floor


def steps(client: Any) -> int:
    found: int = client.ask("GET", "/sim/overview")[1]["data"]["worlds"][0]["step"]
    return found


@pytest.mark.parametrize(
    "call",
    [
        {"path": "/W/erp/orders", "query": {"limit": 2}},
        {"path": "/W/erp/orders?limit=2", "method": "get"},
        {"path": "/:worldId/erp/:what", "params": {"worldId": "W", "what": "orders"}, "query": {"limit": 2}},
        {
            "path": "/{worldId}/erp/orders",
            "params": {"worldId": "W"},
            "query": {"limit": "2", "status": None},
        },
        {"path": "/{world_id}/erp/orders", "params": {"world_id": "W"}, "query": {"limit": 2}, "body": {}},
    ],
)
def test_a_call_is_filled_in_and_takes_one_step(client: Any, call: dict[str, Any]) -> None:
    world = client.create()
    for _ in range(30):
        client.ask("POST", f"/sim/worlds/{world}/advance")
    filled = {**call, "path": call["path"].replace("/W/", f"/{world}/")}
    if "params" in call:
        filled["params"] = {key: world if value == "W" else value for key, value in call["params"].items()}
    before = steps(client)
    status, answer = client.ask("POST", "/world/act", filled)
    assert status == 200, answer
    assert len(answer["data"]) == 2
    assert steps(client) == before + 1


def test_a_creation_is_answered_with_200_and_says_201_inside(client: Any) -> None:
    world = client.create()
    body = {"title": "t", "description": "d", "requester": "r"}
    call = {"path": f"/{world}/tickets", "method": "POST", "body": body}
    status, answer = client.ask("POST", "/world/act", call)
    assert (status, answer["status"], answer["success"]) == (200, 201, True)
    assert client.ask("POST", f"/{world}/tickets", body)[0] == 201


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ({"path": "/W/erp/orders/none"}, 404),
        ({"path": "/W/erp/orders", "method": "POST", "body": {}}, 400),
        ({"path": "/W/knowledge-graph"}, 501),
        ({"path": "/W/verification/verify-ticket", "method": "POST", "body": {"ticketId": "x"}}, 404),
    ],
)
def test_a_refused_call_takes_its_step_and_keeps_its_status(
    client: Any, call: dict[str, Any], status: int
) -> None:
    world = client.create()
    found, answer = client.ask(
        "POST", "/world/act", {**call, "path": call["path"].replace("/W/", f"/{world}/")}
    )
    assert (found, answer["status"], answer["success"]) == (status, status, False)
    assert steps(client) == 1


def test_an_agent_may_read_the_world_itself(client: Any) -> None:
    world = client.create()
    status, answer = client.ask("POST", "/world/act", {"path": f"/world/{world}", "method": "GET"})
    assert (status, answer["data"]["_id"], steps(client)) == (200, world, 1)
    for call in (
        {"path": f"/world/{world}", "method": "DELETE"},
        {"path": f"/world/{world}/chaos"},
        {"path": "/world"},
    ):
        assert client.ask("POST", "/world/act", call)[0] == 404


def test_a_call_beside_the_agent_takes_no_step(client: Any) -> None:
    world = client.create()
    assert client.ask("GET", f"/{world}/tickets")[0] == 200
    assert client.ask("PUT", f"/{world}/od/schedules/pause")[0] == 200
    assert steps(client) == 0


def test_for_the_vendors_client_logs_name_only_services_it_knows(run_server: Callable[..., Any]) -> None:
    services = {}
    for sdk in (False, True):
        client = run_server(sdk=sdk)
        world = client.create()
        for _ in range(60):
            client.ask("POST", f"/sim/worlds/{world}/advance")
        items = client.ask("GET", f"/{world}/logs")[1]["data"]["items"]
        services[sdk] = {item["serviceType"] for item in items}
    assert "wms" in services[False]
    assert services[True] <= {"as2", "edi", "erp", "gateway", "infra", "other", "translator", "validator"}
    assert "other" in services[True]
