"""Draws of orders and arrivals."""

from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.simulation.orders import Arrivals, OrderBook

SEEDS = st.integers(-(1 << 80), 1 << 80)


@given(SEEDS, st.integers(0, 1 << 40), st.integers(0, 1 << 40))
def test_an_order_depends_on_seed_and_number_alone(seed: int, number: int, other: int) -> None:
    layout = layout_named("process-outbound")
    book = OrderBook(layout, seed)
    book.draw(other, 3)
    again, fresh = book.draw(number, 9), OrderBook(layout, seed).draw(number, 0)
    assert (again.draws, again.value_cents, again.priority) == (
        fresh.draws,
        fresh.value_cents,
        fresh.priority,
    )


@given(SEEDS, st.lists(st.integers(0, 10_000), min_size=1, max_size=20))
def test_the_arrival_draw_of_a_step_is_the_same_in_any_order_of_asking(seed: int, steps: list[int]) -> None:
    arrivals = Arrivals(seed)
    asked = [arrivals.draw(step) for step in steps]
    assert asked == [Arrivals(seed).draw(step) for step in steps]


def test_values_and_priorities_cover_their_ranges_evenly(layout: Layout) -> None:
    book = OrderBook(layout, 0)
    orders = [book.draw(number, 0) for number in range(20_000)]
    values = [order.value_cents for order in orders]
    assert (min(values), max(values)) == layout.value_cents
    assert abs(sum(values) / len(values) - 100) < 1
    for priority in range(4):
        share = sum(order.priority == priority for order in orders) / len(orders)
        assert abs(share - 0.25) < 0.015


def test_draws_are_uniform_and_differ_between_seeds(layout: Layout) -> None:
    draws = [draw for number in range(3_000) for draw in OrderBook(layout, 5).draw(number, 0).draws]
    assert abs(sum(draws) / len(draws) / 2**32 - 0.5) < 0.01
    assert all(0 <= draw < 2**32 for draw in draws)
    assert OrderBook(layout, 5).draw(0, 0).draws != OrderBook(layout, 6).draw(0, 0).draws
