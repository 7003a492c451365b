"""Sinks of a run: each on its own thread behind a bounded queue, detached when it can't keep up."""

import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from skyfall_crl.ports.sink import Sink

QUEUED_WINDOWS = 64
PATIENCE_SECONDS = 1.0


class SinkPump:
    """Feeds one sink; `failure` says why it was detached, None while it is attached."""

    def __init__(self, name: str, sink: Sink, run: Mapping[str, Any]) -> None:
        self.name = name
        self.failure: str | None = None
        self._sink = sink
        self._queue: queue.Queue[Sequence[Mapping[str, Any]] | None] = queue.Queue(QUEUED_WINDOWS)
        self._status = "failed"
        self._thread = threading.Thread(target=self._work, args=(run,), name=f"sink-{name}", daemon=True)
        self._thread.start()

    def put(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Hand over the rows of a window; blocks at most a second, then gives the sink up."""
        if self.failure is None:
            try:
                self._queue.put(rows, timeout=PATIENCE_SECONDS)
            except queue.Full:
                self.failure = f"was {QUEUED_WINDOWS} windows behind for {PATIENCE_SECONDS:g} s"

    def close(self, status: str, timeout: float = 30.0) -> None:
        """Let the sink finish what it was given; one that takes longer than `timeout` seconds is given up."""
        self._status = status
        try:
            self._queue.put(None, timeout=PATIENCE_SECONDS)
        except queue.Full:
            self.failure = self.failure or "did not take its last rows"
            return
        self._thread.join(timeout)
        if self._thread.is_alive():
            self.failure = self.failure or f"did not close within {timeout:g} s"

    def _work(self, run: Mapping[str, Any]) -> None:
        try:
            self._sink.open(run)
            while (rows := self._queue.get()) is not None:
                self._sink.rows(rows)
            self._sink.close(self._status)
        except Exception as error:
            self.failure = f"raised {type(error).__name__}: {error}"
            while self._queue.get() is not None:
                continue
