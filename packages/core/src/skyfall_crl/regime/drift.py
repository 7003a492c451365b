"""Easing from one configuration's axes into the next one's."""

from collections.abc import Mapping
from typing import Any

SWITCH = 0.5


def progress_at(steps_since_boundary: int, window: int) -> float:
    """Return a step's progress in (0, 1], which is 1 from the last step of the window on."""
    return min(1.0, (steps_since_boundary + 1) / window)


class Drift:
    """The way from one configuration's axes to the next one's.

    Numbers, and lists and mappings of numbers that have the same shape on both sides, move in a straight line
    and never leave the range between their ends. Everything else, an axis that only one side sets included,
    is the old one below `SWITCH` and the new one from there on.
    """

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        self._before = before
        self._after = after
        self._moving = [name for name in after if name in before and _same_shape(before[name], after[name])]

    def at(self, progress: float) -> dict[str, Any]:
        """Return the axes in force at `progress`, where 0 stands for the old ones and 1 for the new ones."""
        axes = dict(self._before if progress < SWITCH else self._after)
        for name in self._moving:
            axes[name] = _blend(self._before[name], self._after[name], progress)
        return axes


def _same_shape(before: object, after: object) -> bool:
    if isinstance(before, list):
        return (
            isinstance(after, list)
            and len(before) == len(after)
            and all(_same_shape(left, right) for left, right in zip(before, after, strict=True))
        )
    if isinstance(before, dict):
        return (
            isinstance(after, dict)
            and before.keys() == after.keys()
            and all(_same_shape(before[key], value) for key, value in after.items())
        )
    return _is_number(before) and _is_number(after)


def _is_number(value: object) -> bool:
    return isinstance(value, (float, int)) and not isinstance(value, bool)


def _blend(before: Any, after: Any, progress: float) -> Any:
    if isinstance(after, list):
        return [_blend(left, right, progress) for left, right in zip(before, after, strict=True)]
    if isinstance(after, dict):
        return {key: _blend(before[key], value, progress) for key, value in after.items()}
    if before == after or progress >= 1.0:
        return after
    low, high = (before, after) if before < after else (after, before)
    return float(min(max(before * (1.0 - progress) + after * progress, low), high))
