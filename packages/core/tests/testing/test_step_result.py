"""Every rule for what a reset and a step return, broken once by a tiny environment."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.testing import check_environment


class Coin(gymnasium.Env[Any, Any]):
    """Five throws an episode; guessing right earns 1."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "in_process": True}  # type: ignore[misc]

    def __init__(self) -> None:
        self.observation_space: spaces.Space[Any] = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.thrown = 0
        return self.look(), {}

    def step(self, action):
        self.thrown += 1
        return self.look(), float(self.np_random.random() < 0.5), self.thrown == 5, False, self.say()

    def look(self) -> Any:
        return np.array([self.thrown / 5, self.np_random.random()], np.float32)

    def say(self) -> dict[str, Any]:
        return {"world_time": self.thrown}


def having(base: type, **attributes: Any) -> type:
    """Return a class with other attributes."""
    return type("Having", (base,), attributes)


def saying(**info: Any) -> type[Coin]:
    """Return a coin whose steps say more."""
    return type("Saying", (Coin,), {"say": lambda self: info})


def looking(look: Callable[[Coin], Any], space: spaces.Space[Any] | None = None) -> Callable[[], Coin]:
    """Return a factory of coins with other observations."""

    def make() -> Coin:
        coin = type("Looking", (Coin,), {"look": look})()
        coin.observation_space = space or coin.observation_space
        return coin

    return make


def stepping(**changed: Any) -> type[Coin]:
    """Return a coin that gives something else in place of a part of its result."""

    def step(self, action):
        names = ("observation", "reward", "terminated", "truncated", "info")
        result = dict(zip(names, Coin.step(self, action), strict=True))
        return tuple({**result, **changed}.values())

    return type("Stepping", (Coin,), {"step": step})


class Faulty(spaces.Box):
    def contains(self, x: Any) -> bool:
        raise RuntimeError("no such colour")


class Continuous(Coin):
    """Masks actions that can't be counted."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space: Any = spaces.Box(-1.0, 1.0, (1,))

    def say(self):
        return {"action_mask": [True]}


BROKEN: dict[str, tuple[Any, str]] = {
    "reset without info": (
        having(Coin, reset=lambda self, seed=None, options=None: np.zeros(2, np.float32)),
        r"reset: expected a tuple \(observation, info\), found ndarray",
    ),
    "wrong dtype": (looking(lambda coin: np.zeros(2)), "reset: .*dtype float64 instead of float32"),
    "wrong shape": (looking(lambda coin: np.zeros(3, np.float32)), r"shape \(3,\) instead of \(2,\)"),
    "out of bounds": (
        looking(lambda coin: np.full(2, 7, np.float32)),
        "values from 7.0 to 7.0 outside the bounds",
    ),
    "a list": (looking(lambda coin: "heads"), "found str 'heads' instead of a member of Box"),
    "wrong keys": (
        looking(lambda coin: {"side": 0}, spaces.Dict({"face": spaces.Discrete(2)})),
        r"keys \['side'\] instead of \['face'\]",
    ),
    "wrong member": (
        looking(lambda coin: {"face": 2}, spaces.Dict({"face": spaces.Discrete(2)})),
        r"found int 2 instead of a member of Discrete\(2\) in the observation\['face'\]",
    ),
    "a space that fails": (looking(Coin.look, Faulty(0, 1, (2,))), "RuntimeError: no such colour"),
    "four items": (
        having(Coin, step=lambda self, action: Coin.step(self, action)[:4]),
        r"step 0: expected a tuple \(observation, reward, terminated, truncated, info\)",
    ),
    "reward in an array": (stepping(reward=np.ones(1)), r"expected the reward to be a number, found ndarray"),
    "reward of nobody": (
        stepping(reward=float("nan")),
        "expected a finite reward, found nan; a division by zero",
    ),
    "a count for a flag": (stepping(truncated=0), "expected truncated to be a boolean, found int 0"),
    "no info": (stepping(info=None), "expected info to be a dict with text keys, found NoneType None"),
    "numbered info": (stepping(info={1: 2}), "expected info to be a dict with text keys, found dict {1: 2}"),
    "outcome in a word": (saying(outcome="fine"), r"info\['outcome'\]: expected a mapping of plain data"),
    "outcome of objects": (saying(outcome={"accepted": True, "by": {1}}), "found by: expected plain data"),
    "outcome without verdict": (saying(outcome={"reason": "x"}), "a mapping whose `accepted` is a boolean"),
    "terms in a list": (
        saying(reward_terms=[1]),
        r"info\['reward_terms'\]: expected a mapping of term names",
    ),
    "terms in words": (saying(reward_terms={"a": "b"}), "to finite numbers, found a = 'b'"),
    "missing in a word": (
        saying(reward_missing="a"),
        "expected a list or a tuple of term names, found str 'a'",
    ),
    "time of an object": (saying(world_time=[1]), "expected a finite number, text or None, found list"),
    "id of an object": (saying(regime_id=7), "expected the configuration's id as text, or None, found int 7"),
    "read back in a list": (saying(regime_read_back=[]), r"info\['regime_read_back'\]: expected a mapping"),
    "short mask": (
        saying(action_mask=np.ones(3, bool)),
        r"expected booleans of shape \(2,\), found bool of shape",
    ),
    "empty mask": (saying(action_mask=np.zeros(2, bool)), "expected an action that is allowed, found none"),
    "mask of a number": (
        Continuous,
        "expected no mask, found one beside Box",
    ),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_environment, source))


@pytest.mark.parametrize(
    "info",
    [
        {"world_time": np.int64(3), "reward_terms": {"a": np.float32(0.5)}},
        {"world_time": "2026-01-07T10:00", "regime_id": None, "outcome": None},
        {"action_mask": [True, False], "outcome": {"accepted": False, "tickets": ["a"]}},
        {"action_mask": np.array([1, 1], np.int8), "reward_missing": ("a",), "regime_read_back": {"a": [1]}},
        {"anything": object()},
    ],
)
def test_an_info_may_hold_what_a_row_can_hold(info: dict[str, Any]) -> None:
    """Numpy's numbers and text for times are fine, and so are keys of one's own."""
    check_environment(saying(**info))
