"""The discrete view: what its numbers mean, what it shows, and what looking costs."""

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.ports.tools import ToolCall

LAYOUT = layout_named("process-outbound")
WORLD = "65f0c0ffee65f0c0ffee65f0"
LOOK = 22

Make = Callable[..., Any]


def call_of(view: SchedulingUnderDrift, action: Any, observation: Mapping[str, Any]) -> ToolCall | None:
    return view.to_tool_call(action, world_id=WORLD, observation=observation)


def test_there_are_29_actions_and_81_features() -> None:
    view = SchedulingUnderDrift()
    assert view.action_space.n == 29  # type: ignore[union-attr]
    assert view.observation_space.shape == (81,)  # type: ignore[union-attr]
    assert view.observation_space.dtype == np.float32  # type: ignore[union-attr]


@pytest.mark.parametrize("queue", range(7))
@pytest.mark.parametrize("remedy", range(3))
def test_a_remedy_goes_to_the_oldest_ticket_of_its_queue(
    queue: int, remedy: int, ticket: Make, observe: Make
) -> None:
    old, young = ticket(queue, 11), ticket(queue, 12, 3)
    observation = observe({queue: [old, young]})
    view = SchedulingUnderDrift()
    action = 1 + 3 * queue + remedy
    expected = LAYOUT.remedy_call(queue, remedy, old.ticket_id).resolved(WORLD)
    assert call_of(view, action, observation) == expected
    assert list(view.touched_tickets(action, observation=observation)) == [old.ticket_id]


@pytest.mark.parametrize("action", range(29))
def test_an_action_without_a_ticket_does_nothing(action: int, observe: Make) -> None:
    view = SchedulingUnderDrift()
    assert call_of(view, action, observe({})) is None
    assert view.touched_tickets(action, observation=observe({})) == ()
    assert not view.is_looking


def test_the_features_are_laid_out_as_published(ticket: Make, observe: Make) -> None:
    queues = {
        0: [ticket(0, 1, opened_step=4, priority=3, value_cents=150, tried=0b101), ticket(0, 2, 9)],
        6: [ticket(6, n, opened_step=0, priority=1, value_cents=175) for n in range(3, 30)],
    }
    view = SchedulingUnderDrift()
    view.known = {queues[0][0].ticket_id: 1}
    features = view.encode(observe(queues, step=28, remedied=True))
    expected = np.zeros(81)
    expected[:11] = [1, 2 / 20, 24 / 96, 1.0, 2.5 / 20, 0, 1, 0, 1, 0, 1]
    expected[66:77] = [1, 1, 28 / 96, 0.5, 27 * 1.75 / 20, 0, 0, 0, 0, 0, 0]
    expected[77:] = [1, 1, 0, 0]
    np.testing.assert_allclose(features, expected, rtol=1e-6)
    assert features.dtype == np.float32
    assert view.observation_space.contains(features)  # type: ignore[union-attr]


def test_features_stay_inside_their_space_at_the_extremes(ticket: Make, observe: Make) -> None:
    view = SchedulingUnderDrift()
    crowd = [ticket(2, n, opened_step=-500, value_cents=10**6, tried=7) for n in range(400)]
    assert view.observation_space.contains(view.encode(observe({2: crowd})))  # type: ignore[union-attr]


def test_every_encoding_is_an_array_of_its_own(ticket: Make, observe: Make) -> None:
    view = SchedulingUnderDrift()
    observation = observe({1: [ticket(1, 1)]})
    first = view.encode(observation)
    first[:] = 9
    assert view.encode(observation).max() <= 1


def answers(view: SchedulingUnderDrift, queue: int, ticket_id: str, cause: int) -> list[dict[str, Any]]:
    """Return what the two linked entities would say when `cause` is behind a ticket."""
    symptom = LAYOUT.symptoms[queue]
    figures = {name: place + 10 for place, name in enumerate(symptom.candidates)}
    first: dict[str, Any] = {"data": {"customFields": {symptom.clue: cause + 10}}}
    second: dict[str, Any] = {"data": {"customFields": figures}}
    return [first, second]


@pytest.mark.parametrize("queue", range(7))
@pytest.mark.parametrize("cause", range(3))
def test_a_look_takes_two_steps_and_the_cause_is_known_after_the_second(
    queue: int, cause: int, ticket: Make, observe: Make
) -> None:
    target = ticket(queue, 21)
    observation = observe({queue: [target]})
    view = SchedulingUnderDrift()
    first, second = answers(view, queue, target.ticket_id, cause)
    reads = [call.resolved(WORLD) for call in LAYOUT.look_calls(queue, target.ticket_id)]

    call = call_of(view, LOOK + queue, observation)
    assert call == reads[0]
    view.notice(call, first)
    assert view.encode(observation)[80] == 1
    assert np.flatnonzero(view.mask(observation)).tolist() == [0]
    assert not view.known

    call = call_of(view, 1 + 3 * queue, observation)
    assert call == reads[1]
    view.notice(call, second)
    features = view.encode(observation)
    assert features[80] == 0
    assert features[11 * queue + 5 : 11 * queue + 8].tolist() == [float(cause == c) for c in range(3)]
    assert view.mask(observation).all()


