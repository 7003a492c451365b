"""The deployment's own operations are answered in the wire's shapes, and what is refused is refused in words."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest

from skyfall_crl.env.morpheus.simulation.catalogue import find, find_root, names, operations
from skyfall_crl.env.morpheus.simulation.catalogue.documents import standing_alone
from skyfall_crl.env.morpheus.simulation.catalogue.index import named
from skyfall_crl.env.morpheus.simulation.layouts import layout_names

pytestmark = pytest.mark.floor

ERROR = standing_alone({"$ref": "#/components/schemas/ErrorResponse"}, named)


def fits(method: str, target: str, answer: Any) -> None:
    """Hold an answer against what the catalogue declares for a request."""
    path = target.partition("?")[0]
    match = find_root(method, path) or find(method, path.split("/", 2)[2])
    assert match is not None, target
    jsonschema.validate(answer, standing_alone(match.operation.answer.schema(), named))


def test_worlds_are_created_in_every_layout_with_their_companies_and_products(client: Any) -> None:
    for seed, layout in enumerate(layout_names()):
        body = {"name": "n", "layout": layout, "simulation": {"seed": seed}}
        status, answer = client.ask("POST", "/world", body)
        assert status == 200
        fits("POST", "/world", answer)
        assert answer["world"]["layout"] == layout
        assert answer["world"]["chaos"]["processChaosEnabled"] is False
        assert len(answer["npcCompanies"]) == 5
        assert len(answer["productsForMpc"]) == 20
        assert answer["mainCompany"]["isMpcCompany"] is True


@pytest.mark.parametrize(
    "body",
    [
        {"name": "sync", "layout": None},
        {
            "name": "async",
            "layout": None,
            "description": None,
            "realHoursPerSimDay": None,
            "is_default": False,
        },
        {"name": "x", "layout": "process-inbound", "apiKey": "canary-key", "apiSecret": "canary-secret"},
    ],
)
def test_what_the_vendors_clients_send_makes_a_world_and_credentials_are_not_kept(
    client: Any, body: Any
) -> None:
    status, answer = client.ask("POST", "/world", body)
    assert status == 200
    read = client.ask("GET", f"/world/{answer['world']['_id']}")[1]
    assert "canary" not in str(answer) + str(read)


def test_creating_can_be_followed_as_events(client: Any) -> None:
    status, headers, content = client.raw("POST", "/world?stream=true", {"name": "n", "layout": None})
    assert status == 200
    assert headers["content-type"] == "text/event-stream"
    kinds = [line.partition(b": ")[2] for line in content.splitlines() if line.startswith(b"event")]
    assert kinds == [b"connected", b"progress", b"complete"]


def test_a_world_is_read_changed_listed_reset_and_deleted(client: Any) -> None:
    world = client.create()
    targets = ("", "/chaos", "/capabilities")
    for target in targets:
        status, answer = client.ask("GET", f"/world/{world}{target}")
        assert status == 200
        fits("GET", f"/world/{world}{target}", answer)
    changes = {"name": "other", "realHoursPerSimDay": 4, "personas": {"allowedPersonas": ["p"]}}
    status, answer = client.ask("PATCH", f"/world/{world}", changes)
    fits("PATCH", f"/world/{world}", answer)
    assert {key: answer["data"][key] for key in changes} == changes
    fresh = client.digest(world)
    client.ask("POST", f"/sim/worlds/{world}/advance")
    assert client.digest(world) != fresh
    status, answer = client.ask("POST", f"/world/{world}/reset")
    fits("POST", f"/world/{world}/reset", answer)
    assert client.digest(world) == fresh
    status, answer = client.ask("DELETE", f"/world/{world}")
    fits("DELETE", f"/world/{world}", answer)
    assert client.ask("GET", f"/world/{world}")[0] == 404
    assert client.ask("GET", f"/{world}/tickets")[0] == 404


def test_worlds_are_listed_page_by_page_and_searched(client: Any) -> None:
    worlds = [client.create(seed) for seed in range(5)]
    found, cursor = [], ""
    for _ in range(3):
        answer = client.ask("GET", f"/world?limit=2{cursor}")[1]
        fits("GET", "/world", answer)
        found += [each["_id"] for each in answer["data"]["worlds"]]
        cursor = f"&cursor={answer['data']['nextCursor']}"
    assert found == worlds
    assert answer["data"]["nextCursor"] is None
    listed = client.ask("GET", "/world?search=WORLD%203&is_default=false")[1]["data"]["worlds"]
    assert [each["_id"] for each in listed] == [worlds[3]]


def test_chaos_takes_policies_switches_and_axes_and_reads_as_their_union(client: Any) -> None:
    world = client.create()
    policy = client.ask("GET", "/chaos/presets/light")[1]["data"]
    answer = client.ask("PUT", f"/world/{world}/chaos", policy)[1]
    fits("PUT", f"/world/{world}/chaos", answer)
    assert answer["data"]["chaos"]["probability"] == 0.05
    axes = {"infraChaosEnabled": True, "simulation": {"axes": {"demand": 1.5}}}
    answer = client.ask("PUT", f"/world/{world}/chaos", axes)[1]
    fits("PUT", f"/world/{world}/chaos", answer)
    read = client.ask("GET", f"/world/{world}/chaos")[1]["data"]["chaos"]
    assert read["simulation"]["axes"]["demand"] == 1.5
    assert read["infraChaosEnabled"] is True
    fits("DELETE", f"/world/{world}/chaos", client.ask("DELETE", f"/world/{world}/chaos")[1])
    read = client.ask("GET", f"/world/{world}/chaos")[1]["data"]["chaos"]
    assert (read["enabled"], read["probability"], read["scenarios"]) == (False, 0.0, [])
    for target in ("/chaos/presets", "/chaos/status", "/world/layouts"):
        fits("GET", target, client.ask("GET", target)[1])


def test_every_layout_is_described_also_one_with_a_slash_in_its_name(client: Any) -> None:
    for layout in layout_names():
        for written in {layout, quote(layout, safe="")}:
            status, answer = client.ask("GET", f"/world/layouts/{written}")
            assert (status, answer["data"]["id"]) == (200, layout)


def test_every_read_of_a_world_that_takes_nothing_fits_its_schema(client: Any) -> None:
    world = client.create(seed=2)
    for _ in range(60):
        client.ask("POST", f"/sim/worlds/{world}/advance")
    seen = 0
    for operation in operations():
        reading = operation.method == "GET" and operation.path.startswith("/{worldId}/")
        if reading and operation.path.count("{") == 1 and operation.check_query({}) is None:
            target = operation.path.replace("{worldId}", world)
            status, answer = client.ask(
                "GET", f"{target}?limit=5" if "limit" in operation.query_fields else target
            )
            jsonschema.validate(
                answer, ERROR if status >= 400 else standing_alone(operation.answer.schema(), named)
            )
            seen += status == 200
    assert seen >= 30


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "said"),
    [
        ("POST", "/world", {"layout": None}, 400, "body.name: expected text, found nothing"),
        ("POST", "/world", {"name": "", "layout": None}, 400, "body.name: expected a name"),
        (
            "POST",
            "/world",
            {"name": "n", "layout": "mars"},
            400,
            "body.layout: expected one of process-outbound",
        ),
        ("POST", "/world", {"name": "n", "layout": None, "simulation": {"seed": -1}}, 400, "simulation.seed"),
        ("POST", "/world", {"name": "n", "layout": None, "realHoursPerSimDay": 0}, 400, "realHoursPerSimDay"),
        ("POST", "/world", None, 400, "body: expected an object, found nothing"),
        ("POST", "/world", b"{", 400, "body: expected JSON"),
        ("POST", "/world", b'{"name": "\xff"}', 400, "body: expected JSON"),
        ("POST", "/world", b"[" * 9000, 400, "body: expected JSON"),
        ("PATCH", "/world/W", {"layout": "process-inbound"}, 400, "body.layout: expected process-outbound"),
        ("PATCH", "/world/W", {"ticketCreationEnabled": False}, 501, "always opens tickets"),
        ("PATCH", "/world/W", {"name": "x", "chaos": {"enabled": True}}, 400, "body.chaos.probability"),
        ("PUT", "/world/W/chaos", {"simulation": {"axes": {"demand": -1}}}, 400, "axes.demand: expected"),
        ("GET", "/world?limit=x", None, 400, "query.limit: expected a whole number"),
        ("GET", "/world/layouts/mars", None, 404, "expected one of"),
        ("GET", "/chaos/presets/mars", None, 404, "expected one of"),
        ("GET", "/docs/mesh", None, 400, "query.service"),
        ("POST", "/world/act", {"method": "GET"}, 400, "body.path: expected text, found nothing"),
        ("POST", "/world/act", {"path": "/mars/tickets"}, 404, "expected the id of a world"),
        ("POST", "/world/act", {"path": "/W/nothing"}, 404, "no operation"),
        ("GET", "/mars/tickets", None, 404, "expected the id of a world"),
        ("GET", "/W/planning", None, 404, "expected an operation"),
        ("GET", "/W/reward-config", None, 404, "expected an operation"),
        ("GET", "/W/knowledge-graph", None, 501, "not simulated"),
        ("PUT", "/W/tickets", None, 405, "expected GET, POST, found PUT"),
        ("PUT", "/docs", None, 405, "expected GET, found PUT"),
        ("GET", "/sim/worlds/W/advance", None, 405, "expected POST"),
        ("GET", "/sim/worlds/W/nothing", None, 404, "expected an operation"),
        ("POST", "/sim/worlds/mars/advance", None, 404, "expected the id of a world"),
        ("POST", "/sim/worlds/W/restore", {}, 400, "body.state: expected a snapshot"),
        ("POST", "/sim/worlds/W/restore", {"state": {}}, 400, "snapshot: expected"),
        ("POST", "/sim/worlds/W/commit", {"forkId": "mars"}, 404, "expected the id of a world"),
        ("GET", "/W/..%2Ftickets", None, 404, "expected no slash"),
        ("GET", "/W/%ff", None, 400, "UTF-8"),
        ("POST", "/W/verification/verify-ticket", {}, 400, "body.ticketId"),
        ("POST", "/W/verification/verify-ticket", {"ticketId": "x"}, 404, "expected a ticket"),
        ("POST", "/W/verification/verify-entity", {"odId": ""}, 400, "verify-entity: expected"),
        ("GET", "/W/wms/outbound-orders/status?status=PACKED&limit=4.2", None, 400, "query.limit"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(
    shared_client: Any, method: str, target: str, body: Any, status: int, said: str
) -> None:
    client = shared_client
    world = client.create()
    before = client.digest(world), client.ask("GET", "/world")[1]["data"]
    if isinstance(body, dict) and "path" in body:
        body = {**body, "path": body["path"].replace("/W/", f"/{world}/")}
    found, answer = client.ask(method, target.replace("/W", f"/{world}"), body)
    assert found == status, answer
    assert said in answer["error"]
    if "verify" not in target:
        jsonschema.validate(answer, ERROR)
    if method != "POST" or "/act" not in target or status != 404 or "nothing" not in str(body):
        assert (client.digest(world), client.ask("GET", "/world")[1]["data"]) == before
    client.ask("DELETE", f"/world/{world}")


def test_the_catalogue_of_worlds_and_the_documents_of_the_server_name_the_same(
    run_server: Callable[..., Any],
) -> None:
    client = run_server()
    document = client.ask("GET", "/docs/swagger.json")[1]
    assert set(names()) == set(document["components"]["schemas"])
    assert len([key for path in document["paths"].values() for key in path if key != "parameters"]) == 281 + 9
    assert client.raw("GET", "/docs")[0] == 200
