"""Money and units are put together from what a deployment records, each source failing on its own."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.economics import SOURCES, FinancialState, read_source
from skyfall_crl.env.morpheus.wire_records import invoices, moment, orders, shipments, total_count


def invoice(number: int, status: str, total: Any, **more: Any) -> dict[str, Any]:
    return {
        "_id": f"{number:024x}",
        "invoiceId": f"INV_{number}",
        "status": status,
        "totalAmount": total,
    } | more


def shipment(
    number: int, status: str, base: Any = None, fuel: Any = None, extra: Any = None
) -> dict[str, Any]:
    costs = {"baseCost": base, "fuelSurcharge": fuel, "accessorialCharges": extra}
    return {"shipmentId": f"TMS_SHIP_{number}", "status": status, "costs": costs}


def order(number: int, status: str = "COMPLETED") -> dict[str, Any]:
    return {"orderId": f"ORDER_{number}", "status": status}


def enveloped(items: list[Any], **page: Any) -> dict[str, Any]:
    return {"success": True, "status": 200, "data": items, "pagination": page}


ANSWERS = {
    "invoices": enveloped(
        [
            invoice(1, "SENT", 100.10),
            invoice(2, "PAID", 50),
            invoice(3, "PARTIALLY_PAID", 80, balanceDue=30.5),
            invoice(4, "DRAFT", 999),
            invoice(5, "REJECTED", 999),
        ]
    ),
    "shipments": enveloped(
        [shipment(1, "DELIVERED", 20, 2.5, 1), shipment(2, "IN_TRANSIT", 10), shipment(3, "DELIVERED")]
    ),
    "orders": enveloped([order(1), order(2)]),
}


def test_the_three_proxies_are_read_off_invoices_shipments_and_orders() -> None:
    state = FinancialState.from_answers(ANSWERS)
    assert state.receivable_planned_cents == 23_010
    assert state.receivable_paid_cents == 5_000 + 4_950
    assert state.shortfall_cents == 13_060
    assert state.freight_planned_cents == 3_000
    assert state.freight_overrun_cents == 350
    assert state.units_processed == 4
    assert state.missing == ()
    assert state.payment_timeliness == pytest.approx(9_950 / 23_010)
    assert state.freight_efficiency == pytest.approx(3_000 / 3_350)


def test_amounts_are_in_currency_units_and_the_row_is_plain() -> None:
    state = FinancialState.from_answers({})
    assert state.amounts == (0.0, 0.0, 0.0, 0.0, 0.0)
    assert state.to_row()["missing"] == ["invoices", "shipments", "orders"]
    assert FinancialState.from_answers(ANSWERS).amounts == (230.1, 99.5, 30.0, 3.5, 4.0)
    assert "missing" not in FinancialState.from_answers(ANSWERS).to_row()


@pytest.mark.parametrize("broken", [None, "down", {"success": False, "data": []}, 7, {"data": "x"}])
@pytest.mark.parametrize("name", [source.name for source in SOURCES])
def test_a_source_that_fails_counts_zero_and_leaves_the_others_alone(name: str, broken: Any) -> None:
    whole, partly = (
        FinancialState.from_answers(ANSWERS),
        FinancialState.from_answers(ANSWERS | {name: broken}),
    )
    assert partly.missing == (name,)
    money = {"invoices": partly.receivable_planned_cents, "shipments": partly.freight_planned_cents}
    whole_money = {"invoices": whole.receivable_planned_cents, "shipments": whole.freight_planned_cents}
    for other, cents in money.items():
        assert cents == (0 if other == name else whole_money[other])
    assert partly.units_processed == {"invoices": 4, "shipments": 2, "orders": 2}[name]


def test_a_source_with_nothing_in_it_is_not_missing() -> None:
    assert FinancialState.from_answers({source.name: [] for source in SOURCES}).missing == ()


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ({"totalCount": 90}, 90),
        ({"total": 90}, 90),
        ({"totalCount": 1}, 2),
        ({"totalCount": "x"}, 2),
        ({}, 2),
    ],
)
def test_completed_orders_beyond_the_page_count_where_the_deployment_says_how_many(
    page: dict[str, Any], expected: int
) -> None:
    answers = {"orders": enveloped([order(1), order(2)], **page)}
    assert FinancialState.from_answers(answers).units_processed == expected


def test_a_count_of_orders_in_every_state_is_not_taken_for_completed_ones() -> None:
    answers = {"orders": enveloped([order(1), order(2, "CANCELLED")], totalCount=90)}
    assert FinancialState.from_answers(answers).units_processed == 1


@pytest.mark.parametrize("amount", [True, "12", -5, float("nan"), float("inf"), 1e300, 10**400, [], {}])
def test_an_amount_that_is_none_counts_zero(amount: Any) -> None:
    assert FinancialState.from_answers({"invoices": [invoice(1, "SENT", amount)]}).amounts[0] == 0.0
    assert FinancialState.from_answers({"shipments": [shipment(1, "SENT", amount, amount, amount)]}).amounts[
        2:4
    ] == (
        0.0,
        0.0,
    )


def test_a_paid_share_is_never_more_than_the_invoice() -> None:
    owing = [invoice(1, "PARTIALLY_PAID", 10, balanceDue=40), invoice(2, "PARTIALLY_PAID", 10)]
    assert FinancialState.from_answers({"invoices": owing}).receivable_paid_cents == 0


def test_an_entity_listed_twice_counts_once_and_one_without_an_id_not_at_all() -> None:
    answers = {
        "invoices": [invoice(1, "SENT", 10), invoice(1, "SENT", 10), {"status": "SENT", "totalAmount": 5}]
    }
    assert FinancialState.from_answers(answers).receivable_planned_cents == 1_000


def test_names_in_snake_case_read_the_same() -> None:
    entry = {"invoice_id": "INV_1", "status": "sent", "total_amount": 10, "issue_date": "2026-01-01"}
    (found,) = invoices([entry | {"due_date": "2026-01-31", "created_at": "2026-01-01T08:00:00Z"}])
    assert (found.figures.planned, found.figures.term_days) == (1_000, 30)
    assert found.opened == moment("2026-01-01T08:00:00+00:00")


def test_a_shipment_says_which_order_it_belongs_to() -> None:
    (found,) = shipments([shipment(1, "PLANNED") | {"references": {"orderId": "ORDER_7"}}])
    assert found.orders == ("ORDER_7",)


@pytest.mark.parametrize("text", ["2026-13-01", "", "0001-01-01T00:00:00+14:00", "yesterday"])
def test_a_time_that_is_none_reads_as_none(text: str) -> None:
    assert moment(text) is None


def test_a_document_that_comes_again_is_read_again_only_where_it_changed() -> None:
    known: dict[bytes, Any] = {}
    document, other = shipment(1, "PLANNED", 10), shipment(2, "PLANNED", 10)
    first = shipments([document, other], known)
    document["costs"]["fuelSurcharge"] = 5
    second = shipments([document, other], known)
    assert [record.figures.overrun for record in second] == [500, 0]
    assert second[1] is first[1]
    assert shipments([], known) == []
    assert known == {}


KEYS = st.sampled_from(
    (
        *("success", "data", "items", "status", "costs", "baseCost", "fuelSurcharge", "totalAmount"),
        *("invoiceId", "shipmentId", "orderId", "_id", "pagination", "totalCount", "issueDate", "dueDate"),
        *("createdAt", "references", "invoiceType", "balanceDue"),
    )
)
WORDS = st.sampled_from(
    [
        "SENT",
        "PAID",
        "PARTIALLY_PAID",
        "DELIVERED",
        "COMPLETED",
        "INV_1",
        "CREDIT",
        "2026-01-01",
        "9999-12-31T23:59Z",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=6)
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(["invoices", "shipments", "orders"]), JSON, max_size=3))
def test_no_json_makes_the_projection_raise_or_leave_its_ranges(answers: dict[str, Any]) -> None:
    state = FinancialState.from_answers(answers)
    assert all(isinstance(amount, float) and 0.0 <= amount < float("inf") for amount in state.amounts)
    assert 0.0 <= state.payment_timeliness <= 1.0
    assert 0.0 <= state.freight_efficiency <= 1.0
    assert state.shortfall_cents >= 0


@given(JSON)
def test_no_json_makes_a_source_raise(payload: Any) -> None:
    for source in SOURCES:
        found = read_source(source, payload)
        assert found is None or all(record.names for record in found)
    total_count(payload)
    orders(payload)
