"""The simulated calendar: steps as instants in ISO 8601; the machine's own clock is never read."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(2026, 1, 5)
_DAY_MINUTES = 24 * 60


def instant(step: int, minutes_per_step: int) -> str:
    """Return the moment a step begins, in UTC."""
    days, minutes = divmod(step * minutes_per_step, _DAY_MINUTES)
    return _date(days) + _time(minutes)


@lru_cache(maxsize=256)
def _date(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).date().isoformat()


@lru_cache(maxsize=_DAY_MINUTES)
def _time(minutes: int) -> str:
    return f"T{minutes // 60:02d}:{minutes % 60:02d}:00.000Z"
