"""A real server on a loopback port, in a thread of this process or as a process of its own."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from skyfall_crl.env.morpheus.server import Application, ServerSettings


class Client:
    """Asks one server, over one connection."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.headers = headers or {}
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def raw(
        self, method: str, target: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **self.headers, **headers}
        self.connection.request(method, target, content, sent)
        response = self.connection.getresponse()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()

    def ask(self, method: str, target: str, body: Any = None) -> tuple[int, Any]:
        """Return status and JSON data."""
        status, _, content = self.raw(method, target, body)
        return status, json.loads(content)

    def create(self, seed: int = 1, layout: str = "process-outbound", **more: Any) -> str:
        """Create a world in which things fault and return its id."""
        chaos = {"processChaosEnabled": True, "infraChaosEnabled": False}
        body = {
            "name": f"world {seed}",
            "layout": layout,
            "chaos": chaos,
            "simulation": {"seed": seed},
            **more,
        }
        status, answer = self.ask("POST", "/world", body)
        assert status == 200, answer
        found: str = answer["world"]["_id"]
        return found

    def digest(self, world: str) -> str:
        """Return a world's digest."""
        found: str = self.ask("GET", f"/sim/worlds/{world}/digest")[1]["data"]["digest"]
        return found


class Running:
    """An application on uvicorn in a thread."""

    def __init__(self, settings: ServerSettings) -> None:
        self.application = Application(settings)
        self.listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        started = threading.Event()
        self.application.when_started = started.set
        config = uvicorn.Config(self.application, log_config=None, access_log=False, lifespan="on", ws="none")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        assert started.wait(20)

    def _run(self) -> None:
        asyncio.run(self.server.serve([self.listener]))

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.listener.close()


class Child:
    """`skyfall-crl morpheus serve` as a process of its own."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        command = [
            sys.executable,
            "-m",
            "skyfall_crl.cli.main",
            "morpheus",
            "serve",
            "--port",
            "0",
            *arguments,
        ]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("serving on http://"), line + self.process.communicate()[1]
        self.port = int(line.rpartition(":")[2])

    def kill(self) -> None:
        """End it the hard way."""
        self.process.kill()
        self.process.communicate(timeout=20)

    def stop(self) -> tuple[int, str]:
        """Ask it to end, and return its exit code and what it said of errors."""
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


@contextmanager
def starting() -> Iterator[Callable[..., Client]]:
    """Start servers with settings and return a client of each; all are stopped at the end."""
    running: list[Running] = []
    clients: list[Client] = []

    def start(headers: dict[str, str] | None = None, **settings: Any) -> Client:
        running.append(Running(ServerSettings(port=0, **settings)))
        clients.append(Client(running[-1].port, headers))
        return clients[-1]

    yield start
    for client in clients:
        client.connection.close()
    for server in running:
        server.stop()


@pytest.fixture
def run_server() -> Iterator[Callable[..., Client]]:
    """Start servers that are stopped after the test."""
    with starting() as start:
        yield start


@pytest.fixture(scope="module")
def start_for_module() -> Iterator[Callable[..., Client]]:
    """Start servers that are stopped after the module's last test."""
    with starting() as start:
        yield start


@pytest.fixture
def client(run_server: Callable[..., Client]) -> Client:
    """A client of a server in memory."""
    return run_server()


@pytest.fixture(scope="module")
def shared_client(start_for_module: Callable[..., Client]) -> Client:
    """A client of one server in memory for all tests of a module."""
    return start_for_module()


@pytest.fixture
def run_child(tmp_path: Path) -> Iterator[Callable[..., tuple[Child, Client]]]:
    """Start servers as processes; those still there are killed after the test."""
    children: list[Child] = []
    clients: list[Client] = []

    def start(*arguments: str, **environment: str) -> tuple[Child, Client]:
        children.append(Child(*arguments, **environment))
        clients.append(Client(children[-1].port))
        return children[-1], clients[-1]

    yield start
    for client in clients:
        client.connection.close()
    for child in children:
        if child.process.poll() is None:
            child.kill()
