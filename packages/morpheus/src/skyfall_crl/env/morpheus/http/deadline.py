"""The moment by which a whole call has to be over."""

from time import monotonic


class Deadline:
    """A point in time that every wait of one call shares, so that a server can't stretch it byte by byte."""

    __slots__ = ("_at",)

    def __init__(self, seconds: float) -> None:
        self._at = monotonic() + seconds

    def within(self, seconds: float) -> "Deadline":
        """Return the earlier of this deadline and one so many seconds from now."""
        sooner = Deadline(seconds)
        return sooner if sooner._at < self._at else self

    def remaining(self) -> float:
        """Return the seconds left, always positive; raises `TimeoutError` when none are."""
        left = self._at - monotonic()
        if left <= 0:
            raise TimeoutError("the deadline passed")
        return left
