"""Requests are held against the catalogue: what fits passes, and one broken field is named."""

import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import catalogue
from skyfall_crl.env.morpheus.simulation.catalogue.documents import standing_alone
from skyfall_crl.env.morpheus.simulation.catalogue.index import named

WITH_FIELDS = [each for each in catalogue.operations() if each.body_fields]
slowly = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Nothing:
    """A value that no kind takes."""


@slowly
@given(data=st.data())
def test_a_body_that_fits_passes_and_so_says_its_schema(
    data: st.DataObject, fitting: Callable[[Any], st.SearchStrategy[Any]]
) -> None:
    operation = data.draw(st.sampled_from(WITH_FIELDS))
    assert operation.body is not None
    body = data.draw(fitting(operation.body))
    assert operation.check_body(body) is None
    jsonschema.validate(body, standing_alone(operation.body.schema(), named))


@slowly
@given(data=st.data())
def test_one_broken_field_is_named(
    data: st.DataObject, fitting: Callable[[Any], st.SearchStrategy[Any]]
) -> None:
    operation = data.draw(st.sampled_from(WITH_FIELDS))
    body = data.draw(fitting(operation.body).filter(bool))
    name = data.draw(st.sampled_from(sorted(body)))
    body[name] = Nothing()
    problem = operation.check_body(body)
    kinds = (
        {each.name: each.kind for each in operation.body.fields} if hasattr(operation.body, "fields") else {}
    )
    if name in kinds and kinds[name].schema() != {}:
        assert problem is not None
        assert problem.startswith(f"body.{name}: expected ")
        assert "found " in problem


@slowly
@given(data=st.data())
def test_a_required_field_that_lacks_is_named(
    data: st.DataObject, fitting: Callable[[Any], st.SearchStrategy[Any]]
) -> None:
    demanding = [each for each in WITH_FIELDS if each.check_body(None) is not None]
    operation = data.draw(st.sampled_from(demanding))
    body = data.draw(fitting(operation.body))
    required = [each.name for each in operation.body.fields if each.required]
    name = data.draw(st.sampled_from(required))
    del body[name]
    problem = operation.check_body(body)
    assert problem is not None
    assert problem.startswith(f"body.{name}: expected ")
    assert problem.endswith("found nothing")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, standing_alone(operation.body.schema(), named))


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("PUT", "erp/orders/O/status", {"status": "ON"}, "body.status: expected one of ACKED, .*, found 'ON'"),
        ("PUT", "erp/orders/O/status", [], "body: expected an object, found a list of 0"),
        ("PUT", "erp/orders/O/status", None, "body: expected an object, found nothing"),
        ("PUT", "erp/payments/P/allocations", {"allocations": [{"invoiceNumber": "I", "appliedAmount": "1"}]},
         r"body.allocations\[0\].appliedAmount: expected a number, found '1'"),
        ("PATCH", "ledger", {"cash": float("nan")}, "body.cash: expected a number, found nan"),
        ("PATCH", "ledger", {"cash": True}, "body.cash: expected a number, found True"),
        ("POST", "erp/shipments/S/events", {"ts": "2026-13-01T00:00:00Z", "location": "", "status": ""},
         "body.ts: expected an ISO date and time, found '2026-13-01T00:00:00Z'"),
    ],
)  # fmt: skip
def test_a_refusal_says_where_what_was_expected_and_what_was_found(
    method: str, path: str, body: Any, said: str
) -> None:
    match = catalogue.find(method, path)
    assert match is not None
    problem = match.operation.check_body(body)
    assert problem is not None
    assert re.fullmatch(said, problem), problem


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("erp/orders", {"limit": "10", "cursor": "x", "unknown": "y", "orderdateStart": "2026-01-05"}, None),
        ("erp/orders", {"orderdateStart": "2026-01-05T00:00:00"}, None),
        ("wms/tasks", {"status": ["CREATED", "RELEASED"]}, None),
        ("wms/tasks", {"status": "CREATED"}, None),
        ("wms/inventory", {"offset": "0", "expiringSoon": "true"}, None),
        ("erp/orders", {"limit": "0"}, "query.limit: expected a whole number from 1 to 99999, found 0"),
        (
            "erp/orders",
            {"limit": ["1", "2"]},
            "query.limit: expected a whole number from 1 to 99999, found a list of 2",
        ),
        ("wms/tasks", {"status": ["CREATED", "on"]}, "query.status[1]: expected one of"),
        ("wms/outbound-orders/status", {}, "query.status: expected a list, found nothing"),
        (
            "wms/tasks/timestamps",
            {"includeHistorical": "True"},
            "query.includeHistorical: expected true or false",
        ),
    ],
)
def test_a_query_is_read_from_its_texts(path: str, query: dict[str, Any], said: str | None) -> None:
    match = catalogue.find("GET", path)
    assert match is not None
    problem = match.operation.check_query(query)
    assert problem is None if said is None else str(problem).startswith(said)


def test_null_stands_for_absent_only_where_the_vendors_parser_takes_it() -> None:
    match = catalogue.find("PUT", "erp/orders/ORDER_1")
    assert match is not None
    check = match.operation.check_body
    assert check({"notes": None, "subtotal": None, "lines": None}) is None
    assert check({"status": None}) is not None
    assert check({"dueDate": None}) is not None
    assert check({"customFields": None}) is not None
