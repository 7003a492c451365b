"""`morpheus/live` names a live deployment by value."""

import inspect
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from skyfall_crl.env.morpheus import factory
from skyfall_crl.env.morpheus.factory import morpheus_world
from skyfall_crl.env.morpheus.http.stepped_backend import SteppedHttpBackend
from skyfall_crl.env.morpheus.http_backend import DEFAULT_BASE_URL, DEFAULT_TIMEOUT, HttpBackend
from skyfall_crl.env.morpheus.morpheus_env import DEFAULT_LAYOUT, DEFAULT_MAX_STEPS
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift, ToolCallTaskView
from skyfall_crl.ports.environment import capabilities
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.registry import load


@pytest.fixture
def nowhere() -> Iterator[str]:
    """A base URL at which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"


class Simulator(BaseHTTPRequestHandler):
    """Says that it is a served simulator, and nothing else."""

    def do_GET(self) -> None:
        body = json.dumps({"success": True, "data": {"protocol": 1}}).encode()
        self.send_response(200 if self.path == "/sim" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def simulator() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Simulator)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_its_arguments_are_these_and_their_defaults() -> None:
    parameters = inspect.signature(morpheus_world).parameters
    assert {name: p.default for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY} == {
        "base_url": DEFAULT_BASE_URL,
        "timeout": DEFAULT_TIMEOUT,
        "headers": None,
        "layout": DEFAULT_LAYOUT,
        "world_id": None,
        "max_steps": DEFAULT_MAX_STEPS,
    }
    assert parameters["env_kwargs"].kind is inspect.Parameter.VAR_KEYWORD
    assert len(parameters) == 7
    assert (DEFAULT_BASE_URL, DEFAULT_TIMEOUT) == ("http://localhost:8282", 30.0)


def test_it_is_found_by_its_id_and_by_its_path() -> None:
    assert load("environments", "skyfall_crl.env.morpheus:morpheus_world") is morpheus_world
    assert factory._loaded("environments", "morpheus/live") is morpheus_world


def test_it_drives_a_deployment_over_http(nowhere: str) -> None:
    env = morpheus_world(
        base_url=nowhere, layout="process-inbound", max_steps=20, headers={"x-key": "secret-value"}
    )
    assert type(env.backend) is HttpBackend
    assert isinstance(env.task_view, ToolCallTaskView)
    described = env.describe()
    assert (described["layout"], described["max_steps"], described["signals_from"]) == (
        "process-inbound",
        20,
        "wire",
    )
    assert "secret-value" not in json.dumps(described)
    found = capabilities(env)
    assert (found.tier, found.in_process, found.announces, found.snapshots) == (3, False, True, False)
    env.close()


def test_a_served_simulator_is_told_from_a_deployment(simulator: str) -> None:
    env = morpheus_world(base_url=simulator)
    assert isinstance(env.backend, SteppedHttpBackend)
    assert env.describe()["signals_from"] == "backend"
    assert capabilities(env).snapshots
    env.close()


def test_layers_are_given_by_value(nowhere: str) -> None:
    env = morpheus_world(
        base_url=nowhere,
        task_view="scheduling-under-drift",
        reward_spec="paper",
        action_scope={"domains": ["erp"]},
        regime={"provider": "constant", "params": {"regime": "A"}},
        delete_on_close=True,
    )
    assert isinstance(env.task_view, SchedulingUnderDrift)
    assert env.reward_spec == PAPER
    assert env.describe()["scope"]["domains"] == ["erp"]
    assert env.regime_owner == "environment"
    env.close()


def test_a_world_named_by_id_is_visited_as_a_guest(nowhere: str) -> None:
    env = morpheus_world(base_url=nowhere, world_id="65f0c0ffee65f0c0ffee65f0")
    assert not env.owns_world
    env.close()


def test_a_deployment_that_is_not_there_stops_the_reset_and_says_what_to_do(nowhere: str) -> None:
    env = morpheus_world(base_url=nowhere)
    with pytest.raises(EnvironmentFailure, match="start the deployment"):
        env.reset()
    env.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"reward_spek": "paper"}, ["reward_spek", "morpheus/live", "did you mean 'reward_spec'"]),
        ({"backend": "http"}, ["backend"]),
        ({"base_url": "ftp://x"}, ["base_url"]),
        ({"timeout": 0}, ["timeout"]),
        ({"headers": {"x": 3}}, ["headers.x"]),
        ({"task_view": "telepathy"}, ["telepathy"]),
    ],
)
def test_a_mistake_is_a_config_error_that_names_it(settings: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        morpheus_world(**settings)
    assert all(word in str(raised.value) for word in words)