def test_while_a_look_goes_on_an_action_claims_no_ticket(ticket: Make, observe: Make) -> None:
    observation = observe({0: [ticket(0, 1)]})
    view = SchedulingUnderDrift()
    call = call_of(view, LOOK, observation)
    assert call is not None
    view.notice(call, {})
    assert view.touched_tickets(1, observation=observation) == ()


def test_a_look_takes_the_oldest_ticket_whose_cause_is_unknown(ticket: Make, observe: Make) -> None:
    known, unknown = ticket(3, 1), ticket(3, 2)
    view = SchedulingUnderDrift()
    view.known = {known.ticket_id: 0}
    call = call_of(view, LOOK + 3, observe({3: [known, unknown]}))
    assert call == LAYOUT.look_calls(3, unknown.ticket_id)[0].resolved(WORLD)


def test_a_look_that_was_never_answered_is_over(ticket: Make, observe: Make) -> None:
    observation = observe({0: [ticket(0, 1)]})
    view = SchedulingUnderDrift()
    call_of(view, LOOK, observation)
    assert not view.is_looking
    call = call_of(view, LOOK, observation)
    assert call is not None
    view.notice(call, {})
    call_of(view, 0, observation)
    assert not view.is_looking
    assert view.known == {}


def test_a_look_that_shows_nothing_leaves_the_cause_unknown(ticket: Make, observe: Make) -> None:
    observation = observe({0: [ticket(0, 1)]})
    view = SchedulingUnderDrift()
    for action in (LOOK, 0):
        call = call_of(view, action, observation)
        assert call is not None
        view.notice(call, {"success": False, "error": "gone"})
    assert view.known == {}


def test_what_is_known_of_tickets_that_are_gone_is_dropped(ticket: Make, observe: Make) -> None:
    view = SchedulingUnderDrift()
    here = ticket(1, 5)
    view.known = {here.ticket_id: 2, **{f"{n:024x}": 0 for n in range(1000)}}
    call_of(view, LOOK, observe({0: [ticket(0, 6)], 1: [here]}))
    assert view.known == {here.ticket_id: 2}


def test_memory_is_plain_data_and_can_be_taken_back(ticket: Make, observe: Make) -> None:
    known = ticket(3, 2)
    observation = observe({0: [ticket(0, 1)], 3: [known]})
    view, other = SchedulingUnderDrift(), SchedulingUnderDrift()
    view.known = {known.ticket_id: 2}
    call = call_of(view, LOOK, observation)
    assert call is not None
    view.notice(call, {"data": {"customFields": {"shortQuantity": 3}}})
    other.remember(json.loads(json.dumps(view.memory())))
    assert other.memory() == view.memory()
    assert other.is_looking
    assert call_of(other, 5, observation) == call_of(view, 5, observation)
    other.forget()
    assert other.memory() == {"known": {}, "looking": None}
    assert view.known == {known.ticket_id: 2}


@given(
    st.none()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
    | st.binary()
)
def test_no_action_raises_and_what_is_none_of_the_view_does_nothing(action: Any) -> None:
    view = SchedulingUnderDrift()
    assert call_of(view, action, {"board": None, "tickets": [], "world_time": None}) is None
    assert view.touched_tickets(action, observation=None) == ()


def test_a_numpy_integer_is_an_action(ticket: Make, observe: Make) -> None:
    assert call_of(SchedulingUnderDrift(), np.int64(1), observe({0: [ticket(0, 1)]})) is not None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_board_read_off_tickets_equals_the_one_a_backend_hands_over(
    make_world: Callable[..., MorpheusEnv], seed: int
) -> None:
    env = make_world()
    env.reset(seed=seed)
    view = env.task_view
    assert isinstance(view, SchedulingUnderDrift)
    generator = random.Random(seed)
    for step in range(300):
        observation, *_ = env.step(generator.randrange(29))
        reading = env.open_world()
        by_hand = {**dict(reading), "board": None}
        np.testing.assert_array_equal(view.encode(by_hand), observation)
        if step % 50 == 0:
            board, read = view.board(reading), view.board(by_hand)
            assert [[t.ticket_id for t in queue] for queue in read.queues] == [
                [t.ticket_id for t in queue] for queue in board.queues
            ]
            assert list(read.blocked_cents) == list(board.blocked_cents)
            assert read.step == board.step


def test_looking_in_a_world_finds_the_cause_that_is_there(make_world: Callable[..., MorpheusEnv]) -> None:
    env = make_world()
    env.reset(seed=4)
    view, found = env.task_view, 0
    assert isinstance(view, SchedulingUnderDrift)
    for _ in range(60):
        env.step(0)
    engine = env.backend.engine(env.world_id)  # type: ignore[attr-defined]
    for queue in range(7):
        env.step(LOOK + queue)
        env.step(0)
    for tickets in engine.board.queues:
        for fault in tickets:
            if fault.ticket_id in view.known:
                found += 1
                assert view.known[fault.ticket_id] == fault.cause
    assert found >= 4
