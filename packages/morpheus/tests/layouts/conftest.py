"""What tests of layouts share: each layout by name, and worlds of it in which every queue holds tickets."""

from collections.abc import Callable, Iterator

import pytest

from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation import World, layout_named, layout_names
from skyfall_crl.env.morpheus.simulation.layout import Layout


@pytest.fixture(scope="session", params=layout_names())
def layout(request: pytest.FixtureRequest) -> Layout:
    """Each layout there is."""
    return layout_named(request.param)


@pytest.fixture
def backend() -> Iterator[SimulatedBackend]:
    """A backend of its own."""
    made = SimulatedBackend()
    yield made
    made.close()


@pytest.fixture
def crowded(backend: SimulatedBackend, layout: Layout) -> Callable[[int], str]:
    """Make a world in which every stage faults often, by each of its causes alike, and return its id."""

    def make(seed: int) -> str:
        world_id = backend.create_world(name="crowded", layout=layout.name, seed=seed)
        mix = [[1 / layout.causes] * layout.causes] * len(layout.symptoms)
        axes = {"cause_mix": mix, "fault_probability": 0.3, "demand": 2}
        backend.set_chaos(world_id, {"simulation": {"axes": axes}})
        for _ in range(layout.horizon_steps):
            backend.advance(world_id)
        return world_id

    return make


@pytest.fixture(scope="session")
def play() -> Callable[[World, int, int], None]:
    """Moves a world by steps, with a remedy that turns from step to step applied to the queues in turn."""

    def moved(world: World, steps: int, offset: int = 0) -> None:
        queues = world.board.queues
        for step in range(steps):
            world.begin()
            queue = queues[(step + offset) % len(queues)]
            if queue:
                world.mend(queue[0], step // len(queues) % world.layout.causes)
            world.advance()

    return moved
