"""What a call over HTTP costs, with one world open and with many, beside httpx and http.client in the same run."""

import argparse
import asyncio
import http.client
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier

import httpx

from skyfall_crl.env.morpheus.http_backend import HttpBackend

WORLD = "507f1f77bcf86cd799439011"
TICKETS = [
    {
        "_id": f"507f1f77bcf86cd7994390{n:02d}",
        "status": "open",
        "priority": "high",
        "title": "EDI 850 rejected " * 12,
    }
    for n in range(6)
]
BODY = json.dumps({"success": True, "status": 200, "data": {"items": TICKETS}}).encode()
OPEN_WORLDS_TARGET, BUILD_TARGET, SHARED_TARGET = 1.25, 5.0, 3.5

Call = Callable[[int], object]
"""Reads the tickets of a world, after as many milliseconds as are given."""


async def serve() -> None:
    """Answer every request with `BODY`, after `?delay=` milliseconds."""
    loop = asyncio.get_running_loop()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(BODY),
        BODY,
    )

    class Peer(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self.transport, self.waiting = transport, b""

        def data_received(self, data: bytes) -> None:
            self.waiting += data
            while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
                head, self.waiting = self.waiting[:end], self.waiting[end + 4 :]
                delay = head.partition(b"delay=")[2].partition(b" ")[0]
                loop.call_later(int(delay or 0) / 1000, self.answer)

        def answer(self) -> None:
            if not self.transport.is_closing():
                self.transport.write(answer)

    server = await loop.create_server(Peer, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def ours(port: int) -> Iterator[Callable[[], Call]]:
    """Our backend, one object for all threads."""
    backend = HttpBackend(f"http://127.0.0.1:{port}")
    path = f"/{WORLD}/tickets"
    yield lambda: lambda delay: backend.fetch(WORLD, path, params={"delay": delay})
    backend.close()


@contextmanager
def httpx_shared(port: int) -> Iterator[Callable[[], Call]]:
    """One plain httpx client for all threads, with room for all connections."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=None)
    url = f"http://127.0.0.1:{port}/{WORLD}/tickets"
    with httpx.Client(timeout=30, trust_env=False, verify=False, limits=limits) as client:
        yield lambda: lambda delay: client.get(url, params={"delay": delay}).json()


@contextmanager
def httpx_each(port: int) -> Iterator[Callable[[], Call]]:
    """A plain httpx client for each thread."""
    url = f"http://127.0.0.1:{port}/{WORLD}/tickets"
    with ExitStack() as stack:

        def caller() -> Call:
            client = stack.enter_context(httpx.Client(timeout=30, trust_env=False, verify=False))
            return lambda delay: client.get(url, params={"delay": delay}).json()

        yield caller


@contextmanager
def http_client_each(port: int) -> Iterator[Callable[[], Call]]:
    """A connection of http.client for each thread."""
    with ExitStack() as stack:

        def caller() -> Call:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            stack.callback(connection.close)
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def call(delay: int) -> object:
                connection.request("GET", f"/{WORLD}/tickets?delay={delay}")
                return json.loads(connection.getresponse().read())

            return call

        yield caller


KINDS = {
    "ours": ours,
    "httpx shared": httpx_shared,
    "httpx each": httpx_each,
    "http.client each": http_client_each,
}


def all_at_once(calls: list[Call], rounds: int, delay: int) -> float:
    """Return the seconds in which every thread makes `rounds` calls."""
    barrier = Barrier(len(calls) + 1)

    def drive(call: Call) -> None:
        call(delay)
        barrier.wait()
        for _ in range(rounds):
            call(delay)

    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(drive, call) for call in calls]
        barrier.wait()
        started = time.perf_counter()
        for future in futures:
            future.result()
        return time.perf_counter() - started


def cpu_per_call(port: int, kind: str, worlds: int, count: int) -> float:
    """Return the CPU microseconds of a call of one thread while as many worlds were driven just before."""
    with KINDS[kind](port) as caller:
        calls = [caller() for _ in range(worlds)]
        all_at_once(calls, 1, 200 if worlds > 1 else 0)
        started = time.process_time()
        for number in range(count):
            calls[number % worlds](0)
        return (time.process_time() - started) / count * 1e6


def steps_per_second(port: int, kind: str, worlds: int) -> float:
    """Return how many steps of two reads, 20 ms each, all worlds make in a second."""
    with KINDS[kind](port) as caller:
        steps = 5
        return worlds * steps / all_at_once([caller() for _ in range(worlds)], 2 * steps, 20)


def milliseconds_to_build(port: int) -> float:
    """Return what building a backend takes."""
    started = time.perf_counter()
    for _ in range(20):
        HttpBackend(f"http://127.0.0.1:{port}").close()
    return (time.perf_counter() - started) / 20 * 1000


def shown(what: str, values: list[float], target: str = "", met: bool | None = None) -> None:
    """Print a median with its range, and whether a target was met."""
    verdict = "" if met is None else f"; target {target}: {'met' if met else 'missed'}"
    print(
        f"{what}: median {statistics.median(values):.2f}, range {min(values):.2f} to {max(values):.2f}{verdict}"
    )


def main() -> None:
    """Print figures and ratios, each the median and range of interleaved rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="at least 7 (default: %(default)s)")
    parser.add_argument("--calls", type=int, default=300, help="calls per CPU figure (default: %(default)s)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
        return
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        measure(int(server.stdout.readline()), max(7, arguments.rounds), arguments.calls)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def measure(port: int, rounds: int, calls: int) -> None:
    """Measure everything once a round and print it."""
    built: list[float] = []
    cpu: dict[tuple[str, int], list[float]] = {}
    steps: dict[str, list[float]] = {}
    for _ in range(rounds):
        built.append(milliseconds_to_build(port))
        for kind, worlds in (
            *((kind, 1) for kind in KINDS),
            ("ours", 64),
            ("ours", 128),
            ("httpx shared", 128),
        ):
            cpu.setdefault((kind, worlds), []).append(cpu_per_call(port, kind, worlds, calls))
        for kind in KINDS:
            steps.setdefault(kind, []).append(steps_per_second(port, kind, 128))
    shown("building a backend, ms", built, f"<= {BUILD_TARGET}", min(built) <= BUILD_TARGET)
    for (kind, worlds), values in cpu.items():
        shown(f"CPU of a call, us, {kind}, {worlds} worlds open", values)
    one = cpu["ours", 1]
    for worlds in (64, 128):
        ratios = [many / alone for many, alone in zip(cpu["ours", worlds], one, strict=True)]
        target = f"<= {OPEN_WORLDS_TARGET}"
        shown(f"CPU of a call, {worlds} worlds / one", ratios, target, min(ratios) <= OPEN_WORLDS_TARGET)
    for kind in ("httpx each", "http.client each"):
        shown(f"CPU of a call, ours / {kind}", [a / b for a, b in zip(one, cpu[kind, 1], strict=True)])
    for kind, values in steps.items():
        shown(f"steps a second, {kind}, 128 worlds x 2 reads x 20 ms", values)
    for kind in list(KINDS)[1:]:
        ratios = [a / b for a, b in zip(steps["ours"], steps[kind], strict=True)]
        is_shared = kind == "httpx shared"
        met = max(ratios) >= SHARED_TARGET if is_shared else None
        shown(f"steps a second, ours / {kind}", ratios, f">= {SHARED_TARGET}", met)


if __name__ == "__main__":
    main()
