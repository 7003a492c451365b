"""The engine's rules: what faults, who pays, what is lost, and that nothing appears from nowhere."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import World, layout_named
from skyfall_crl.env.morpheus.simulation.faults import LOST, MENDED, Fault
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.snapshot import digest

GOLDEN = "8d5638710da9160afe70c08ffdc8850639c03fbaf79a3efadc6df82417b5b2da"


def untouched_fault(world: World) -> Fault:
    return next(fault for fault in world.blocked.values() if not fault.tried)


def test_the_world_is_the_same_to_the_byte_after_2000_scripted_steps(
    layout: Layout, play: Callable[..., None]
) -> None:
    world = World(layout, 2026)
    play(world, 1_000, dice=3)
    world.configure({"cause_mix": "B", "payment_terms": "C", "demand": 1.3})
    play(world, 1_000, dice=4)
    assert digest(world) == GOLDEN


def test_faults_are_the_same_whatever_is_done_about_them(layout: Layout, play: Callable[..., None]) -> None:
    worked, idle = World(layout, 5), World(layout, 5)
    play(worked, 600)
    play(idle, 600, idle=True)
    causes = [
        {fault.ticket_id: fault.cause for fault in [*world.blocked.values(), *world.closed.values()]}
        for world in (worked, idle)
    ]
    common = causes[0].keys() & causes[1].keys()
    assert len(common) > 20
    assert all(causes[0][ticket] == causes[1][ticket] for ticket in common)


def test_only_the_remedy_of_the_cause_mends_and_the_others_are_noted(world: World) -> None:
    fault = untouched_fault(world)
    wrong = [remedy for remedy in range(3) if remedy != fault.cause]
    world.begin()
    assert not world.mend(fault, wrong[0])
    assert not world.mend(fault, wrong[0])
    assert world.failed
    assert fault.tried == 1 << wrong[0]
    assert fault.attempts == [(wrong[0], world.board.step)]
    assert world.mend(fault, fault.cause)
    assert world.remedied
    assert fault.state == MENDED
    assert fault.order.number not in world.blocked


def test_mending_pays_priority_weight_less_what_the_wait_used_up(world: World) -> None:
    fault = untouched_fault(world)
    age = world.board.step - fault.opened_step
    world.begin()
    world.mend(fault, fault.cause)
    world.advance()
    weight = world.layout.priority_weights[fault.priority]
    assert world.signals()[0] == pytest.approx(weight * (1 - age / 96))
    world.begin()
    world.advance()
    assert world.signals()[0] == 0


def test_a_fault_pays_once(world: World) -> None:
    fault = untouched_fault(world)
    world.begin()
    world.mend(fault, fault.cause)
    earned = world.obligations.earned
    world.obligations.mend(fault, world.board.step)
    assert world.obligations.earned == earned


def test_a_mended_order_enters_the_next_stage_in_the_following_step(layout: Layout) -> None:
    world = World(layout, 3)
    world.configure({"fault_probability": [1.0, 1, 1, 1, 1, 1, 1], "demand": 1})
    for _ in range(3):
        world.begin()
        world.advance()
    fault = world.board.queues[0][0]
    world.begin()
    world.mend(fault, fault.cause)
    world.advance()
    assert fault.order.fault is None
    world.begin()
    world.advance()
    assert fault.order.fault is world.board.queues[1][0]
    assert fault.order.fault.opened_step == world.board.step - 1


def test_an_order_blocked_for_96_steps_is_lost(layout: Layout) -> None:
    world = World(layout, 3)
    world.configure({"fault_probability": 1.0, "demand": 1})
    opened = {}
    for _ in range(120):
        world.begin()
        world.advance()
        for fault in world.blocked.values():
            opened.setdefault(fault.ticket_id, fault)
    lost = [fault for fault in opened.values() if fault.state == LOST]
    assert lost
    assert all(fault.closed_step - fault.opened_step == 96 for fault in lost)
    assert len(world.board.queues[0]) == 96
    assert world.obligations.lost_cents == sum(fault.value_cents for fault in lost)


def test_a_regime_changes_what_enters_a_stage_from_then_on(layout: Layout) -> None:
    before, after = World(layout, 9), World(layout, 9)
    for world in (before, after):
        for _ in range(300):
            world.begin()
            world.advance()
    after.configure({"cause_mix": "B"})
    known = {ticket.ticket_id for ticket in after.blocked.values()}
    for world in (before, after):
        for _ in range(60):
            world.begin()
            world.advance()
    changed = [
        fault.ticket_id
        for fault in after.blocked.values()
        if before.fault_of(fault.ticket_id).cause != fault.cause
    ]
    assert changed
    assert not known & set(changed)
    assert before.blocked.keys() == after.blocked.keys()


def test_nothing_faults_when_process_chaos_is_off(layout: Layout) -> None:
    world = World(layout, 9)
    world.configure({}, faulting=False)
    for _ in range(300):
        world.begin()
        world.advance()
    assert not world.blocked
    assert not world.closed
    assert world.obligations.collected_cents > 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(0, 400), st.floats(0, 4), st.floats(0, 1))
def test_every_cent_that_enters_is_under_way_collected_or_lost(
    seed: int, steps: int, demand: float, probability: float
) -> None:
    layout = layout_named("process-outbound")
    world = World(layout, seed)
    world.configure({"demand": demand, "fault_probability": probability})
    draw = Random(seed)
    for _ in range(steps):
        world.begin()
        for fault in list(world.blocked.values())[:1]:
            world.mend(fault, int(draw.random() * 3))
        world.advance()
    entered = sum(world.draw_order(number, 0).value_cents for number in range(world.next_order))
    under_way = sum(order.value_cents for order in world.orders.values())
    assert entered == under_way + world.obligations.collected_cents + world.obligations.lost_cents
    for queue, cents in zip(world.board.queues, world.board.blocked_cents, strict=True):
        assert cents == sum(fault.value_cents for fault in queue)


@pytest.mark.slow
def test_a_million_steps_leave_no_more_behind_than_a_thousand(layout: Layout) -> None:
    world = World(layout, 1)
    most = {}
    for step in range(1_000_000):
        world.begin()
        world.advance()
        if step in (999, 99_999, 999_999):
            most[step] = len(world.orders) + len(world.blocked) + len(world.closed)
    assert most[999_999] < 2 * most[999]
