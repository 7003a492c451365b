"""Asking a run to stop: Ctrl-C, SIGTERM or a file finish the current step; a second Ctrl-C does not wait."""

import signal
import time
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

STOP_FILE = "STOP"
LOOK_SECONDS = 0.25


class StopRequest:
    """A flag that signals raise while the context is open, and a file named STOP in the run's directory.

    Calling the object reads it; the file is looked for at most four times a second.
    """

    def __init__(self, directory: Path) -> None:
        self._requested = False
        self._file = directory / STOP_FILE
        self._look_at = 0.0
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self._requested and now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self._requested = self._file.exists()
        return self._requested

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._requested = True
