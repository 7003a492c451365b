"""Every simulated operation under valid and invalid requests: an answer, in the shape the wire declares."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import World, catalogue, layout_named, layout_names, services
from skyfall_crl.env.morpheus.simulation.catalogue import Operation
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import (
    Choice,
    Flag,
    Instant,
    Kind,
    Listed,
    Number,
    Text,
)
from skyfall_crl.env.morpheus.simulation.catalogue.records import Either, Named, Nullable, Record
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.operations import Operations

WORLD_ID = "5f" * 12
SIMULATED = [
    each for each in catalogue.operations() if each.path.startswith("/{worldId}/") and services.handler(each)
]
STATUSES = (200, 201, 400, 404, 409, 422, 501)
MOMENTS = ("2026-01-06T00:00:00.000Z", "2026-02-01T10:30:00Z")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
IDS = st.sampled_from(
    [
        *("ORDER_{n}", "INV_{n}", "INV_{n}-2", "PAY_{n}", "PROD_{n}", "COMP_{n}", "SHIP_{n}", "TMS_SHIP_{n}"),
        *(
            "CARRIER_{n}",
            "wms_outbound-order_{n}",
            "wms_inventory_{n}",
            "wms_task_{n}",
            "wms_cycle-count_{n}",
        ),
        *(
            "wms_replenishment_{n}",
            "wms_shipment_{n}",
            "TRANS_{n}",
            "TRANS_N0",
            "COMP_MPC",
            "PROD_A01",
            "CARRIER_R",
        ),
        *(
            "wms_warehouse_1",
            "wms_zone_A1",
            "wms_bin_A01",
            "wms_dc_1",
            "wms_dock-door_A1",
            "mine",
            "1",
            "A-01-1",
        ),
    ]
)


def values(kind: Kind) -> st.SearchStrategy[Any]:
    """Return values of a kind of the catalogue."""
    if isinstance(kind, Named | Nullable):
        return values(kind.kind)
    if isinstance(kind, Either):
        return st.one_of([values(each) for each in kind.kinds])
    if isinstance(kind, Record):
        required = {each.name: values(each.kind) for each in kind.fields if each.required}
        optional = {each.name: values(each.kind) for each in kind.fields if not each.required}
        return st.fixed_dictionaries(required, optional=optional)
    if isinstance(kind, Listed):
        return st.lists(values(kind.item), max_size=2)
    if isinstance(kind, Number):
        return st.integers(kind.least or 0, 50)
    if isinstance(kind, Instant):
        return st.sampled_from([moment[:10] if kind.day else moment for moment in MOMENTS])
    if isinstance(kind, Choice):
        return st.sampled_from(kind.words)
    if isinstance(kind, Flag):
        return st.booleans()
    return (
        IDS.map(lambda form: form.replace("{n}", "90")) if isinstance(kind, Text) else st.just({"note": "x"})
    )


@cache
def known_ids() -> dict[str, list[str]]:
    """Return the ids there are in each collection of a world that has lived for a while."""
    enterprise = Enterprise(lived("process-outbound", 160), WORLD_ID)
    ids = {
        path: [document[each.key] for document in enterprise.entities(each)]
        for path, each in enterprise.directory.collections.items()
    }
    return {**ids, "tickets": [fault.ticket_id for fault in enterprise.world.blocked.values()]}


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, str, Any]:
    operation: Operation = draw(st.sampled_from(SIMULATED))
    segments: list[str] = []
    for segment in operation.path.split("/")[2:]:
        if segment.startswith("{"):
            known = known_ids().get("/".join(segments[:2]), [])
            if known and len(segments) < 3 and draw(st.integers(0, 6)):
                segment = draw(st.sampled_from(known))
            else:
                segment = draw(IDS).replace("{n}", str(draw(st.integers(60, 120))))
        segments.append(segment)
    path = "/".join(["", WORLD_ID, *segments])
    if draw(st.booleans()) and operation.query.fields:
        query = draw(values(operation.query))
        path += "?" + "&".join(
            f"{name}={value}" for name, value in query.items() if not isinstance(value, list)
        )
    body = None if operation.body is None else draw(values(operation.body))
    if draw(st.integers(0, 9)) == 9:
        body = draw(JSON)
    elif isinstance(body, Mapping) and body and draw(st.integers(0, 9)) == 9:
        body = {**body, draw(st.sampled_from(list(body))): draw(JSON)}
    return operation.method, path, body


def problem(operation: Operation, answer: Mapping[str, Any]) -> Any:
    """Return what is wrong with a successful answer, or None."""
    declared, data = operation.answer, answer["data"]
    if declared.shape == "undeclared":
        return None
    if declared.shape == "items":
        missing = {"items", "totalCount", "limit", "hasMore"} - data.keys()
        return missing or next(
            (found for item in data["items"] if (found := declared.kind.trouble(item))), None
        )
    if declared.shape in ("list", "page"):
        if declared.shape == "page" and not {"totalCount", "limit", "hasMore"} <= answer["pagination"].keys():
            return "pagination"
        return next((found for item in data if (found := declared.kind.trouble(item))), None)
    return declared.kind.trouble(data)


def lived(name: str, steps: int = 260) -> World:
    world = World(layout_named(name), 4)
    for _ in range(steps):
        world.begin()
        world.advance()
    return world


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(requests(), min_size=10, max_size=25))
def test_whatever_is_asked_the_answer_has_the_shape_the_wire_declares(
    asked: list[tuple[str, str, Any]],
) -> None:
    world = lived("process-outbound", 160)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    for method, path, body in asked:
        world.begin()
        answer = operations.perform(enterprise, method, path, body)
        world.advance()
        assert answer["status"] in STATUSES
        assert answer["success"] is (answer["status"] in (200, 201))
        assert answer["meta"].keys() == {"event", "timestamp"}
        json.dumps(answer, allow_nan=False)
        if answer["success"]:
            found = catalogue.find(method, path.partition("?")[0].removeprefix(f"/{WORLD_ID}/"))
            assert found is not None
            assert problem(found.operation, answer) is None, (method, path, answer)
        else:
            assert isinstance(answer["error"], str)


@pytest.mark.parametrize("name", layout_names())
def test_every_list_and_report_of_every_layout_fits_its_declaration(name: str) -> None:
    world = lived(name)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    for operation in SIMULATED:
        if operation.method != "GET" or "{" in operation.path.removeprefix("/{worldId}/"):
            continue
        required = [each.name for each in operation.query.fields if each.required]
        query = "&".join(f"{field}={_example(operation, field)}" for field in required)
        answer = operations.perform(enterprise, "GET", f"{operation.path}?{query}")
        assert answer["success"], (operation.key, answer)
        assert problem(operation, answer) is None, operation.key


@pytest.mark.parametrize("name", layout_names())
def test_every_entity_around_an_order_fits_its_declaration(name: str) -> None:
    enterprise = Enterprise(lived(name), WORLD_ID)
    for collection in enterprise.directory.collections.values():
        documents = enterprise.entities(collection)
        if collection.around:
            assert documents, collection.path
        for document in documents:
            if collection.entity:
                assert catalogue.entity(collection.entity).problem(document) is None


def _example(operation: Operation, name: str) -> str:
    field = next(each for each in operation.query.fields if each.name == name)
    kind = field.kind.item if isinstance(field.kind, Listed) else field.kind
    while isinstance(kind, Named):
        kind = kind.kind
    if isinstance(kind, Choice):
        return kind.words[0]
    return MOMENTS[0] if isinstance(kind, Instant) else "DELIVERED"
