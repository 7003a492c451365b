"""What `PersistentVectorEnv` reaches of one bare thread per world, and of Gymnasium's loop over worlds in memory.

Worlds that wait sleep for a round trip and return a ready observation of arrays and text; the anchor hands every
world its action over a queue of its own and stacks what comes back. Worlds in memory are counters that cost next to
nothing, and the embedded simulator; their anchor is `SyncVectorEnv` without autoreset, and their time is CPU time, as
nothing waits. Each round runs both sides in turn, the first of them alternating.
"""

import argparse
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from skyfall_crl.env.morpheus import PersistentVectorEnv
from skyfall_crl.env.morpheus.factory import world

TARGET = 0.9
LATENCY = 0.020
WORLDS = (1, 8, 32, 128)
TICKETS = 16 * '{"id": "T-0001", "status": "open", "priority": "high", "title": "rejected by a partner"}, '


class Vector(Protocol):
    """What both sides of a comparison offer."""

    def step(self, actions: Any) -> Any:
        """Take one action in every world."""
        ...

    def close(self) -> None:
        """Close every world."""
        ...


class Desk(gymnasium.Env[Any, Any]):
    """Returns one ready observation, after `latency` seconds where that is not 0."""

    action_space = spaces.Discrete(4)
    observation_space = spaces.Dict(
        {
            "open_by_priority": spaces.Box(0, np.inf, (4,), np.float32),
            "status_counts": spaces.Box(0, np.inf, (6,), np.float32),
            "step": spaces.Box(0, np.inf, (1,), np.float32),
            "tickets": spaces.Text(4096, min_length=0),
        }
    )

    def __init__(self, latency: float) -> None:
        self.metadata = {"in_process": latency == 0}
        self.latency, self.steps = latency, 0
        self.counts = {
            "open_by_priority": np.ones(4, np.float32),
            "status_counts": np.ones(6, np.float32),
            "tickets": TICKETS,
        }

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Return the observation."""
        return {**self.counts, "step": np.array([self.steps], np.float32)}, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Wait, count, and return the observation."""
        if self.latency:
            time.sleep(self.latency)
        self.steps += 1
        return self.reset()[0], 0.0, False, False, {"step": self.steps}


class ThreadPerWorld:
    """The anchor: a thread and a queue for each world, and nothing that is not needed."""

    def __init__(self, factories: Sequence[Callable[[], gymnasium.Env[Any, Any]]]) -> None:
        self._envs = [factory() for factory in factories]
        self._taken: list[Any] = [None] * len(self._envs)
        self._done: SimpleQueue[int] = SimpleQueue()
        self._queues: list[SimpleQueue[Any]] = [SimpleQueue() for _ in self._envs]
        self._threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(len(self._envs))
        ]
        for thread in self._threads:
            thread.start()

    def step(self, actions: Sequence[Any]) -> Any:
        """Step every world and stack what they return."""
        for queue, action in zip(self._queues, actions, strict=True):
            queue.put((action,))
        for _ in self._queues:
            self._done.get()
        observations = [taken[0] for taken in self._taken]
        batch = {
            key: tuple(each[key] for each in observations)
            if isinstance(value, str)
            else np.stack([each[key] for each in observations])
            for key, value in observations[0].items()
        }
        rewards, terminated, truncated = (
            np.array([taken[place] for taken in self._taken]) for place in (1, 2, 3)
        )
        return batch, rewards, terminated, truncated, [taken[4] for taken in self._taken]

    def close(self) -> None:
        """End the threads."""
        for queue in self._queues:
            queue.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self, number: int) -> None:
        queue, env = self._queues[number], self._envs[number]
        while (task := queue.get()) is not None:
            self._taken[number] = env.step(task[0])
            self._done.put(number)


def rate(vector: Vector, actions: Any, steps: int, clock: Callable[[], float]) -> float:
    """Return vector steps a second of `clock`."""
    started = clock()
    for _ in range(steps):
        vector.step(actions)
    return steps / (clock() - started)


def compare(
    ours: Vector, anchor: Vector, actions: Any, steps: int, rounds: int, clock: Callable[[], float]
) -> list[tuple[float, float]]:
    """Return the rates of both sides, one pair a round after one that does not count, and close them."""
    pairs = []
    for number in range(rounds + 1):
        order = (ours, anchor) if number % 2 else (anchor, ours)
        measured = {id(vector): rate(vector, actions, steps, clock) for vector in order}
        pairs.append((measured[id(ours)], measured[id(anchor)]))
    ours.close()
    anchor.close()
    return pairs[1:]


def report(name: str, pairs: Sequence[tuple[float, float]], note: str) -> bool:
    """Print the median share of the anchor with its range; return whether it meets the target."""
    shares = [ours / anchor for ours, anchor in pairs]
    median = statistics.median(shares)
    print(
        f"{name:32s} {median:.3f} x anchor [{min(shares):.3f}, {max(shares):.3f}]  {note}; "
        f"target {TARGET}: {'met' if median >= TARGET else 'MISSED'}",
        flush=True,
    )
    return median >= TARGET


def waiting(num_envs: int, rounds: int) -> bool:
    """Compare the fan-out over worlds that sleep."""
    factories = [partial(Desk, LATENCY)] * num_envs
    ours = PersistentVectorEnv(factories)
    ours.reset(seed=0)
    pairs = compare(ours, ThreadPerWorld(factories), np.zeros(num_envs, int), 15, rounds, time.perf_counter)
    ideal = [statistics.median(side) * LATENCY for side in zip(*pairs, strict=True)]
    note = f"{ideal[0]:.1%} of ideal, anchor {ideal[1]:.1%}"
    return report(f"{num_envs} worlds x {LATENCY * 1e3:.0f} ms", pairs, note)


def in_memory(name: str, factory: Callable[[], Any], num_envs: int, rounds: int) -> bool:
    """Compare stepping worlds in memory."""
    ours = PersistentVectorEnv([factory] * num_envs)
    sync = SyncVectorEnv([factory] * num_envs, autoreset_mode=AutoresetMode.DISABLED)
    ours.reset(seed=0)
    sync.reset(seed=0)
    steps = max(20, 1600 // num_envs)
    pairs = compare(ours, sync, np.zeros(num_envs, int), steps, rounds, time.process_time)
    medians = [statistics.median(side) * num_envs for side in zip(*pairs, strict=True)]
    return report(
        f"{num_envs} {name}", pairs, f"{medians[0]:,.0f} steps per s of CPU, anchor {medians[1]:,.0f}"
    )


def main() -> None:
    """Print every comparison; end with 1 where one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="at least 7 (default: %(default)s)")
    rounds = max(7, parser.parse_args().rounds)
    print(f"medians and ranges of {rounds} interleaved rounds")
    met = [waiting(num_envs, rounds) for num_envs in WORLDS]
    met += [in_memory("counters in memory", partial(Desk, 0.0), num_envs, rounds) for num_envs in WORLDS]
    simulated = partial(world, max_steps=10**9)
    met += [in_memory("simulated worlds", simulated, num_envs, rounds) for num_envs in WORLDS]
    raise SystemExit(not all(met))


if __name__ == "__main__":
    main()
