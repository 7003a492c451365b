"""When a curve first reaches a level."""

import numpy as np

from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.score import Score
from skyfall_crl.metrics.segments import Segment


def first_passage(segment: Segment, parameters: Parameters, level: float) -> Score:
    """Return the steps from the beginning of a segment to the start of the first window at or above `level`.

    Time runs from the shift, so the steps of a drift count, though no window inside one is judged. Without
    such a window the score is `censored`, at the segment's length.
    """
    reached = segment.windows >= level
    if not reached.any():
        return Score.missing("censored", censored_at=segment.steps)
    return Score.of(segment.drift_steps + int(np.argmax(reached)) * parameters.window)
