"""Fan-out: one job for every world, in threads or inline, with a failing world kept apart."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import gymnasium

Result = TypeVar("Result")
Environment = gymnasium.Env[Any, Any]
Job = Callable[[int, Environment], Result]


@dataclass(frozen=True, slots=True)
class WorldFailure:
    """What a job of one world raised; the other worlds' results stand."""

    world: int
    error: Exception


@dataclass(slots=True)
class _Round(Generic[Result]):
    """One call of `run`: the job, a slot a world, and a countdown that wakes the caller once."""

    job: Job[Result]
    results: list[Any]
    waiting: int
    lock: threading.Lock
    done: "SimpleQueue[None]"
    stopped: BaseException | None = None

    def perform(self, world: int, environment: Environment) -> None:
        try:
            self.results[world] = attempt(self.job, world, environment)
        except BaseException as error:  # an exit is the caller's business, who waits for this countdown
            self.stopped = error
        with self.lock:
            self.waiting -= 1
            last = self.waiting == 0
        if last:
            self.done.put(None)


class FanOut:
    """Owns the environments it builds and runs jobs over them in world order.

    Worlds whose metadata says `in_process` are worked inline, as are all with `max_workers=0`: threads only pay where
    a step waits. Otherwise each world has a worker thread; with fewer `max_workers` than worlds they share.
    """

    def __init__(
        self, factories: Sequence[Callable[[], Environment]], *, max_workers: int | None = None
    ) -> None:
        self.environments: list[Environment] = []
        try:
            for factory in factories:
                self.environments.append(factory())
        except BaseException:
            self.close()
            raise
        self._queues: list[SimpleQueue[tuple[_Round[Any], int] | None]] = []
        self._threads: list[threading.Thread] = []
        in_process = all(bool((env.unwrapped.metadata or {}).get("in_process")) for env in self.environments)
        self.inline = max_workers == 0 or in_process
        if not self.inline:
            count = len(self.environments)
            self._start(count if max_workers is None else min(max_workers, count))

    def run(self, job: Job[Result], worlds: Sequence[int] | None = None) -> list[Result | WorldFailure]:
        """Do `job(world, environment)` for every world, or for those named, and return the results in that order.

        What is no `Exception`, such as `SystemExit`, is raised here, in threads once all worlds are done.
        """
        chosen = range(len(self.environments)) if worlds is None else worlds
        if self.inline:
            return [attempt(job, world, self.environments[world]) for world in chosen]
        current: _Round[Result] = _Round(
            job, [None] * len(self.environments), len(chosen), threading.Lock(), SimpleQueue()
        )
        for world in chosen:
            self._queues[world % len(self._queues)].put((current, world))
        if chosen:
            current.done.get()
        if current.stopped is not None:
            raise current.stopped
        return [current.results[world] for world in chosen]

    def close(self) -> list[WorldFailure]:
        """Close every environment and end every thread; returns the environments that failed to close."""
        for queue in getattr(self, "_queues", ()):
            queue.put(None)
        for thread in getattr(self, "_threads", ()):
            thread.join()
        self._queues, self._threads, self.inline = [], [], True
        outcomes = [attempt(_close, world, env) for world, env in enumerate(self.environments)]
        self.environments = []
        return [outcome for outcome in outcomes if isinstance(outcome, WorldFailure)]

    def _start(self, workers: int) -> None:
        for number in range(workers):
            queue: SimpleQueue[tuple[_Round[Any], int] | None] = SimpleQueue()
            thread = threading.Thread(target=self._work, args=(queue,), name=f"world-{number}", daemon=True)
            self._queues.append(queue)
            self._threads.append(thread)
            thread.start()

    def _work(self, queue: "SimpleQueue[tuple[_Round[Any], int] | None]") -> None:
        while (task := queue.get()) is not None:
            current, world = task
            current.perform(world, self.environments[world])


def attempt(job: Job[Result], world: int, environment: Environment) -> Result | WorldFailure:
    """Do a job and turn what it raises into a `WorldFailure`."""
    try:
        return job(world, environment)
    except Exception as error:
        return WorldFailure(world, error)


def _close(_world: int, environment: Environment) -> None:
    environment.close()
