"""A stub deployment on a loopback socket: embedded worlds behind the wire, and faults on request."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.simulation.operations import Operations

META = {"event": "message", "timestamp": "2026-01-01T00:00:00Z"}
FAULTS = (
    *("reset_before", "eof_before", "reset_amid", "eof_amid", "stall", "drip_head", "drip_body", "cut_json"),
    *("wrong_type", "html", "status_429", "status_500", "status_503", "refusal", "too_big", "no_http"),
)


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came in."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Refused(Exception):
    """An answer with an error code."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class StubDeployment(ThreadingHTTPServer):
    """Answers like a deployment, over a `SimulatedBackend`; with `sim` the side channel is there as well.

    `received` holds every request. `replies` overrides what a method and target are answered with: a status, headers
    and bytes. `fault` is asked about every request and may name one of `FAULTS`.
    """

    daemon_threads = False
    request_queue_size = 512

    def __init__(self) -> None:
        self.worlds = SimulatedBackend()
        self.sim = False
        self.chaos: dict[str, Any] = {}
        self.reward_configs: dict[str, Any] = {}
        self.received: list[Received] = []
        self.replies: dict[tuple[str, str], list[tuple[int, dict[str, str], bytes]]] = {}
        self.fault: Callable[[Received, int], str | None] = lambda request, number: None
        self.stopping = threading.Event()
        self.connections = 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def note(self, request: Received) -> int:
        with self._lock:
            self.received.append(request)
            return len(self.received)

    def reply(self, method: str, target: str, status: int, data: Any, **headers: str) -> None:
        """Answer the next such request with this, ahead of what the worlds would say."""
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        found = {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
        self.replies.setdefault((method, target), []).append((status, found, body))

    def get_request(self) -> tuple[socket.socket, Any]:
        accepted, address = super().get_request()
        with self._lock:
            self.connections += 1
            self._open.add(accepted)
        return accepted, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """Close every open connection, as a server does to idle ones."""
        with self._lock:
            found = list(self._open)
        for connection in found:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about clients that went away."""


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
        number = self.server.note(request)
        fault = self.server.fault(request, number)
        queued = self.server.replies.get((request.method, request.target))
        if queued:
            status, headers, content = queued.pop(0)
        else:
            headers = {"Content-Type": "application/json"}
            status, content = self._answered(request)
        if fault is not None:
            self._spoil(fault, content)
        else:
            self._send(status, headers, content)

    do_GET = do_POST = do_PUT = do_DELETE = serve

    def _answered(self, request: Received) -> tuple[int, bytes]:
        try:
            status, data = answered(self.server, request)
        except Refused as refused:
            status, error = refused.status, str(refused)
            data = {"success": False, "status": status, "error": error, "meta": META}
        except BackendError as error:
            status, data = 404, {"success": False, "status": 404, "error": str(error), "meta": META}
        return status, json.dumps(data).encode()

    def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Transfer-Encoding" not in headers and "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _spoil(self, fault: str, content: bytes) -> None:
        if fault in SPOILT:
            self._send(*SPOILT[fault](content))
            return
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
            content
        )
        whole = head + content
        self.close_connection = True
        if fault in ("reset_before", "reset_amid"):
            if fault == "reset_amid":
                self.connection.sendall(whole[:-5])
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif fault == "eof_amid":
            self.connection.sendall(whole[:-5])
        elif fault == "stall":
            self._until_gone()
        elif fault == "drip_head":
            self._drip(whole)
        elif fault == "drip_body":
            self.connection.sendall(head)
            self._drip(content)
        elif fault == "no_http":
            self.connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

    def _until_gone(self) -> None:
        """Wait until the client gives up."""
        self.connection.settimeout(10)
        self.connection.recv(1)

    def _drip(self, data: bytes) -> None:
        """Send a byte at a time until the client gives up."""
        for byte in data:
            self.connection.sendall(bytes([byte]))
            if self.server.stopping.wait(0.02):
                return


def _typed(content_type: str, body: bytes, status: int = 200) -> tuple[int, dict[str, str], bytes]:
    return status, {"Content-Type": content_type}, body


SPOILT: dict[str, Callable[[bytes], tuple[int, dict[str, str], bytes]]] = {
    "cut_json": lambda content: _typed("application/json", content[:-1]),
    "wrong_type": lambda content: _typed("text/plain", content),
    "html": lambda content: _typed("text/html; charset=utf-8", b"<!doctype html><title>Welcome</title>"),
    "status_429": lambda content: _typed("application/json", b'{"success":false,"error":"slow down"}', 429),
    "status_500": lambda content: _typed("text/html", b"<h1>Internal Server Error</h1>", 500),
    "status_503": lambda content: _typed("application/json", b'{"success":false,"error":"warming up"}', 503),
    "refusal": lambda content: _typed("application/json", b'{"success":false,"error":"not today"}'),
    "too_big": lambda content: _typed("application/json", b'"' + b"x" * (17 << 20) + b'"'),
}


def answered(stub: StubDeployment, request: Received) -> tuple[int, Any]:
    """Return the status and the data for a request, as the wire has them."""
    parts = urlsplit(request.target)
    segments = parts.path.strip("/").split("/")
    query = dict(parse_qsl(parts.query))
    if segments[0] == "sim" and stub.sim:
        return 200, {"success": True, "status": 200, "data": side_channel(stub, segments, request)}
    if segments[0] == "docs":
        return 200, Operations(layout_named("process-outbound")).describe(query["service"])
    if request.method in ("POST", "PUT", "DELETE"):
        return written(stub, segments, request)
    world = segments[1] if segments[0] == "world" else segments[0]
    stub.worlds.layout(world)
    match segments:
        case ["world", _, "chaos"]:
            return 200, {"success": True, "data": {"worldId": world, "chaos": stub.chaos[world]}}
        case [_, "logs"]:
            items = [{"_id": f"{n:024x}", "serviceType": "wms", "message": "moved"} for n in range(3)]
            page = {"items": items, "totalCount": 3, "limit": int(query["limit"]), "hasMore": False}
            return 200, {"success": True, "status": 200, "data": {**page, "nextCursor": None}, "meta": META}
        case [_, "audit-logs"]:
            return 200, {"success": True, "status": 200, "data": [{"model": "Task"}] * 150, "meta": META}
        case [_, "reward-config"] if world in stub.reward_configs:
            return 200, {"success": True, "status": 200, "data": stub.reward_configs[world]}
    return 200, stub.worlds.fetch(world, request.target)


def written(stub: StubDeployment, segments: list[str], request: Received) -> tuple[int, Any]:
    done = {"success": True, "status": 200, "data": {"success": True}, "meta": META}
    match request.method, segments:
        case "POST", ["world"]:
            return 200, {"world": {"_id": created(stub, request.json), "name": request.json["name"]}}
        case "POST", ["world", "act"]:
            return acted(stub, request.json)
        case "DELETE", ["world", world]:
            stub.worlds.delete_world(world)
            return 200, done
        case "POST", ["world", world, "reset"]:
            stub.worlds.reset_world(world)
            return 200, done
        case "PUT", ["world", world, "chaos"]:
            stub.chaos[world] = stub.worlds.set_chaos(world, request.json)
            return 200, {
                "success": True,
                "data": {"worldId": world, "chaos": stub.chaos[world], "message": "ok"},
            }
        case "POST", [world, "verification", "verify-ticket"]:
            return 200, stub.worlds.verify(world, request.json["ticketId"])
    raise Refused(404, "no such route")


def acted(stub: StubDeployment, call: Mapping[str, Any]) -> tuple[int, Any]:
    """Run an agent's call; the proxy hands the inner status on."""
    path = call["path"]
    if "query" in call:
        path += "?" + urlencode(call["query"], doseq=True)
    world = path.strip("/").partition("/")[0]
    answer = stub.worlds.act(world, method=call.get("method", "GET"), path=path, body=call.get("body"))
    return answer["status"], answer


def created(stub: StubDeployment, body: Mapping[str, Any]) -> str:
    switches = body["chaos"]
    world = stub.worlds.create_world(
        name=body["name"],
        layout=body["layout"],
        process_chaos=switches["processChaosEnabled"],
        infrastructure_chaos=switches["infraChaosEnabled"],
        seed=body.get("simulation", {}).get("seed"),
    )
    stub.chaos[world] = stub.worlds.set_chaos(world, {})
    return world


def side_channel(stub: StubDeployment, segments: list[str], request: Received) -> dict[str, Any]:
    if len(segments) == 1:
        return {"protocol": 1}
    _, _, world, what = segments
    match request.method, what:
        case "POST", "advance":
            stub.worlds.advance(world)
            return {}
        case "GET", "signals":
            found = stub.worlds.step_signals(world)
            outcome = {"remedied": found.remedied, "failed": found.failed, "tainted": found.tainted}
            return {"signals": dict(found.signals), "worldTime": found.world_time, **outcome}
        case "POST", "snapshot":
            return {"state": stub.worlds.snapshot_world(world)}
        case "POST", "restore":
            stub.worlds.restore_world(world, request.json["state"])
            return {}
        case "POST", "fork":
            fork = stub.worlds.fork_world(world)
            stub.chaos[fork] = stub.chaos[world]
            return {"worldId": fork}
        case "POST", "commit":
            stub.worlds.commit_world(world, request.json["forkId"])
            return {}
        case "GET", "digest":
            return {"digest": stub.worlds.digest_world(world)}
    raise Refused(404, "no such route")


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


@pytest.fixture
def nowhere() -> Iterator[str]:
    """A base URL at which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
