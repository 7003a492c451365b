"""The page at `/` is closed to everything but itself, and its figures are those of the worlds and tell no cause."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.floor


def test_the_page_takes_styles_and_scripts_from_its_own_server_alone(client: Any) -> None:
    for target, kind in (
        ("/", "text/html"),
        ("/docs", "text/html"),
        ("/docs/page.js", "text/javascript"),
        ("/docs/page.css", "text/css"),
    ):
        status, headers, content = client.raw("GET", target)
        assert status == 200
        assert headers["content-type"].startswith(kind)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert b"http://" not in content.replace(b"http://www.w3.org/2000/svg", b"")
    assert b"<script>" not in client.raw("GET", "/")[2]
    assert b"innerHTML" not in client.raw("GET", "/docs/page.js")[2]


def test_the_overview_counts_what_the_world_holds(client: Any) -> None:
    world = client.create(seed=3)
    for _ in range(200):
        client.ask("POST", f"/sim/worlds/{world}/advance")
    client.ask("POST", "/world/act", {"path": f"/{world}/erp/orders"})
    (shown,) = client.ask("GET", "/sim/overview")[1]["data"]["worlds"]
    assert (shown["id"], shown["step"]) == (world, 201)
    opened = client.ask("GET", f"/{world}/tickets?status=open&limit=1000")[1]["data"]["totalCount"]
    assert shown["tickets"] == opened == sum(stage["tickets"] for stage in shown["stages"])
    assert shown["orders"]["entered"] >= shown["orders"]["completed"] + shown["tickets"]
    assert shown["money"]["blocked"] > 0
    assert shown["actions"] == [
        {"step": 200, "method": "GET", "path": "/erp/orders", "status": 200, "agent": True}
    ]
    assert "cause" not in str(shown)


def test_the_list_of_operations_strikes_out_what_is_not_simulated(run_server: Callable[..., Any]) -> None:
    content = run_server().raw("GET", "/docs")[2].decode()
    assert "<s><code>GET /{worldId}/knowledge-graph</code></s>" in content
    assert "<li><code>GET /{worldId}/erp/orders</code>" in content
