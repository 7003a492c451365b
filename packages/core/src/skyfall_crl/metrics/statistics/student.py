"""Quantiles of Student's t distribution for whole degrees of freedom, with nothing but arithmetic."""

import math


def t_quantile(probability: float, freedom: int) -> float:
    """Return the t that a share `probability` in [0.5, 1) of the distribution lies below, to 1e-12.

    `freedom` is a whole number of at least 1. Raises ValueError outside these ranges.
    """
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError(
            f"t_quantile: expected a probability in [0.5, 1) and freedom of at least 1, "
            f"found {probability!r} and {freedom!r}"
        )
    central = 2 * probability - 1
    low, high = 0.0, math.pi / 2
    # bisection on the angle, whose range is bounded where t's isn't
    for _ in range(100):
        middle = (low + high) / 2
        if _central_share(middle, freedom) < central:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def _central_share(angle: float, freedom: int) -> float:
    """Return the probability of |t| below `sqrt(freedom) * tan(angle)`; Abramowitz and Stegun 26.7.3 and 26.7.4."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for place in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (place - 1) / place
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
