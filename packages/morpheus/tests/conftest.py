"""Backends and worlds that the adapter's tests share."""

import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend

MakeWorld = Callable[..., MorpheusEnv]


class BareBackend:
    """A backend that offers the protocol and nothing beyond it, over embedded worlds; keeps the calls it was given."""

    def __init__(self) -> None:
        self.inner = SimulatedBackend()
        self.calls: list[tuple[str, str, Mapping[str, Any] | None]] = []
        self.closed = 0

    def create_world(self, **settings: Any) -> str:
        return self.inner.create_world(**settings)

    def reset_world(self, world_id: str) -> None:
        self.inner.reset_world(world_id)

    def get_tasks(self, world_id: str, *, status: str | None = None) -> Any:
        return self.inner.get_tasks(world_id, status=status)

    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> Any:
        return self.inner.fetch(world_id, path, params=params)

    def get_action_space(self, world_id: str, service: str | None = None) -> Mapping[str, Any]:
        return self.inner.get_action_space(world_id, service)

    def act(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        self.calls.append((method, path, body))
        return self.inner.act(world_id, method=method, path=path, body=body)

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.inner.set_chaos(world_id, chaos)

    def verify(self, world_id: str, ticket_id: str) -> Mapping[str, Any]:
        return self.inner.verify(world_id, ticket_id)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def bare_backend() -> BareBackend:
    """A backend without clock, signals, board and snapshots of its own."""
    return BareBackend()


@pytest.fixture
def make_world() -> Iterator[MakeWorld]:
    """Build environments by `morpheus/world`'s arguments and close them after the test."""
    built: list[MorpheusEnv] = []

    def make(**settings: Any) -> MorpheusEnv:
        built.append(world(**settings))
        return built[-1]

    yield make
    for env in built:
        env.close()


@pytest.fixture
def nowhere() -> Iterator[str]:
    """A base URL at which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
