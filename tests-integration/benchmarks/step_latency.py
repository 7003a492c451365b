"""How long a step over HTTP takes beyond its two latencies: one for the action, one for everything that is read.

A server in a process of its own answers every request after the same delay, with documents of the sizes a world has.
What is above two delays is the environment's own time, the client's and the server's; at most 9 ms are allowed.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from multiprocessing.connection import Connection
from typing import Any

from skyfall_crl.env.morpheus.factory import morpheus_world

WORLD = "65f0c0ffee65f0c0ffee65f0"
STARTED = "2026-01-01T00:00:00Z"
ALLOWED_MS = 9.0
ACTION = {"method": "PUT", "path": "/{worldId}/tickets/T1", "body": '{"resolutionNotes": "checked"}'}


def documents(entities: int, tickets: int) -> dict[str, bytes]:
    """Return what is answered under the last part of a path; what is not here is answered by an empty success."""

    def listed(items: list[dict[str, Any]]) -> bytes:
        return json.dumps({"success": True, "status": 200, "data": items}).encode()

    dates = {"createdAt": STARTED, "updatedAt": STARTED}
    invoices = [
        {"invoiceId": f"INV_{n}", "status": "SENT", "totalAmount": 9.5, **dates} for n in range(entities)
    ]
    costs = {"baseCost": 12, "fuelSurcharge": 1}
    shipments = [
        {"shipmentId": f"S_{n}", "status": "PLANNED", "costs": costs, **dates} for n in range(entities)
    ]
    orders = [{"orderId": f"ORDER_{n}", "status": "COMPLETED", **dates} for n in range(entities)]
    opened = [{"_id": f"T{n}", "status": "open", "priority": "high", **dates} for n in range(tickets)]
    return {
        "invoices": listed(invoices),
        "shipments": listed(shipments),
        "orders": listed(orders),
        "tickets": listed(opened),
        "verify-ticket": json.dumps({"passed": False, "ticketId": "T1"}).encode(),
        "sim": b"",
    }


def serve(ready: Connection, delay: float, entities: int, tickets: int) -> None:
    """Answer on a free port, which is sent over `ready`, until the process is ended."""
    bodies = documents(entities, tickets)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.split("\r\n")
                length = next(
                    (int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0
                )
                await reader.readexactly(length)
                await asyncio.sleep(delay)
                name = lines[0].split()[1].partition("?")[0].rpartition("/")[2]
                body = bodies.get(name, b'{"success": true, "status": 200}')
                status = b"200 OK" if body else b"404 Not Found"
                kind = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                writer.write(b"HTTP/1.1 " + status + b"\r\n" + kind % (len(body), body))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def step_times(base_url: str, steps: int) -> tuple[list[float], float]:
    """Return how long each step took in ms, and the process's CPU time a step in ms."""
    env = morpheus_world(base_url=base_url, world_id=WORLD, reward_spec="paper")
    env.reset()
    for _ in range(3):
        env.step(ACTION)
    times, busy = [], time.process_time()
    for _ in range(steps):
        started = time.perf_counter()
        env.step(ACTION)
        times.append(1e3 * (time.perf_counter() - started))
    busy = 1e3 * (time.process_time() - busy) / steps
    env.close()
    return times, busy


def main() -> None:
    """Print the median of each round, what is above the two latencies, and the verdict over all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="at least 7 (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=40, help="steps each (default: %(default)s)")
    parser.add_argument(
        "--delay", type=float, default=20.0, help="ms before each answer (default: %(default)s)"
    )
    parser.add_argument(
        "--entities", type=int, default=100, help="documents of each kind (default: %(default)s)"
    )
    parser.add_argument("--tickets", type=int, default=40, help="open tickets (default: %(default)s)")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(
        target=serve, args=(there, options.delay / 1e3, options.entities, options.tickets), daemon=True
    )
    server.start()
    base_url = f"http://127.0.0.1:{here.recv()}"
    above = []
    for number in range(options.rounds):
        times, busy = step_times(base_url, options.steps)
        median = statistics.median(times)
        above.append(median - 2 * options.delay)
        print(
            f"round {number + 1}: {median:.1f} ms a step, {above[-1]:.1f} above two latencies, {busy:.1f} of CPU"
        )
    server.terminate()
    verdict = "met" if min(above) <= ALLOWED_MS else "MISSED"
    print(
        f"above two latencies: {statistics.median(above):.1f} ms [{min(above):.1f}, {max(above):.1f}], "
        f"target {ALLOWED_MS:.0f}: {verdict}"
    )


if __name__ == "__main__":
    main()
