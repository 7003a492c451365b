"""When a curve first reaches a level."""

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment


def first_passage(segment: Segment, parameters: Parameters, level: float) -> Score:
    """Return the steps from the beginning of a segment to the start of the first window at or above `level`.

    With `sustain` above 1 that many windows in a row must be there, and the first of them counts. Time runs from the
    shift, so the steps of a drift count, though no window inside one is judged. Without such a window the score is
    `censored`, at the segment's length.
    """
    reached = _sustained(segment.windows >= level, parameters.sustain)
    if not reached.any():
        return Score.missing("censored", censored_at=segment.steps)
    return Score.of(segment.drift_steps + int(np.argmax(reached)) * parameters.window)


def _sustained(there: NDArray[np.bool_], sustain: int) -> NDArray[np.bool_]:
    """Say for each window that has enough successors whether it and they are there."""
    if sustain == 1:
        return there
    if len(there) < sustain:
        return there[:0]
    runs = np.lib.stride_tricks.sliding_window_view(there, sustain)
    every: NDArray[np.bool_] = np.logical_and.reduce(runs, axis=1)
    return every
