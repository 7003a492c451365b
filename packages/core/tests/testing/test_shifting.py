"""Every rule for environments that can be shifted, broken once by a small world."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from string import printable
from typing import Any

import pytest
from gymnasium import spaces

from skyfall_crl.ports import Applied, ConfigError
from skyfall_crl.regime import Regime
from skyfall_crl.reward import RewardSpec, RewardTerm
from skyfall_crl.testing import SwitchingBandit, check_environment


class World(SwitchingBandit):
    """The bandit, whose forks are of its own class."""

    def fork(self):
        copy = type(self)(max_steps=self._max_steps)
        copy.restore(self.snapshot())
        return copy


def having(**attributes: Any) -> type[World]:
    """Return a world with other attributes."""
    return type("Having", (World,), attributes)


def applying(change: Callable[[World, Regime, Applied], Any]) -> type[World]:
    """Return a world that answers otherwise when it is told a regime."""

    def apply_regime(self, regime, progress):
        return change(self, regime, World.apply_regime(self, regime, progress))

    return having(apply_regime=apply_regime)


def telling(**info: Any) -> type[World]:
    """Return a world whose steps tell something else."""
    return having(_info=lambda self: {**World._info(self), **info})


class Unspecified(World):
    """Has the name of its spec in place of the spec."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.reward_spec: Any = "hit"


class Counting(World):
    """Describes what has happened, not what it is."""

    def describe(self):
        self.asked = getattr(self, "asked", 0) + 1
        return {"asked": self.asked}


class Generous(World):
    """Pays more than its terms say."""

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return (observation, reward + 0.1, *rest)


class Talking(World):
    """Shows the regime's id."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.observation_space = spaces.Dict(
            {"at": spaces.Discrete(4), "mode": spaces.Text(40, min_length=0, charset=printable)}
        )

    def _observe(self):
        return {"at": self._context, "mode": self._regime_id or ""}


class Hinting(World):
    """Shows something that follows from the regime's id."""

    def _observe(self):
        observation = super()._observe()
        observation[-1] = len(self._regime_id or "") % 7 / 7
        return observation


def refuse(self: World, regime: Regime, progress: float | None) -> Applied:
    if regime.axes and "offset" in regime.axes:
        raise ConfigError("offset: expected none of those")
    return World.apply_regime(self, regime, progress)


def fail(*_: Any) -> Any:
    raise OSError("no answer")


def echo_known(self: World, regime: Regime, applied: Applied) -> Applied:
    return Applied(dict(regime.axes), (), dict(regime.axes))


OTHER_SPEC = RewardSpec("other", 1, (RewardTerm("miss", 1.0),))

