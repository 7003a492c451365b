"""Ctrl-C and SIGTERM finish the current step; a second Ctrl-C doesn't wait."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether one of the signals has come, while the block runs."""
    came: list[int] = []

    def receive(number: int, *_: object) -> None:
        if came and number == signal.SIGINT:
            raise KeyboardInterrupt
        came.append(number)

    before = {number: signal.signal(number, receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
