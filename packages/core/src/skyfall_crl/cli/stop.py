"""Asking a run to stop: the first Ctrl-C or SIGTERM finishes the current step, a second Ctrl-C does not wait."""

import signal
from types import FrameType, TracebackType
from typing import Any, Self


class StopRequest:
    """A flag that signals raise while the context is open; calling the object reads it."""

    def __init__(self) -> None:
        self._requested = False
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
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
