"""Jobs that wait on a network, done side by side: a step's reads take as long as the slowest of them."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError

MOST_AT_ONCE = 16
"""How many threads an environment has at most; they start as they are needed."""

Job = Callable[[], Any]


class ReadingPool:
    """The threads of one environment; none is started before there are two jobs at once."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    def run(self, jobs: Mapping[str, Job]) -> dict[str, Any]:
        """Do all jobs and return what each returned, or the `BackendError` it raised; another error is raised."""
        if not jobs:
            return {}
        (own, first), *others = jobs.items()
        if others and self._threads is None:
            self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="world-reads")
        futures: dict[str, Future[Any]] = {}
        if self._threads is not None:
            futures = {name: self._threads.submit(_attempt, job) for name, job in others}
        found = {own: _attempt(first)}
        found.update({name: future.result() for name, future in futures.items()})
        return found

    def close(self) -> None:
        """End the threads; the pool can be used again."""
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None


def _attempt(job: Job) -> Any:
    try:
        return job()
    except BackendError as error:
        return error
