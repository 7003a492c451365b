"""Whose world it is: guests never rebuild or delete, owners only when asked, and backends are shared on request."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.ports.errors import EnvironmentFailure

MakeWorld = Callable[..., MorpheusEnv]


class Recorder(SimulatedBackend):
    """An embedded backend that remembers what was created, rebuilt, deleted and closed."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[str] = []

    def create_world(self, **settings: Any) -> str:
        self.events.append("create")
        return super().create_world(**settings)

    def reset_world(self, world_id: str) -> None:
        self.events.append("reset")
        super().reset_world(world_id)

    def delete_world(self, world_id: str) -> None:
        self.events.append("delete")
        super().delete_world(world_id)

    def close(self) -> None:
        self.events.append("close")


def scheduling(backend: Any, **settings: Any) -> MorpheusEnv:
    return MorpheusEnv(backend, task_view=SchedulingUnderDrift(), **settings)


def test_a_world_is_provisioned_once_and_survives_closing() -> None:
    backend = Recorder()
    env = scheduling(backend)
    assert env.world_id is None
    env.reset(seed=1)
    env.reset(seed=2)
    env.close()
    assert backend.events == ["create", "close"]
    assert backend.get_tasks(str(env.world_id))["success"]


def test_an_owner_deletes_on_close_only_when_asked() -> None:
    backend = Recorder()
    env = scheduling(backend, delete_on_close=True)
    env.reset(seed=1)
    world_id = env.world_id
    env.close()
    env.close()
    assert backend.events == ["create", "delete", "close", "close"]
    with pytest.raises(BackendError):
        backend.get_tasks(str(world_id))


def test_a_guest_steps_a_world_and_never_deletes_or_rebuilds_it() -> None:
    backend = Recorder()
    host = scheduling(backend)
    host.reset(seed=1)
    guest = scheduling(backend, world_id=host.world_id, delete_on_close=True, close_backend=False)
    assert host.owns_world
    assert not guest.owns_world
    guest.reset(seed=5)
    guest.step(0)
    assert host.digest() == guest.digest()
    with pytest.raises(EnvironmentFailure, match="only its owner"):
        guest.reset(options={"reprovision": True})
    guest.close()
    assert backend.events == ["create"]
    assert host.step(0)[4]["world_time"] == 60


def test_rebuilding_under_the_same_seed_keeps_the_world_id() -> None:
    backend = Recorder()
    env = scheduling(backend)
    env.reset(seed=1)
    world_id = env.world_id
    env.reset(options={"reprovision": True})
    assert env.world_id == world_id
    assert backend.events == ["create", "reset"]


def test_rebuilding_from_a_seed_replaces_the_world() -> None:
    backend = Recorder()
    env = scheduling(backend)
    env.reset(seed=1)
    env.reset(seed=2, options={"reprovision": True})
    assert backend.events == ["create", "delete", "create"]


def test_a_backend_that_can_not_provision_is_an_environment_failure() -> None:
    env = scheduling(SimulatedBackend(), layout="process-unheard-of")
    with pytest.raises(EnvironmentFailure, match="process-unheard-of"):
        env.reset()


def test_a_shared_backend_is_left_open() -> None:
    backend = Recorder()
    scheduling(backend, close_backend=False).close()
    assert backend.events == []


def test_worlds_of_one_backend_do_not_disturb_each_other() -> None:
    shared = SimulatedBackend()
    together = [scheduling(shared, close_backend=False) for _ in range(3)]
    alone = scheduling(SimulatedBackend())
    for number, env in enumerate(together):
        env.reset(seed=number)
    alone.reset(seed=1)
    for step in range(100):
        for number, env in enumerate(together):
            env.step((step * (number + 1)) % 29)
        alone.step((step * 2) % 29)
    assert together[1].digest() == alone.digest()
    assert together[0].digest() != alone.digest()


def test_a_seed_given_at_construction_serves_resets_without_one(make_world: MakeWorld) -> None:
    given, reset = make_world(seed=4), make_world()
    given.reset()
    reset.reset(seed=4)
    assert given.digest() == reset.digest()
