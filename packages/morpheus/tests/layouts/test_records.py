"""Records around the orders of every layout are the wire's, in every state they go through."""

from collections.abc import Callable

import pytest

from skyfall_crl.env.morpheus.simulation import World, catalogue
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.layout import Layout

pytestmark = pytest.mark.floor

WORLD_ID = "5f" * 12


@pytest.fixture
def lived(layout: Layout, play: Callable[..., None]) -> Enterprise:
    """A world after days in which faults were mended, stood, and ran out of time."""
    world = World(layout, 6)
    play(world, 3 * layout.horizon_steps)
    return Enterprise(world, WORLD_ID)


def test_every_record_around_an_order_is_as_the_wire_declares_it(lived: Enterprise) -> None:
    met: dict[str, set[str]] = {}
    for collection in lived.directory.collections.values():
        for document in lived.entities(collection):
            assert document[collection.key].startswith(collection.prefix)
            if collection.entity:
                assert catalogue.entity(collection.entity).problem(document) is None
            met.setdefault(collection.path, set()).add(str(document.get(collection.state)))
    moving = {path for path, states in met.items() if len(states) > 2}
    assert "erp/orders" in moving
    assert len(moving) >= 4


def test_each_kind_a_layout_names_has_a_life_cycle(lived: Enterprise) -> None:
    layout = lived.world.layout
    named = {evidence.entity for symptom in layout.symptoms for evidence in symptom.evidence}
    around = {kind for collection in lived.directory.collections.values() for kind in collection.around}
    assert named | around <= set(layout.states)


def test_ids_of_records_differ(lived: Enterprise) -> None:
    ids = [
        document["_id"]
        for collection in lived.directory.collections.values()
        for document in lived.entities(collection)
    ]
    ids += [fault.ticket_id for fault in lived.world.blocked.values()]
    assert len(set(ids)) == len(ids)
