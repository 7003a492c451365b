"""The numbers that the definitions leave open, recorded beside every value they shape."""

import math
from dataclasses import dataclass

from skyfall_crl.ports.errors import ConfigError

SMALLEST_WINDOW = 5
LARGEST_WINDOW = 64
WINDOWS_PER_SEGMENT = 20
DEFAULT_RHO = 0.9


@dataclass(frozen=True, slots=True)
class Parameters:
    """How curves are cut and judged.

    `window` is the number of steps in a window, `rho` in (0, 1] the share of the way up that counts as there,
    `terminal_fraction` the share of a segment whose mean is its terminal level, `min_windows` the number of
    windows below which a segment has no curve. A level counts as reached once `sustain` windows in a row are there;
    `burn_in` steps of a revisit pass before its entry level is taken for forgetting. Raises `ConfigError` for a
    value outside its range.
    """

    window: int
    rho: float = DEFAULT_RHO
    terminal_fraction: float = 0.1
    min_windows: int = 4
    sustain: int = 1
    burn_in: int = 0

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ConfigError(
                f"window: expected a whole number of steps of at least 1, found {self.window!r}"
            )
        if not 0 < self.rho <= 1:
            raise ConfigError(f"rho: expected a number above 0 and at most 1, found {self.rho!r}")
        if self.sustain < 1:
            raise ConfigError(
                f"sustain: expected a whole number of windows of at least 1, found {self.sustain!r}"
            )
        if self.burn_in < 0:
            raise ConfigError(
                f"burn_in: expected a whole number of steps of at least 0, found {self.burn_in!r}"
            )

    def terminal_steps(self, steps: int) -> int:
        """Return how many steps at the end of a segment of `steps` make its terminal level."""
        # 0.1 * 30 is more than 3; a share that is whole but for rounding must not be rounded up
        return max(self.window, math.ceil(round(self.terminal_fraction * steps, 9)))


def default_window(shortest_segment: int) -> int:
    """Return a twentieth of the shortest segment, at least 5 and at most 64 steps."""
    return min(max(shortest_segment // WINDOWS_PER_SEGMENT, SMALLEST_WINDOW), LARGEST_WINDOW)