BROKEN: dict[str, tuple[Any, str]] = {
    "describe fails": (having(describe=fail), r"describe: expected describe\(\) to return, found OSError"),
    "describes in a word": (
        having(describe=lambda self: "bandit"),
        "describe: expected a mapping of plain data",
    ),
    "describes objects": (
        having(describe=lambda self: {"of": World}),
        "describe: .*found of: expected plain data",
    ),
    "describes a count": (Counting, r"describe: expected equal answers .*found \['asked'\]: 2, expected 1"),
    "signals in a word": (
        having(reward_signals="hit"),
        "reward_signals: expected a tuple of different names",
    ),
    "a signal twice": (having(reward_signals=("hit", "hit")), "different names, found tuple .'hit', 'hit'"),
    "a spec in a word": (
        Unspecified,
        "reward_spec: expected a RewardSpec or None, found str 'hit'",
    ),
    "a term without a signal": (
        having(reward_signals=("other",)),
        "expected terms that are signals.*no signal 'hit'",
    ),
    "no terms": (telling(reward_terms=None), r"info\['reward_terms'\]: expected the terms hit, found None"),
    "other terms": (telling(reward_terms={"miss": 1}), r"expected the terms hit, found {'miss': 1}"),
    "another term missing": (
        telling(reward_missing=["miss"]),
        r"expected only terms in reward_missing, found \['mis",
    ),
    "a term too large": (
        telling(reward_terms={"hit": 7.0}),
        r"expected each term in \[0, 1\], found EnvironmentFail",
    ),
    "a bonus": (
        Generous,
        "expected the reward to be the weighted mean of the terms, found reward .*without a bonus",
    ),
    "apply fails": (
        having(apply_regime=fail),
        r"apply_regime\('conformance-plain', None\): .*OSError: no answer",
    ),
    "apply returns nothing": (applying(lambda *_: None), "expected an Applied, found NoneType None"),
    "a list of excluded": (
        applying(
            lambda env, regime, applied: Applied(applied.selected, list(applied.excluded), applied.read_back)
        ),
        "expected `excluded` to be a tuple of axis names, found list",
    ),
    "another id": (
        having(regime_id="mine"),
        "expected regime_id to become 'conformance-plain', found 'mine'",
    ),
    "an unknown axis taken": (
        applying(echo_known),
        r"axis 'conformance_unknown_axis': expected it in `excluded` al",
    ),
    "nothing selected": (
        applying(lambda env, regime, applied: Applied({}, applied.excluded, applied.read_back)),
        r"expected every axis in `selected`, {'offset': 0}, found {} and excluded \(\)",
    ),
    "nothing read back": (
        applying(lambda env, regime, applied: Applied(applied.selected, applied.excluded, None)),
        "expected read_back at once, found None; only what announce_regime was told",
    ),
    "an axis not read back": (
        applying(lambda env, regime, applied: Applied(applied.selected, applied.excluded, {})),
        r"expected read_back to hold what was set, found keys \[\], expected \['offset'\]",
    ),
    "read back otherwise": (
        applying(
            lambda env, regime, applied: Applied(
                applied.selected, applied.excluded, dict.fromkeys(applied.selected, 0.25)
            )
        ),
        r"expected read_back to hold what was set, found \['offset'\]: 0.25, expected 0",
    ),
    "no value taken": (
        having(apply_regime=refuse),
        "regime_axes: expected an axis that takes one of 0, 1, 0.5",
    ),
    "the id in view": (
        Talking,
        "expected observations that don't say which regime is in force, found 'conformance",
    ),
    "a trace of the id": (
        Hinting,
        "expected equal observations under two ids .*found step 0, observation: array",
    ),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_environment, source, steps=8))


def test_a_world_that_keeps_the_rules_passes() -> None:
    """With and without a regime handed in, and with or without a spec."""
    check_environment(World, steps=8)
    check_environment(World, steps=8, regime=Regime("known", axes={"offset": 2}))
    check_environment(having(regime_axes=()), steps=8, regime=Regime("nothing"))

    def reset(self, **keywords):
        self.reward_spec = None
        return World.reset(self, **keywords)

    check_environment(having(reset=reset), steps=8)


def test_the_regime_handed_in_is_the_one_that_is_applied(complaint: Callable[..., str]) -> None:
    """Where no candidate fits, the author's configuration does."""
    check_environment(having(apply_regime=picky), steps=8, regime=Regime("seven", axes={"offset": 7}))
    message = complaint(check_environment, World, steps=8, regime=Regime("dark", axes={"light": 0}))
    assert "apply_regime('dark', None): expected every axis in `selected`, {'light': 0}" in message


def picky(self: World, regime: Regime, progress: float | None) -> Applied:
    if regime.axes.get("offset", 7) != 7:
        raise ValueError("only 7")
    return World.apply_regime(self, regime, progress)


def test_observations_are_compared_after_a_reset_where_that_starts_over(
    complaint: Callable[..., str],
) -> None:
    """A world without snapshots that promises equal episodes is found out as well."""
    gone = dict.fromkeys(("snapshot", "restore", "fork", "commit", "digest"), property())
    episodic = type("Episodic", (Hinting,), gone)

    def make() -> World:
        env = episodic(max_steps=6)
        del env.owns_world
        return env

    assert "two ids of the same configuration" in complaint(check_environment, make, steps=8)
