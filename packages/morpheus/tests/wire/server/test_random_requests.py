"""Whatever is asked: no failure of the server's own, no traceback, and no change where a request is refused."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation.catalogue import operations
from skyfall_crl.env.morpheus.simulation.catalogue.documents import standing_alone
from skyfall_crl.env.morpheus.simulation.catalogue.index import named

pytestmark = pytest.mark.floor

ERROR = standing_alone({"$ref": "#/components/schemas/ErrorResponse"}, named)
SIDE = [
    "/sim",
    "/sim/overview",
    *(f"/sim/worlds/W/{verb}" for verb in ("restore", "commit", "digest", "signals")),
]
WORDS = st.sampled_from(
    ["ORDER_1", "INV_2", "wms_task_3", "TMS_SHIP_1", "wms_inventory_2", "0" * 24, "x", "…"]
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=8),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
SEGMENTS = st.sampled_from(
    ["W", "world", "erp", "orders", "sim", "worlds", "tickets", "docs", "..", "%2e%2e", "a%2Fb", "", "%00"]
)
METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
quickly = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def world_client(request: Any) -> Any:
    """A client of one server for all examples, with a world that has been under way for a while."""
    start: Callable[..., Any] = request.getfixturevalue("start_for_module")
    client = start()
    client.world = client.create(seed=4)
    for _ in range(60):
        client.ask("POST", f"/sim/worlds/{client.world}/advance")
    return client


def known(status: int, answer: Any) -> None:
    """Hold an answer against what a server may say at all."""
    assert status < 500 or status == 501, answer
    assert "Traceback" not in str(answer)
    if status >= 400 and isinstance(answer, dict) and "meta" in answer:
        jsonschema.validate(answer, ERROR)


@quickly
@given(data=st.data())
def test_declared_operations_with_any_body(
    world_client: Any, data: st.DataObject, fitting: Callable[[Any], st.SearchStrategy[Any]]
) -> None:
    client = world_client
    operation = data.draw(
        st.sampled_from([each for each in operations() if each.key != "DELETE /world/{worldId}"])
    )
    segments = [client.world if each == "{worldId}" else each for each in operation.path.split("/")]
    path = "/".join(quote(data.draw(WORDS)) if each.startswith("{") else each for each in segments)
    kinds = [JSON] if operation.body is None else [JSON, fitting(operation.body), fitting(operation.body)]
    body = data.draw(st.one_of(*kinds))
    limit = data.draw(
        st.sampled_from(["", "?limit=3", "?limit=0", "?cursor=x", "?status=PAID&status=SENT", "?%ff=1"])
    )
    before = client.digest(client.world)
    status, _, content = client.raw(operation.method, path + limit, json.dumps(body).encode())
    answer = json.loads(content) if status != 200 or operation.path != "/docs" else None
    known(status, answer)
    if status >= 400 and operation.path != "/world/act":
        assert client.digest(client.world) == before
    if operation.key == "POST /world" and status == 200 and b"event" not in content:
        client.ask("DELETE", f"/world/{answer['world']['_id']}")


@quickly
@given(method=METHODS, segments=st.lists(SEGMENTS, max_size=5), content=st.binary(max_size=40))
def test_any_path_and_any_bytes(world_client: Any, method: str, segments: list[str], content: bytes) -> None:
    path = "/" + "/".join(world_client.world if each == "W" else each for each in segments)
    if (method, segments) == ("DELETE", ["world", "W"]):
        return
    status, _, found = world_client.raw(method, path, content)
    assert status < 500 or status == 501
    assert b"Traceback" not in found


@quickly
@given(target=st.sampled_from(SIDE), method=METHODS, body=JSON)
def test_the_side_channel_with_any_body(world_client: Any, target: str, method: str, body: Any) -> None:
    before = world_client.digest(world_client.world)
    status, _, found = world_client.raw(
        method, target.replace("W", world_client.world), json.dumps(body).encode()
    )
    assert status < 500
    assert b"Traceback" not in found
    assert world_client.digest(world_client.world) == before
