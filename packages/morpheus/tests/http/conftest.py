"""A stub deployment on a loopback socket: embedded worlds behind the wire, and faults on request."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.simulation.operations import Operations

META = {"event": "message", "timestamp": "2026-01-01T00:00:00Z"}
JSON, TEXT, HTML = ({"Content-Type": kind} for kind in ("application/json", "text/plain", "text/html"))


class Received(NamedTuple):
    """A request as it came in."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class StubDeployment(ThreadingHTTPServer):
    """Answers like a deployment, over a `SimulatedBackend`; with `sim` the side channel is there as well.

    `received` holds every request. `replies` overrides what a method and target are answered with: a status, headers
    and bytes. `policy_alone` keeps chaos policies as a deployment does. `fault` is asked about every request and may
    name one of `SPOILT`, or what `Handler.break_off` knows.
    """

    daemon_threads = False
    request_queue_size = 512

    def __init__(self) -> None:
        self.worlds = SimulatedBackend()
        self.sim = False
        self.chaos, self.reward_configs = dict[str, Any](), dict[str, Any]()
        self.received: list[Received] = []
        self.replies: dict[tuple[str, str], list[tuple[int, dict[str, str], bytes]]] = {}
        self.policy_alone = False
        self.fault: Callable[[Received, int], str | None] = lambda request, number: None
        self.stopping = threading.Event()
        self.connections = 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def reply(self, method: str, target: str, status: int, data: Any, **headers: str) -> None:
        """Answer the next such request with this, ahead of what the worlds would say."""
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        found = {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
        self.replies.setdefault((method, target), []).append((status, found, body))

    def get_request(self) -> tuple[socket.socket, Any]:
        accepted, address = super().get_request()
        self.admit(accepted)
        return accepted, address

    def admit(self, accepted: socket.socket) -> None:
        """Count a connection among the open ones."""
        with self._lock:
            self.connections += 1
            self._open.add(accepted)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """Close every open connection, as a server does to idle ones."""
        with self._lock:
            found = list(self._open)
        for connection in found:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class Handler(BaseHTTPRequestHandler):
    """Reads a request, and answers it or spoils the answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: StubDeployment

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""

    def serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = Received(self.command, self.path, dict(self.headers.items()), body)
        self.server.received.append(request)
        fault = self.server.fault(request, len(self.server.received))
        queued = self.server.replies.get((request.method, request.target))
        status, headers, content = queued.pop(0) if queued else self._answered(request)
        if fault in SPOILT:
            self._send(*SPOILT[fault](content))
        elif fault is not None:
            self.break_off(fault, content)
        else:
            self._send(status, headers, content)

    do_GET = do_POST = do_PUT = do_DELETE = serve

    def _answered(self, request: Received) -> tuple[int, dict[str, str], bytes]:
        try:
            status, data = answered(self.server, request)
        except BackendError as error:
            status = 404
            data = {"success": False, "status": status, "error": str(error), "meta": META}
        return status, JSON, json.dumps(data).encode()

    def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Transfer-Encoding" not in headers and "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def break_off(self, fault: str, content: bytes) -> None:
        """Spoil an answer below HTTP: by resetting or ending the connection, by silence, or byte after byte."""
        kind = b"Content-Type: application/json"
        whole = b"HTTP/1.1 200 OK\r\n%s\r\nContent-Length: %d\r\n\r\n%s" % (kind, len(content), content)
        self.close_connection = True
        stop = {"reset_after": len(whole), "drip_body": -len(content)}.get(fault, -5 * fault.endswith("amid"))
        self.connection.sendall(b"SSH-2.0\r\n" if fault == "no_http" else whole[:stop])
        if fault.startswith("reset"):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif fault == "stall":
            self.connection.settimeout(10)
            self.connection.recv(1)
        elif fault.startswith("drip"):
            for byte in whole[stop:]:
                self.connection.sendall(bytes([byte]))
                if self.server.stopping.wait(0.02):
                    return


SPOILT: dict[str | None, Callable[[bytes], tuple[int, dict[str, str], bytes]]] = {
    "cut_json": lambda content: (200, JSON, content[:-1]),
    "wrong_type": lambda content: (200, TEXT, content),
    "html": lambda content: (200, HTML, b"<!doctype html><title>Welcome</title>"),
    "status_429": lambda content: (429, JSON, b'{"success":false,"error":"slow down"}'),
    "status_500": lambda content: (500, HTML, b"<h1>Internal Server Error</h1>"),
    "status_503": lambda content: (503, JSON, b'{"success":false,"error":"warming up"}'),
    "refusal": lambda content: (200, JSON, b'{"success":false,"error":"not today"}'),
    "too_big": lambda content: (200, JSON, b'"' + b"x" * (17 << 20) + b'"'),
}


def enveloped(data: Any) -> tuple[int, Any]:
    return 200, {"success": True, "status": 200, "data": data, "meta": META}


def answered(stub: StubDeployment, request: Received) -> tuple[int, Any]:
    """Return the status and the data for a request, as the wire has them."""
    parts = urlsplit(request.target)
    segments = parts.path.strip("/").split("/")
    query = dict(parse_qsl(parts.query))
    if segments[0] == "sim" and stub.sim:
        called = segments[1:]
        return enveloped(
            SIDE[request.method, called[2]](stub.worlds, called[1], request) if called else {"protocol": 1}
        )
    if segments[0] == "docs":
        return 200, Operations(layout_named("process-outbound")).describe(query["service"])
    if request.method in ("POST", "PUT", "DELETE"):
        return written(stub, segments, request)
    world = segments[1] if segments[0] == "world" else segments[0]
    stub.worlds.layout(world)
    match segments:
        case ["world", _, "chaos"]:
            return enveloped({"worldId": world, "chaos": stub.chaos.get(world, {})})
        case [_, "logs"]:
            items = [{"_id": f"{n:024x}", "serviceType": "wms", "message": "moved"} for n in range(3)]
            return enveloped(
                {"items": items, "limit": int(query["limit"]), "hasMore": False, "nextCursor": None}
            )
        case [_, "audit-logs"]:
            return enveloped([{"model": "Task"}] * 150)
        case [_, "reward-config"] if world in stub.reward_configs:
            return enveloped(stub.reward_configs[world])
    return 200, stub.worlds.fetch(world, request.target)


def written(stub: StubDeployment, segments: list[str], request: Received) -> tuple[int, Any]:
    match request.method, segments:
        case "POST", ["world"]:
            return 200, {"world": {"_id": created(stub, request.json), "name": request.json["name"]}}
        case "POST", ["world", "act"]:
            return acted(stub, request.json)
        case ("DELETE", ["world", world]) | ("POST", ["world", world, "reset"]):
            (stub.worlds.reset_world if segments[2:] else stub.worlds.delete_world)(world)
            return enveloped({"success": True})
        case "PUT", ["world", world, "chaos"]:
            policy = {name: value for name, value in request.json.items() if name != "simulation"}
            stub.chaos[world] = policy if stub.policy_alone else stub.worlds.set_chaos(world, request.json)
            return enveloped({"worldId": world, "chaos": stub.chaos[world], "message": "ok"})
        case "POST", [world, "verification", "verify-ticket"]:
            return 200, stub.worlds.verify(world, request.json["ticketId"])
    raise BackendError("no such route")


def acted(stub: StubDeployment, call: Mapping[str, Any]) -> tuple[int, Any]:
    """Run an agent's call; the proxy hands the inner status on."""
    path = call["path"] + ("?" + urlencode(call["query"], doseq=True) if "query" in call else "")
    world = path.strip("/").partition("/")[0]
    answer = stub.worlds.act(world, method=call.get("method", "GET"), path=path, body=call.get("body"))
    return answer["status"], answer


def created(stub: StubDeployment, body: Mapping[str, Any]) -> str:
    seed = body.get("simulation", {}).get("seed")
    world = stub.worlds.create_world(name=body["name"], layout=body["layout"], seed=seed)
    stub.chaos[world] = stub.worlds.set_chaos(world, body["chaos"])
    return world


def signals(worlds: SimulatedBackend, world: str) -> dict[str, Any]:
    found = asdict(worlds.step_signals(world))
    return {"worldTime": found.pop("world_time"), **found}


SIDE: dict[tuple[str, str], Callable[[SimulatedBackend, str, Received], dict[str, Any] | None]] = {
    ("POST", "advance"): lambda worlds, world, request: worlds.advance(world),
    ("GET", "signals"): lambda worlds, world, request: signals(worlds, world),
    ("POST", "snapshot"): lambda worlds, world, request: {"state": worlds.snapshot_world(world)},
    ("POST", "restore"): lambda worlds, world, request: worlds.restore_world(world, request.json["state"]),
    ("POST", "fork"): lambda worlds, world, request: {"worldId": worlds.fork_world(world)},
    ("POST", "commit"): lambda worlds, world, request: worlds.commit_world(world, request.json["forkId"]),
    ("GET", "digest"): lambda worlds, world, request: {"digest": worlds.digest_world(world)},
}


@pytest.fixture
def stub() -> Iterator[StubDeployment]:
    """A running stub deployment; every thread of it has ended after the test."""
    server = StubDeployment()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.stopping.set()
    server.shutdown()
    thread.join()
    server.drop_connections()
    server.server_close()


@pytest.fixture
def make_backend(stub: StubDeployment) -> Iterator[Callable[..., HttpBackend]]:
    """Build backends over the stub and close them after the test."""
    built: list[HttpBackend] = []

    def make(kind: Callable[..., HttpBackend] = HttpBackend, **settings: Any) -> HttpBackend:
        built.append(kind(settings.pop("base_url", stub.url), **settings))
        return built[-1]

    yield make
    for backend in built:
        backend.close()


@pytest.fixture
def backend(make_backend: Callable[..., HttpBackend]) -> HttpBackend:
    """A backend over the stub."""
    return make_backend(timeout=10)


@pytest.fixture
def world(backend: HttpBackend, stub: StubDeployment) -> str:
    """A world with open tickets; what was received to build it is forgotten."""
    found = backend.create_world(name="test", layout="process-outbound", seed=1)
    for _ in range(60):
        stub.worlds.advance(found)
    stub.received.clear()
    return found
