"""Every rule for environments that are told ahead what will be in force, broken once by a small world."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.ports import Applied
from skyfall_crl.regime import Regime
from skyfall_crl.testing import SwitchingBandit, check_environment


class World(SwitchingBandit):
    """The bandit, whose forks are of its own class."""

    def fork(self):
        copy = type(self)(max_steps=self._max_steps)
        copy.restore(self.snapshot())
        return copy


class Announced(World):
    """Pushes a regime in the step before it is current."""

    told: Regime | None = None
    pushed: Regime | None = None
    confirmed: dict[str, Any] | None = None

    def announce_regime(self, regime, progress):
        self.told = regime

    def apply_regime(self, regime, progress):
        applied = super().apply_regime(regime, progress)
        if self.pushed is not None:
            self.confirmed, self.pushed = dict(applied.read_back), None
            return Applied(applied.selected, applied.excluded, None)
        return applied

    def step(self, action):
        self.pushed, self.told = self.told, None
        *rest, info = super().step(action)
        if self.confirmed is not None:
            info["regime_read_back"], self.confirmed = self.confirmed, None
        return (*rest, info)


class Unconfirmed(Announced):
    def step(self, action):
        *rest, info = super().step(action)
        info.pop("regime_read_back", None)
        return (*rest, info)


class Misread(Announced):
    def step(self, action):
        *rest, info = super().step(action)
        if "regime_read_back" in info:
            info["regime_read_back"] = {"offset": 9}
        return (*rest, info)


class Impatient(Announced):
    def apply_regime(self, regime, progress):
        return World.apply_regime(self, regime, progress)


def fail(*_: Any) -> Any:
    raise OSError("no answer")


BROKEN: dict[str, tuple[Any, str]] = {
    "announce fails": (
        type("Deaf", (Announced,), {"announce_regime": fail}),
        "announce_regime.*: expected announce_regime to return, found OSError",
    ),
    "announced and sent again": (
        Impatient,
        "expected apply_regime after it to send nothing and leave read_back None",
    ),
    "announced, never confirmed": (
        Unconfirmed,
        r"expected info\['regime_read_back'\] in the step after apply_regime",
    ),
    "announced, confirmed otherwise": (
        Misread,
        r"expected read_back to hold what was set, found \['offset'\]: 9",
    ),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_environment, source, steps=8))


def test_a_world_that_confirms_in_time_passes() -> None:
    """Told before a step, pushed in it, current after it, confirmed by the next one."""
    check_environment(Announced, steps=8)
