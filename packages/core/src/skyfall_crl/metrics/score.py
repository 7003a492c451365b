"""One number of an evaluation, or the reason why there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Self

from skyfall_crl.metrics.survival import censored_median
from skyfall_crl.ports.plain import EMPTY, PlainData


@dataclass(frozen=True, slots=True)
class Score:
    """A value or a reason code, never both.

    `flags` are codes that qualify the value; `detail` holds what one needs to judge it, such as the number of
    segments behind a mean or the step at which a run ended before the event.
    """

    value: float | None = None
    reason: str | None = None
    flags: tuple[str, ...] = ()
    detail: Mapping[str, PlainData] = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, value: float, **detail: PlainData) -> Self:
        """Make a score with a value."""
        return cls(value=float(value), detail=detail)

    @classmethod
    def missing(cls, reason: str, **detail: PlainData) -> Self:
        """Make a score without one."""
        return cls(reason=reason, detail=detail)

    def with_detail(self, **detail: PlainData) -> Self:
        """Return the score with more detail."""
        return replace(self, detail={**self.detail, **detail})

    def flagged(self, *flags: str) -> Self:
        """Return the score with more flags."""
        return replace(self, flags=tuple(dict.fromkeys((*self.flags, *flags))))


def mean_score(scores: Sequence[Score], empty: str) -> Score:
    """Return the mean of the scores that have a value.

    Without any it has their most frequent reason, or `empty` when there are no scores at all. Where events
    were censored, a mean would leave out the slowest; then the value is the median that accounts for them.
    """
    values = [score.value for score in scores if score.value is not None]
    censored = [
        float(at) for score in scores if isinstance(at := score.detail.get("censored_at"), int | float)
    ]
    flags = tuple(dict.fromkeys(flag for score in scores for flag in score.flags))
    if censored:
        detail: dict[str, PlainData] = {"n": len(values), "censored": len(censored), "statistic": "median"}
        median = censored_median(values, censored)
        if median is None:
            return Score(reason="censored", flags=flags, detail=detail)
        return Score(median, flags=flags, detail=detail)
    if values:
        return Score(fmean(values), flags=flags, detail={"n": len(values), "statistic": "mean"})
    reasons = [score.reason for score in scores if score.reason is not None]
    return Score(reason=max(reasons, key=reasons.count, default=empty), flags=flags, detail={"n": 0})
