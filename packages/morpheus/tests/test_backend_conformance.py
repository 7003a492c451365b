"""The conformance suite: every backend passes it, and a broken one is told what it broke."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.testing import BackendConformanceError, check_backend


def test_the_simulated_backend_keeps_the_contract() -> None:
    check_backend(SimulatedBackend)


def test_a_backend_without_anything_optional_keeps_the_contract(bare_backend: Any) -> None:
    bare_backend.close = bare_backend.inner.close
    check_backend(lambda: bare_backend)


def test_worlds_are_deleted_when_the_check_is_over() -> None:
    backend = SimulatedBackend()
    backend.close = lambda: None  # type: ignore[method-assign]
    with pytest.raises(BackendConformanceError, match="after close"):
        check_backend(lambda: backend)
    assert backend._worlds == {}


class Raising(SimulatedBackend):
    def act(self, world_id: str, **call: Any) -> dict[str, Any]:
        raise ValueError("no")


class Mute(SimulatedBackend):
    def act(self, world_id: str, **call: Any) -> dict[str, Any]:
        return {"status": 200}


class Gullible(SimulatedBackend):
    def act(self, world_id: str, **call: Any) -> dict[str, Any]:
        return {**super().act(world_id, **call), "success": True}


class Hasty(SimulatedBackend):
    def get_tasks(self, world_id: str, *, status: str | None = None) -> dict[str, Any]:
        self.advance(world_id)
        return super().get_tasks(world_id, status=status)


class Double(SimulatedBackend):
    def advance(self, world_id: str) -> None:
        super().advance(world_id)
        super().advance(world_id)


class Lax(SimulatedBackend):
    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            return super().fetch(world_id, path, params=params)
        except BackendError:
            return {}


class Wrong(SimulatedBackend):
    def verify(self, world_id: str, ticket_id: str) -> dict[str, Any]:
        raise KeyError(ticket_id)


class Alike(SimulatedBackend):
    def fork_world(self, world_id: str) -> str:
        return world_id


class Forgetful(SimulatedBackend):
    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> dict[str, Any]:
        return {**super().set_chaos(world_id, chaos), "processChaosEnabled": True}


class Half(SimulatedBackend):
    digest_world = property(doc="not there")


class Undead(SimulatedBackend):
    def delete_world(self, world_id: str) -> None:
        """Keep it."""


class Loud(SimulatedBackend):
    def step_signals(self, world_id: str) -> Any:
        found = super().step_signals(world_id)
        return type(found)({"remediation": 2.0}, found.world_time)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (object, "expected all methods of MorpheusBackend"),
        (Raising, "expected an answer whatever happens, found .ValueError"),
        (Mute, "expected a mapping with a boolean `success`"),
        (Gullible, "act in no world: expected success to be false"),
        (Hasty, "reading: expected it to leave the clock alone"),
        (Double, "advance: expected a step of 30, found 60"),
        (Lax, "fetch outside the world: expected BackendError, found {}"),
        (Wrong, "verify of no ticket: expected BackendError, found .KeyError"),
        (Alike, "fork_world: expected another id"),
        (Forgetful, "set_chaos: expected {'processChaosEnabled': False"),
        (Half, "SnapshotBackend: expected all its methods or none, found 'none of digest_world'"),
        (Undead, "get_tasks of a deleted world: expected BackendError"),
        (Loud, "step_signals: expected signals from 0 to 1"),
    ],
)
def test_a_broken_rule_is_named_with_what_was_found(kind: Callable[[], Any], said: str) -> None:
    with pytest.raises(BackendConformanceError, match=said) as caught:
        check_backend(kind)
    assert len(str(caught.value).splitlines()) == 1
