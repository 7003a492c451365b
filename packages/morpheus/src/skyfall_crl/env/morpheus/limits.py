"""The operator's brake: how much an agent may do in one world, however its actions are spelled."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from time import monotonic
from typing import Any

from skyfall_crl.ports.fields import FieldError, inside, items, mapping, nearest, unexpected, whole

ALLOWED_METHODS: tuple[str, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE")
_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class ActionLimits:
    """What an environment may send into its world at most; None stands for no limit.

    `actions_per_minute` counts calls of any minute of this machine's clock, `actions_total` and `writes_total` (calls
    other than GET) those of the environment's life. `methods` narrows the verbs of the scope; `dry_run` sends no write
    at all. What is refused counts for nothing. Raises `ConfigError`.
    """

    actions_per_minute: int | None = None
    actions_total: int | None = None
    writes_total: int | None = None
    methods: tuple[str, ...] | None = None
    dry_run: bool = False

    def __post_init__(self) -> None:
        for name in ("actions_per_minute", "actions_total", "writes_total"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), 0)
        if not isinstance(self.dry_run, bool):
            raise unexpected("dry_run", "true or false", self.dry_run)
        if self.methods is not None:
            object.__setattr__(self, "methods", _verbs(self.methods))

    @classmethod
    def from_mapping(cls, data: object) -> "ActionLimits":
        """Build limits from a mapping with these fields as keys; raises `ConfigError` with the key path."""
        with inside("limits"):
            return cls(**mapping(data, "limits", (), tuple(field.name for field in fields(cls))))

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping `from_mapping` reads, without what sets no limit."""
        found: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value is not False:
                found[field.name] = list(value) if isinstance(value, tuple) else value
        return found


class Allowance:
    """What is left of the limits; one belongs to one environment."""

    def __init__(self, limits: ActionLimits) -> None:
        self._limits = limits
        self._recent: deque[float] = deque()
        self.actions = self.writes = 0

    def spend(self, method: str) -> str | None:
        """Take one call out of the allowance, or return why it may not be sent.

        Reasons: `limited_method`, `dry_run`, `actions_exhausted`, `writes_exhausted`, `rate_limited`.
        """
        limits, writes = self._limits, method != "GET"
        if limits.methods is not None and method not in limits.methods:
            return "limited_method"
        if writes and limits.dry_run:
            return "dry_run"
        if limits.actions_total is not None and self.actions >= limits.actions_total:
            return "actions_exhausted"
        if writes and limits.writes_total is not None and self.writes >= limits.writes_total:
            return "writes_exhausted"
        if limits.actions_per_minute is not None and not self._is_in_time(limits.actions_per_minute):
            return "rate_limited"
        self.actions += 1
        self.writes += writes
        return None

    def _is_in_time(self, most: int) -> bool:
        now = monotonic()
        while self._recent and now - self._recent[0] >= _MINUTE:
            self._recent.popleft()
        if len(self._recent) >= most:
            return False
        self._recent.append(now)
        return True


def _verbs(value: object) -> tuple[str, ...]:
    found: Sequence[Any] = items("methods", value, "verb")
    for place, verb in enumerate(found):
        if not isinstance(verb, str) or verb.upper() not in ALLOWED_METHODS:
            raise FieldError(
                f"methods[{place}]", f"unknown verb {verb!r}{nearest(str(verb).upper(), ALLOWED_METHODS)}"
            )
    return tuple(verb.upper() for verb in found)


def limits_of(value: "ActionLimits | Mapping[str, Any] | None") -> ActionLimits:
    """Return limits from themselves, their mapping, or None for no limits; raises `ConfigError`."""
    if value is None:
        return ActionLimits()
    return value if isinstance(value, ActionLimits) else ActionLimits.from_mapping(value)
