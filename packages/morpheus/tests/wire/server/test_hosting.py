"""What a server needs of the backend: worlds hosted again under their ids, worked beside their clock, read whole."""

import pytest

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend

pytestmark = pytest.mark.floor


def test_a_world_is_hosted_again_under_the_id_it_had_and_only_where_that_is_free() -> None:
    backend, other = SimulatedBackend(), SimulatedBackend()
    world = backend.create_world(name="n", layout="process-outbound", seed=1)
    backend.advance(world)
    state = backend.snapshot_world(world)
    other.adopt_world(world, state)
    assert other.digest_world(world) == backend.digest_world(world)
    assert other.fetch(world, f"/{world}/tickets") == backend.fetch(world, f"/{world}/tickets")
    with pytest.raises(BackendError, match="expected an id that is free"):
        other.adopt_world(world, state)
    assert other.create_world(name="n", layout="process-outbound", seed=1) != world


def test_work_beside_the_clock_changes_entities_and_no_time() -> None:
    backend = SimulatedBackend()
    world = backend.create_world(name="n", layout="process-outbound", seed=1)
    body = {"title": "t", "description": "d", "requester": "r"}
    before = backend.step_signals(world).world_time
    answer = backend.perform(world, method="POST", path=f"/{world}/tickets", body=body)
    assert answer["status"] == 201
    assert backend.step_signals(world).world_time == before
    assert len(backend.get_tasks(world)["data"]["items"]) == 1


def test_chaos_reads_as_it_was_written() -> None:
    backend = SimulatedBackend()
    world = backend.create_world(name="n", layout="process-outbound", seed=1)
    written = backend.set_chaos(world, {"simulation": {"axes": {"demand": 0.9}}})
    before = backend.digest_world(world)
    assert backend.chaos_document(world) == written
    assert backend.digest_world(world) == before
