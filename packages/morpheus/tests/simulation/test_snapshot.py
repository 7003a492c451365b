"""Snapshots: a restored world goes on as the original would, and shares nothing with it."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation import World, layout_named
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.snapshot import build, digest, take

Actions = list[tuple[int, int]]
ACTIONS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), max_size=200)


def work(world: World, actions: Actions) -> list[tuple[float, float, float]]:
    signals = []
    for queue, remedy in actions:
        world.begin()
        if world.board.queues[queue]:
            world.mend(world.board.queues[queue][0], remedy)
        world.advance()
        signals.append(world.signals())
    return signals


@settings(max_examples=25, deadline=None)
@given(st.integers(-5, 1 << 70), ACTIONS, ACTIONS, st.sampled_from("ABC"), st.booleans())
def test_a_restored_world_goes_on_exactly_as_the_original(
    seed: int, before: Actions, after: Actions, configuration: str, faulting: bool
) -> None:
    world = World(layout_named("process-outbound"), seed)
    work(world, before)
    world.configure({"cause_mix": configuration, "demand": 1.5}, faulting=faulting)
    restored = build(json.loads(json.dumps(take(world))))
    assert restored.signals() == world.signals()
    assert digest(restored) == digest(world)
    assert work(restored, after) == work(world, after)
    assert digest(restored) == digest(world)
    assert take(restored) == take(world)


def test_the_digest_tells_worlds_apart_by_anything_that_matters(
    layout: Layout, play: Callable[..., None]
) -> None:
    world = World(layout, 1)
    play(world, 200)
    seen = {digest(world)}
    world.configure({"demand": 0.71})
    seen.add(digest(world))
    fault = next(iter(world.blocked.values()))
    world.mend(fault, (fault.cause + 1) % 3)
    seen.add(digest(world))
    world.mend(fault, fault.cause)
    seen.add(digest(world))
    world.advance()
    seen.add(digest(world))
    assert len(seen) == 5


def test_a_snapshot_is_no_larger_after_a_long_life(layout: Layout, play: Callable[..., None]) -> None:
    world = World(layout, 1)
    play(world, 500)
    early = len(json.dumps(take(world)))
    play(world, 20_000)
    assert len(json.dumps(take(world))) < 2 * early


def test_changing_a_snapshot_does_not_change_the_world(world: World) -> None:
    before = digest(world)
    state = take(world)
    state["axes"]["demand"] = 3.0
    state["open"].clear()
    state["calendar"][0][0] = 99
    assert digest(world) == before


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 99},
        {"layout_version": 0},
        {"layout": "nowhere"},
        {"layout": ["process-outbound"]},
        {"axes": {"demand": -1}},
        {"axes": None},
        {"calendar": [[1, 2]]},
        {"open": [["x"] * 8]},
        {"last": []},
    ],
)
def test_a_state_that_is_none_is_refused_as_a_backend_error(world: World, damage: dict) -> None:
    with pytest.raises(BackendError):
        build({**take(world), **damage})


def test_a_state_with_a_key_missing_is_refused_as_a_backend_error(world: World) -> None:
    state = take(world)
    for key in state:
        with pytest.raises(BackendError, match="snapshot: expected"):
            build({name: value for name, value in state.items() if name != key})
