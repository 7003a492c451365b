"""The reference rewards of one identity."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Levels:
    """Upper and lower reference reward per step, None where nobody gave one."""

    upper: float | None
    lower: float | None

    @property
    def scale(self) -> float | None:
        """Return the distance between the two, None unless both are known."""
        return None if self.upper is None or self.lower is None else self.upper - self.lower
