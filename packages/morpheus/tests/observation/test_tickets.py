"""Tickets are read out of whatever a deployment answers, and nothing it answers is an exception."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.observation import (
    CLOSED_STATUSES,
    OPEN_STATUSES,
    PRIORITIES,
    ObservedTicket,
    normalize_tickets,
)

CAMEL = {
    "_id": "t1",
    "title": "Short count",
    "description": "Stopped.",
    "priority": "high",
    "status": "in_progress",
    "createdAt": "2026-01-05T00:00:00.000Z",
    "workNotes": [{"author": "a", "note": "Tried it."}, "and again", {"note": 3}],
    "metadata": {
        "odName": "Outbound logistics",
        "failedStepId": "allocate",
        "failureType": "partial_data",
        "affectedServices": ["wms", 7],
        "contextSnapshots": [{"entityId": "O_1"}, "no object"],
        "orderValue": 1.25,
    },
}
SNAKE = {
    "ticket_id": "t1",
    "title": "Short count",
    "description": "Stopped.",
    "priority": "HIGH",
    "status": "In Progress",
    "created_at": "2026-01-05T00:00:00.000Z",
    "work_notes": ["Tried it.", "and again"],
    "od_name": "Outbound logistics",
    "failed_step_id": "allocate",
    "failure_type": "partial_data",
    "affected_services": ["wms"],
    "context_snapshots": [{"entityId": "O_1"}],
    "order_value": 1.25,
}
TICKET = ObservedTicket(
    ticket_id="t1",
    priority="high",
    status="in_progress",
    title="Short count",
    description="Stopped.",
    failure_type="partial_data",
    process="Outbound logistics",
    failed_step="allocate",
    created_at="2026-01-05T00:00:00.000Z",
    order_value=1.25,
    services=("wms",),
    evidence=({"entityId": "O_1"},),
    work_notes=("Tried it.", "and again"),
)


@pytest.mark.parametrize("payload", [CAMEL, SNAKE])
def test_camel_case_and_snake_case_say_the_same(payload: dict[str, Any]) -> None:
    assert ObservedTicket.from_payload(payload) == TICKET


@pytest.mark.parametrize("found", [None, "", 3, "urgent!!", ["high"], {"a": 1}])
def test_an_unknown_priority_counts_least_and_an_unknown_status_stays_open(found: Any) -> None:
    ticket = ObservedTicket.from_payload({"id": "x", "priority": found, "status": found})
    assert ticket is not None
    assert (ticket.priority, ticket.status, ticket.is_open) == ("low", "open", True)


@pytest.mark.parametrize("status", CLOSED_STATUSES)
def test_resolved_and_closed_tickets_are_not_open(status: str) -> None:
    ticket = ObservedTicket.from_payload({"id": "x", "status": status})
    assert ticket is not None
    assert not ticket.is_open


@pytest.mark.parametrize(
    "payload", [{}, {"_id": ""}, {"_id": " "}, {"_id": None}, {"id": True}, {"id": 1.5}, "x", 3, None]
)
def test_what_has_no_identity_is_no_ticket(payload: Any) -> None:
    assert ObservedTicket.from_payload(payload) is None


def test_a_number_may_be_an_identity() -> None:
    ticket = ObservedTicket.from_payload({"id": 7})
    assert ticket is not None
    assert ticket.ticket_id == "7"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, "3", True, 1e13, None])
def test_an_order_value_that_is_no_amount_reads_as_zero(value: Any) -> None:
    ticket = ObservedTicket.from_payload({"id": "x", "orderValue": value})
    assert ticket is not None
    assert ticket.order_value == 0.0


@pytest.mark.parametrize(
    "response",
    [
        [CAMEL],
        (CAMEL,),
        {"success": True, "data": {"items": [CAMEL], "totalCount": 1}},
        {"data": [CAMEL], "pagination": {}},
        {"items": [CAMEL]},
        {"tickets": [CAMEL]},
        {"data": {"tickets": [CAMEL, None, "x", {"title": "no id"}]}},
        [CAMEL, {"_id": "t1", "title": "the same again"}],
    ],
)
def test_every_envelope_gives_the_same_tickets(response: Any) -> None:
    assert normalize_tickets(response) == [TICKET]


@pytest.mark.parametrize(
    "response",
    [
        None,
        "down for maintenance",
        503,
        [],
        {},
        {"success": False, "error": "x", "data": [CAMEL]},
        {"data": None},
        {"data": "x"},
    ],
)
def test_a_malformed_response_reads_as_no_tickets(response: Any) -> None:
    assert normalize_tickets(response) == []


names = st.sampled_from(
    [
        "_id",
        "id",
        "ticket_id",
        "priority",
        "status",
        "metadata",
        "workNotes",
        "data",
        "items",
        "success",
        "contextSnapshots",
    ]
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(names | st.text(max_size=4) | st.integers(), inner, max_size=6)
    ),
    max_leaves=30,
)


@given(anything)
def test_normalising_never_raises_and_always_gives_known_buckets(response: Any) -> None:
    for ticket in normalize_tickets(response):
        assert ticket.ticket_id
        assert ticket.priority in PRIORITIES
        assert ticket.status in OPEN_STATUSES + CLOSED_STATUSES
