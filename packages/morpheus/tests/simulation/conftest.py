"""What tests of the engine share: the layout, and worlds that have been under way for a while."""

from collections.abc import Callable
from random import Random

import pytest

from skyfall_crl.env.morpheus.simulation import World, layout_named
from skyfall_crl.env.morpheus.simulation.layout import Layout

Play = Callable[..., None]


@pytest.fixture(scope="session")
def layout() -> Layout:
    """The outbound layout."""
    return layout_named("process-outbound")


@pytest.fixture(scope="session")
def play() -> Play:
    """Moves a world by steps in which random remedies are applied to the oldest ticket of random queues."""

    def moved(world: World, steps: int, dice: int = 0, idle: bool = False) -> None:
        draw = Random(dice)
        for _ in range(steps):
            world.begin()
            queue = world.board.queues[int(draw.random() * 7)]
            remedy = int(draw.random() * 3)
            if queue and not idle:
                world.mend(queue[0], remedy)
            world.advance()

    return moved


@pytest.fixture
def world(layout: Layout, play: Play) -> World:
    """A world after 400 steps, with tickets in it."""
    made = World(layout, 11)
    play(made, 400)
    assert made.blocked
    return made
