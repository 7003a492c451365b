"""The median of waiting times of which some are only known to be longer."""

from collections.abc import Sequence


def censored_median(times: Sequence[float], censored: Sequence[float]) -> float | None:
    """Return the Kaplan-Meier median: the first time by which at least half have reached the event.

    `times` are those of events, `censored` those at which waiting was cut short without one; at equal times
    the events come first. Returns None when fewer than half reach it.
    """
    waiting = sorted([(time, 0) for time in times] + [(time, 1) for time in censored])
    surviving = 1.0
    for place, (time, is_censored) in enumerate(waiting):
        if not is_censored:
            surviving *= 1.0 - 1.0 / (len(waiting) - place)
            if surviving <= 0.5 + 1e-12:
                return time
    return None
