"""Prints pairs of numbers, ours and theirs, and says whether all of them agree."""

import math


class Agreement:
    """Collects comparisons; `failed` is whether one of them is off."""

    def __init__(self) -> None:
        self.failed = False

    def check(self, what: str, ours: float | None, theirs: float, tolerance: float = 1e-6) -> None:
        """Compare two numbers and print them."""
        off = math.inf if ours is None else abs(ours - theirs)
        fits = off <= tolerance
        self.failed |= not fits
        print(f"{'agrees' if fits else 'DIFFERS':8} {what}: {ours} and {theirs}, {off:.1e} apart")
