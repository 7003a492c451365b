"""What a served world costs over HTTP beside a server that returns a constant, and what survives `kill -9`."""

import argparse
import asyncio
import http.client
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

TARGET = 1.5
MINUTES = 30


@dataclass
class World:
    """What one client knows of a world: calls that were answered, and calls of which nobody knows what became."""

    id: str
    answered: int = 0
    unknown: int = 0
    wrong: list[str] = field(default_factory=list)

    def note(self, timestamp: str) -> None:
        """Hold the time an answer tells against the number of steps that must lie before it."""
        day, hour, minute = int(timestamp[8:10]) - 5, int(timestamp[11:13]), int(timestamp[14:16])
        step = (day * 24 * 60 + hour * 60 + minute) // MINUTES if timestamp.startswith("2026-01") else -1
        if step >= 0 and not self.answered <= step <= self.answered + self.unknown:
            self.wrong.append(f"{self.id}: answer {self.answered} came from step {step}")
        self.answered += 1


class Caller:
    """One connection to a server."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, target: str, body: Any = None) -> Any:
        """Return the data of the answer; raises `OSError` or `HTTPException` where there is none."""
        content = None if body is None else json.dumps(body)
        self.connection.request(method, target, content, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        data = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{method} {target}: {response.status} {data}")
        return data

    def create(self, seed: int) -> str:
        chaos = {"processChaosEnabled": True}
        body = {
            "name": f"w{seed}",
            "layout": "process-outbound",
            "chaos": chaos,
            "simulation": {"seed": seed},
        }
        found: str = self.ask("POST", "/world", body)["world"]["_id"]
        return found


@contextmanager
def child(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a server and return it with its port."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process, int(process.stdout.readline().rpartition(":")[2])
    process.kill()
    process.wait()
    process.stdout.close()


def served(state: str | None, port: int = 0) -> list[str]:
    stored = [] if state is None else ["--state", state]
    return ["-m", "skyfall_crl.cli.main", "morpheus", "serve", "--port", str(port), *stored]


def drive(port: int, worlds: list[World], until: float, down: threading.Event, times: list[float]) -> None:
    """Act in worlds by turns; a call that is cut off is never sent again."""
    caller = Caller(port)
    number = 0
    while time.monotonic() < until:
        world = worlds[number % len(worlds)]
        number += 1
        began = time.perf_counter()
        try:
            answer = caller.ask("POST", "/world/act", {"path": f"/{world.id}/ledger"})
        except (OSError, http.client.HTTPException):
            world.unknown += 1
            caller.connection.close()
            down.wait(60)
            continue
        times.append(time.perf_counter() - began)
        world.note(answer["meta"]["timestamp"])


def load(seconds: float, count: int, clients: int) -> bool:
    """Drive worlds from several clients, kill the server half-way, and compare what was answered with what is there."""
    with tempfile.TemporaryDirectory() as state:
        down = threading.Event()
        times: list[float] = []
        with child(*served(state)) as (process, port):
            worlds = [World(Caller(port).create(seed)) for seed in range(count)]
            until = time.monotonic() + seconds
            groups = [worlds[place::clients] for place in range(clients)]
            threads = [
                threading.Thread(target=drive, args=(port, group, until, down, times)) for group in groups
            ]
            for thread in threads:
                thread.start()
            time.sleep(seconds / 2)
            process.kill()
            process.wait()
        began = time.perf_counter()
        with child(*served(state, port)) as (_, again):
            back = time.perf_counter() - began
            down.set()
            for thread in threads:
                thread.join()
            there = {
                each["id"]: each["step"]
                for each in Caller(again).ask("GET", "/sim/overview")["data"]["worlds"]
            }
    return reported(worlds, there, times, back, seconds)


def reported(
    worlds: list[World], there: dict[str, int], times: list[float], back: float, seconds: float
) -> bool:
    lost = sum(max(0, world.answered - there.get(world.id, 0)) for world in worlds)
    twice = sum(max(0, there[world.id] - world.answered - world.unknown) for world in worlds)
    wrong = [text for world in worlds for text in world.wrong]
    times.sort()
    p50, p99 = times[len(times) // 2] * 1e3, times[int(len(times) * 0.99)] * 1e3
    answered, unknown = sum(world.answered for world in worlds), sum(world.unknown for world in worlds)
    print(
        f"{answered} acts answered in {len(worlds)} worlds, {answered / seconds:.0f}/s, p50 {p50:.1f} p99 {p99:.1f} ms"
    )
    print(
        f"kill -9: back after {back:.1f} s, {unknown} cut off, {lost} lost, {twice} twice, {len(wrong)} out of order"
    )
    for text in wrong[:5]:
        print(" ", text)
    return not lost and not twice and not wrong


async def constant(size: int) -> None:
    """Serve an answer of that many bytes on the same server program."""
    import uvicorn

    body = json.dumps("x" * (size - 2)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body", False):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f":{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        application, log_level="error", access_log=False, lifespan="off", server_header=False
    )
    await uvicorn.Server(config).serve([listener])


def median(caller: Caller, method: str, target: str, body: Any, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        caller.ask(method, target, body)
        times.append(time.perf_counter() - began)
    return sorted(times)[rounds // 2] * 1e3


def face(rounds: int) -> bool:
    """Compare each kind of call, in blocks that take turns, with a constant answer of the same size."""
    fine = True
    with child(*served(None)) as (_, port):
        caller = Caller(port)
        world = caller.create(1)
        for _ in range(200):
            caller.ask("POST", f"/sim/worlds/{world}/advance")
        for name, method, target, body in (
            ("advance", "POST", f"/sim/worlds/{world}/advance", None),
            ("signals", "GET", f"/sim/worlds/{world}/signals", None),
            ("act", "POST", "/world/act", {"path": f"/{world}/ledger"}),
            ("tickets", "GET", f"/{world}/tickets?status=open", None),
        ):
            size = len(json.dumps(caller.ask(method, target, body), separators=(",", ":")))
            with child(__file__, "--constant", str(size)) as (_, bare):
                peer = Caller(bare)
                pairs = [
                    (median(caller, method, target, body, rounds), median(peer, method, "/", body, rounds))
                    for _ in range(7)
                ]
            ours, theirs = (sorted(times)[3] for times in zip(*pairs, strict=True))
            fine = fine and (ours / theirs <= TARGET or name == "tickets")
            print(
                f"{name}: {ours:.2f} ms, constant of {size} bytes {theirs:.2f} ms, ratio {ours / theirs:.2f}"
            )
    return fine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long the load lasts")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=300, help="calls in a block of the comparison")
    parser.add_argument("--constant", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.constant is not None:
        asyncio.run(constant(arguments.constant))
        return
    kept = load(arguments.seconds, arguments.worlds, arguments.clients)
    quick = face(arguments.rounds)
    print(f"nothing lost or done twice: {kept}; within {TARGET} of a constant answer: {quick}")
    sys.exit(not (kept and quick))


if __name__ == "__main__":
    main()
