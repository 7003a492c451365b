"""Money and stock: nothing appears or disappears, and every movement has a cause, whatever agents book."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import World, layout_named, layout_names
from skyfall_crl.env.morpheus.simulation.accounts import KEPT
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.facts import QUANTITY
from skyfall_crl.env.morpheus.simulation.operations import Operations
from skyfall_crl.env.morpheus.simulation.services.money import position, totals, transactions

WORLD_ID = "5f" * 12
AMOUNTS = st.integers(0, 10**9).map(lambda cents: cents / 100)
KINDS = st.sampled_from(["payment_in", "payment_out"])
BOOKINGS = st.one_of(
    st.tuples(st.just("POST"), st.just("finance/transactions"), st.fixed_dictionaries(
        {"type": KINDS, "amount": AMOUNTS, "sourceType": st.just("manual"), "sourceId": st.just("x")}
    )),
    st.tuples(st.just("PATCH"), st.just("ledger/increment"), st.fixed_dictionaries(
        {"cashDelta": st.integers(-(10**6), 10**6)},
        optional={"receivablesDelta": AMOUNTS, "payablesDelta": AMOUNTS},
    )),
    st.tuples(st.just("PATCH"), st.just("ledger"), st.fixed_dictionaries({"cash": AMOUNTS})),
    st.tuples(st.just("POST"), st.just("ledger"), st.fixed_dictionaries({"totalReceivables": AMOUNTS})),
    st.tuples(st.just("DELETE"), st.sampled_from([f"finance/transactions/TRANS_N{n}" for n in range(8)]), st.none()),
    st.tuples(
        st.just("PATCH"),
        st.sampled_from([f"finance/transactions/TRANS_N{n}" for n in range(8)]),
        st.fixed_dictionaries({"amount": AMOUNTS, "type": KINDS}),
    ),
)  # fmt: skip


def moved(world: World, steps: int, dice: Random) -> None:
    for _ in range(steps):
        world.begin()
        for fault in list(world.blocked.values())[:1]:
            world.mend(fault, int(dice.random() * 3))
        world.advance()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 99), st.lists(st.tuples(BOOKINGS, st.integers(0, 6)), max_size=30))
def test_cash_is_what_the_movements_come_to(
    seed: int, booked: list[tuple[tuple[str, str, Any], int]]
) -> None:
    world = World(layout_named("process-outbound"), seed)
    operations, enterprise, dice = Operations(world.layout), Enterprise(world, WORLD_ID), Random(seed)
    moved(world, 150, dice)
    for (method, path, body), steps in booked:
        operations.perform(enterprise, method, f"/{WORLD_ID}/{path}", body)
        moved(world, steps, dice)
        whole = totals(enterprise)
        cash, receivables, payables = position(enterprise)
        assert cash == whole.incoming - whole.outgoing
        ledger = operations.perform(enterprise, "GET", f"/{WORLD_ID}/ledger")["data"]
        assert ledger["cash"] == cash / 100
        assert ledger["netPosition"] == (cash + receivables - payables) / 100
    remembered = [each for each in transactions(enterprise) if each["type"] == "payment_in"]
    assert sum(round(each["amount"] * 100) for each in remembered) <= totals(enterprise).incoming


@pytest.mark.parametrize("name", layout_names())
def test_every_cent_of_an_order_is_under_way_owed_settled_or_written_off(name: str) -> None:
    world = World(layout_named(name), 5)
    enterprise, dice = Enterprise(world, WORLD_ID), Random(5)
    for _ in range(12):
        moved(world, 40, dice)
        entered = sum(world.draw_order(number, 0).value_cents for number in range(world.next_order))
        cash, receivables, payables = position(enterprise)
        owed, settled = (payables, -cash) if enterprise.buys else (receivables, cash)
        delivered = world.layout.delivered_after
        under_way = sum(
            order.value_cents
            for order in world.orders.values()
            if order.stage - (order.fault is None) <= delivered
        )
        assert entered == under_way + owed + settled + world.obligations.lost_cents


def test_forgotten_movements_are_carried_forward() -> None:
    world = World(layout_named("process-outbound"), 1)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    body = {"type": "payment_in", "amount": 0.01, "sourceType": "manual", "sourceId": "x"}
    for _ in range(3 * KEPT):
        operations.perform(enterprise, "POST", f"/{WORLD_ID}/finance/transactions", body)
    assert position(enterprise)[0] == 3 * KEPT
    page = operations.perform(enterprise, "GET", f"/{WORLD_ID}/finance/transactions")
    assert page["pagination"]["totalCount"] == 3 * KEPT
    assert len(transactions(enterprise)) == KEPT


def test_movements_of_the_process_stand() -> None:
    world = World(layout_named("process-outbound"), 1)
    operations, enterprise = Operations(world.layout), Enterprise(world, WORLD_ID)
    moved(world, 200, Random(1))
    before = position(enterprise)
    known = transactions(enterprise)[0]["transactionId"]
    path = f"/{WORLD_ID}/finance/transactions/{known}"
    assert operations.perform(enterprise, "GET", path)["data"]["transactionId"] == known
    assert operations.perform(enterprise, "DELETE", path)["status"] == 400
    assert operations.perform(enterprise, "PATCH", path, {"amount": 9})["status"] == 400
    assert position(enterprise) == before


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.integers(0, 300))
def test_goods_are_on_hand_until_they_are_shipped(seed: int, steps: int) -> None:
    world = World(layout_named("process-outbound"), seed)
    enterprise = Enterprise(world, WORLD_ID)
    moved(world, steps, Random(seed))
    collections = enterprise.directory.collections
    stock = {each["sku"]: each for each in enterprise.entities(collections["wms/inventory"])}
    orders = enterprise.entities(collections["wms/outbound-orders"])
    assert len(stock) == len(orders) == len(world.orders) + len(world.chronicle.finished)
    for order in orders:
        held = stock[f"SKU-{order['orderNumber']}"]
        shipped = QUANTITY if order["lines"][0]["lineStatus"] == "SHIPPED" else 0
        assert held["quantityOnHand"] + shipped == QUANTITY
        assert held["quantityAllocated"] + held["quantityAvailable"] == held["quantityOnHand"]
        assert order["lines"][0]["pickedQuantity"] <= order["lines"][0]["allocatedQuantity"] <= QUANTITY
