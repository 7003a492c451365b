"""How long one attempt at a read is waited for, so that an answer that got lost doesn't cost the whole deadline."""

from time import monotonic

from skyfall_crl.env.morpheus.http.deadline import Deadline

_TIMES_SLOWEST = 3.0
_LEAST_SHARE = 0.25
_FADING = 0.98


class Patience:
    """Remembers how long reads took lately, each read counting a little less than the one after it.

    `timeout` is what a whole call may take, in seconds; an attempt has at least a quarter of it.
    An attempt that is given up may be repeated; the last one has all the time that is left, so a deployment that
    has become slower is waited for, and sets the measure of what follows.
    """

    __slots__ = ("_least", "_slowest")

    def __init__(self, timeout: float) -> None:
        self._least = timeout * _LEAST_SHARE
        self._slowest = 0.0

    def attempt(self, deadline: Deadline) -> Deadline:
        """Return when an attempt that is not the last is given up: never after `deadline`, which it is at first."""
        if not self._slowest:
            return deadline
        return deadline.within(max(self._least, _TIMES_SLOWEST * self._slowest))

    def answered(self, began: float) -> None:
        """Take note of a read that was answered; `began` is what `monotonic` said before it."""
        self._slowest = max(monotonic() - began, _FADING * self._slowest)
