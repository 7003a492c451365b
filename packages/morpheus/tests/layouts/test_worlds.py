"""Worlds of every layout are deterministic, can be stored, and order the references as they must."""

from collections.abc import Callable

import pytest

from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.references.insight import informed
from skyfall_crl.env.morpheus.references.measure import measure
from skyfall_crl.env.morpheus.simulation import World
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.snapshot import build, digest, take

pytestmark = pytest.mark.floor

Play = Callable[..., None]
STEPS, SEEDS = 600, range(2)


def test_equal_seeds_and_remedies_give_equal_worlds(layout: Layout, play: Play) -> None:
    first, second, other = World(layout, 7), World(layout, 7), World(layout, 8)
    for made in (first, second, other):
        play(made, STEPS)
    assert digest(first) == digest(second) != digest(other)


def test_a_world_goes_on_from_its_snapshot_as_if_it_had_not_stopped(layout: Layout, play: Play) -> None:
    whole = World(layout, 9)
    play(whole, STEPS)
    restored = build(take(whole))
    assert digest(restored) == digest(whole)
    for made in (whole, restored):
        play(made, 200, 3)
    assert digest(restored) == digest(whole)


@pytest.mark.parametrize("configuration", ["A", "B", "C"])
def test_knowing_more_earns_more(layout: Layout, configuration: str) -> None:
    axes = {"cause_mix": configuration, "payment_terms": configuration}
    mean = {
        name: measure(name, layout, axes, SEEDS, STEPS).mean
        for name in ("do_nothing", "random", "hand_rule", "informed", "bound")
    }
    assert mean["do_nothing"] < mean["random"] + 0.02
    assert mean["random"] < mean["hand_rule"] < mean["informed"] <= mean["bound"]


def test_what_is_known_of_one_configuration_is_worth_little_in_the_next(layout: Layout) -> None:
    here, there = ({"cause_mix": name, "payment_terms": name} for name in "AB")
    low, high = (measure(name, layout, there, SEEDS, 2 * STEPS).mean for name in ("random", "informed"))
    total = 0.0
    for seed in SEEDS:
        desk = Desk(layout, seed)
        desk.world.configure(here)
        believed = desk.world.conditions
        desk.world.configure(there)
        for _ in range(2 * STEPS):
            total += desk.step(informed(desk.reader, desk.world, believed))
    assert (total / (2 * STEPS * len(SEEDS)) - low) / (high - low) < 0.6


@pytest.mark.parametrize("view", ["scheduling-under-drift", "resource-allocation", "tool-call"])
def test_every_view_works_a_world_of_every_layout(layout: Layout, view: str) -> None:
    environment = world(layout=layout.name, task_view=view, seed=1)
    environment.reset(seed=1)
    environment.action_space.seed(0)
    for _ in range(20):
        observation, reward, *_ = environment.step(environment.action_space.sample())
        assert environment.observation_space.contains(observation)
        assert 0 <= reward <= 1
    environment.close()
