"""The catalogue holds the whole wire, and finds what a method and a path mean."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import catalogue


def test_every_operation_of_the_wire_is_declared_once() -> None:
    operations = catalogue.operations()
    assert len({each.key for each in operations}) == len(operations) == 281
    methods = Counter(each.method for each in operations)
    assert methods == {"GET": 141, "POST": 59, "PUT": 55, "DELETE": 14, "PATCH": 12}
    assert len(catalogue.operations("wms")) == 124
    assert len(catalogue.operations("erp")) == 47
    assert len(catalogue.operations("tms")) == 33


def test_every_operation_is_found_by_its_own_path() -> None:
    for operation in catalogue.operations():
        filled = operation.path.replace("{", "").replace("}", "")
        if operation.path.startswith("/{worldId}/"):
            match = catalogue.find(operation.method, filled.removeprefix("/worldId/"))
        else:
            match = catalogue.find_root(operation.method, filled)
        assert match is not None, operation.key
        assert match.operation is operation
        assert all(name == value for name, value in match.parameters.items())


def test_every_kind_can_be_read_and_gives_a_valid_schema() -> None:
    for operation in catalogue.operations():
        assert isinstance(operation.answer.schema(), dict)
        assert operation.summary
        assert set(operation.query_fields) == set(operation.query.schema()["properties"])
    for number, name in enumerate(catalogue.names()):
        schema = catalogue.entity(name).schema()
        assert "#/components" not in json.dumps(schema)
        if number % 8 == 0:
            jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("method", "path", "key", "parameters"),
    [
        ("GET", "wms/outbound-orders/status", "wms/outbound-orders/status", {}),
        ("GET", "wms/outbound-orders/ORDER_1", "wms/outbound-orders/{orderId}", {"orderId": "ORDER_1"}),
        ("GET", "erp/companies/mpc", "erp/companies/mpc", {}),
        ("GET", "erp/companies/duns", "erp/companies/{companyId}", {"companyId": "duns"}),
        ("GET", "edi/deprecated", "edi/deprecated", {}),
        ("GET", "tms/carriers/code/X", "tms/carriers/code/{carrierCode}", {"carrierCode": "X"}),
        ("GET", "tms/carriers/X/metrics", "tms/carriers/{carrierId}/metrics", {"carrierId": "X"}),
        ("GET", "tms/shipments/in-transit", "tms/shipments/in-transit", {}),
        (
            "PUT",
            "tms/shipments/in-transit/accept",
            "tms/shipments/{shipmentId}/accept",
            {"shipmentId": "in-transit"},
        ),
        ("PUT", "od/schedules/pause", "od/schedules/pause", {}),
        (
            "DELETE",
            "wms/zones/Z/aisles/A",
            "wms/zones/{zoneId}/aisles/{aisleId}",
            {"zoneId": "Z", "aisleId": "A"},
        ),
    ],
)
def test_literals_win_over_parameters(method: str, path: str, key: str, parameters: dict[str, str]) -> None:
    match = catalogue.find(method, path)
    assert match is not None
    assert match.operation.path == f"/{{worldId}}/{key}"
    assert match.parameters == parameters


@pytest.mark.parametrize(
    "path", ["", "erp", "erp/orders/", "erp//orders", "erp/orders/a/b", "world", "x" * 9999]
)
def test_what_is_no_operation_is_none(path: str) -> None:
    assert catalogue.find("GET", path) is None
    assert catalogue.find("TRACE", path) is None


def test_paths_of_the_deployment_are_apart_from_those_of_a_world() -> None:
    for path, template in (
        ("/world/act", "/world/act"),
        ("/world", "/world"),
        ("/world/act/reset", "/world/{worldId}/reset"),
    ):
        match = catalogue.find_root("POST", path)
        assert match is not None
        assert match.operation.path == template
    assert catalogue.find_root("GET", "/world/layouts") is not None
    assert catalogue.find_root("GET", "/erp/orders") is None


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_entity_that_fits_passes_and_one_broken_field_is_named(
    data: st.DataObject, fitting: Callable[[Any], st.SearchStrategy[Any]]
) -> None:
    name = data.draw(st.sampled_from(["ERPOrder", "ItsmTicket", "TMSShipment", "WMSTask", "WMSInventory"]))
    entity = catalogue.entity(name)
    document = data.draw(fitting(entity.kind))
    assert entity.problem(document) is None
    jsonschema.validate(document, entity.schema())
    document["createdAt" if name != "WMSInventory" else "quantityOnHand"] = []
    assert str(entity.problem(document)).startswith(f"{name}.")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, entity.schema())


def test_a_name_nobody_declares_is_a_lookup_error() -> None:
    with pytest.raises(LookupError, match="ERPOrdre"):
        catalogue.entity("ERPOrdre")


def test_importing_the_catalogue_reads_no_table() -> None:
    code = (
        "import sys; import skyfall_crl.env.morpheus.simulation.catalogue as c; "
        "assert not [name for name in sys.modules if name.startswith(c.__name__ + '.')]; "
        "assert c.find('GET', 'erp/orders') and 'find' in vars(c)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
