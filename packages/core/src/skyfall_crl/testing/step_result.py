"""What one reset or one step of an environment has to look like."""

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.environment import (
    INFO_ACTION_MASK,
    INFO_OUTCOME,
    INFO_REGIME_ID,
    INFO_REGIME_READ_BACK,
    INFO_REWARD_MISSING,
    INFO_REWARD_TERMS,
    INFO_WORLD_TIME,
)
from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.testing.verdict import broken, plain_mapping, shown, typed

Environment = gymnasium.Env[Any, Any]

RECORDED = (
    INFO_ACTION_MASK,
    INFO_OUTCOME,
    INFO_REWARD_MISSING,
    INFO_REWARD_TERMS,
    INFO_WORLD_TIME,
)
"""The keys of `info` that reach a policy or a trace row, the regime aside."""


@dataclass(frozen=True, slots=True)
class Transition:
    """What one step returned; `info` holds only the keys in `RECORDED`."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]

    def as_row(self) -> dict[str, Any]:
        """Return the fields by name, for comparisons."""
        return {
            "observation": self.observation,
            "reward": self.reward,
            "terminated": self.terminated,
            "truncated": self.truncated,
            "info": dict(self.info),
        }


def checked_reset(env: Environment, result: Any, where: str = "reset") -> tuple[Any, Mapping[str, Any]]:
    """Return observation and info of a reset; raises `ConformanceError` for what they may not be."""
    if not isinstance(result, tuple) or len(result) != 2:
        rule = "expected a tuple (observation, info)"
        raise broken(where, rule=rule, found=typed(result), cause="return both, the info as a dict")
    observation, info = result
    check_contained(env.observation_space, observation, where)
    return observation, checked_info(env, info, where)


def checked_step(env: Environment, result: Any, where: str) -> tuple[Transition, Mapping[str, Any]]:
    """Return what a step returned and its whole info; raises `ConformanceError` for what it may not be."""
    if not isinstance(result, tuple) or len(result) != 5:
        rule = "expected a tuple (observation, reward, terminated, truncated, info)"
        raise broken(where, rule=rule, found=typed(result), cause="Gymnasium's old form had four items")
    observation, reward, terminated, truncated, info = result
    check_contained(env.observation_space, observation, where)
    _check_reward(reward, where)
    for name, flag in (("terminated", terminated), ("truncated", truncated)):
        if not isinstance(flag, bool | np.bool_):
            rule = f"expected {name} to be a boolean"
            raise broken(where, rule=rule, found=typed(flag), cause="a comparison or bool() gives one")
    known = checked_info(env, info, where)
    recorded = {key: known[key] for key in RECORDED if key in known}
    return Transition(observation, float(reward), bool(terminated), bool(truncated), recorded), known


def check_contained(space: spaces.Space[Any], observation: Any, where: str) -> None:
    """Raise `ConformanceError` for an observation outside its space, naming the member and what is wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if space.contains(observation):
                return
            found = _mismatch(space, observation, "the observation")
    except Exception as error:
        found = f"{typed(observation)} ({type(error).__name__}: {error})"
    rule = "expected an observation that observation_space contains"
    cause = "build it with the space's own dtype, shape, keys and bounds"
    raise broken(where, rule=rule, found=found, cause=cause)


def _mismatch(space: spaces.Space[Any], value: Any, name: str) -> str:
    if isinstance(space, spaces.Dict) and isinstance(value, Mapping):
        if space.spaces.keys() != value.keys():
            return f"keys {sorted(value)} instead of {sorted(space.spaces)} in {name}"
        for key, member in space.spaces.items():
            if not member.contains(value[key]):
                return _mismatch(member, value[key], f"{name}[{key!r}]")
    if isinstance(space, spaces.Box) and isinstance(value, np.ndarray):
        if value.shape != space.shape:
            return f"shape {value.shape} instead of {space.shape} in {name}"
        if not np.can_cast(value.dtype, space.dtype):
            return f"dtype {value.dtype} instead of {space.dtype} in {name}"
        low, high = value.min(), value.max()
        return f"values from {low} to {high} outside the bounds of {shown(space)} in {name}"
    return f"{typed(value)} instead of a member of {shown(space)} in {name}"


def _check_reward(reward: Any, where: str) -> None:
    if isinstance(reward, bool) or not isinstance(reward, int | float | np.integer | np.floating):
        rule = "expected the reward to be a number"
        raise broken(
            where, rule=rule, found=typed(reward), cause="an array of one element is none; use float()"
        )
    if not math.isfinite(reward):
        cause = "a division by zero or a missing source; count such a term 0 and name it in info['reward_missing']"
        raise broken(where, rule="expected a finite reward", found=shown(reward), cause=cause)


def checked_info(env: Environment, info: Any, where: str) -> Mapping[str, Any]:
    """Return an info; raises `ConformanceError` when it or one of the keys that have a meaning is mistyped."""
    if not isinstance(info, dict) or not all(isinstance(key, str) for key in info):
        rule = "expected info to be a dict with text keys"
        raise broken(where, rule=rule, found=typed(info), cause="return {} when there is nothing to say")
    for key, check in _INFO.items():
        if info.get(key) is not None:
            check(f"{where}, info[{key!r}]", info[key])
    if info.get(INFO_ACTION_MASK) is not None:
        check_mask(env.action_space, f"{where}, info[{INFO_ACTION_MASK!r}]", info[INFO_ACTION_MASK])
    return info


def _outcome(where: str, value: Any) -> None:
    row = plain_mapping(where, value.to_row() if isinstance(value, ActionOutcome) else value)
    if not isinstance(row.get("accepted"), bool):
        rule = "expected an ActionOutcome, or a mapping whose `accepted` is a boolean"
        raise broken(where, rule=rule, found=shown(row), cause="accepted says whether the action was refused")


def _reward_terms(where: str, value: Any) -> None:
    terms = value.items() if isinstance(value, Mapping) else [("it", value)]
    for name, term in terms:
        if not isinstance(name, str) or not _is_finite(term):
            rule = "expected a mapping of term names to finite numbers"
            cause = "terms are the unweighted signals, as RewardSpec.score gives them"
            raise broken(where, rule=rule, found=f"{name} = {shown(term)}", cause=cause)


def _reward_missing(where: str, value: Any) -> None:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        rule = "expected a list or a tuple of term names"
        raise broken(where, rule=rule, found=typed(value), cause="one name needs brackets as well")


def _world_time(where: str, value: Any) -> None:
    if not isinstance(value, str) and not _is_finite(value):
        rule = "expected a finite number, text or None"
        raise broken(where, rule=rule, found=typed(value), cause="give a datetime as a number or as text")


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def _text(where: str, value: Any) -> None:
    if not isinstance(value, str):
        rule, cause = (
            "expected the configuration's id as text, or None",
            "give regime.regime_id, not the regime",
        )
        raise broken(where, rule=rule, found=typed(value), cause=cause)


def check_mask(space: Any, where: str, mask: Any) -> None:
    """Raise `ConformanceError` for a mask that says nothing about the actions of `space`."""
    if not isinstance(space, spaces.Discrete):
        cause = "leave the mask out; only discrete actions can be masked"
        raise broken(where, rule="expected no mask", found=f"one beside {shown(space)}", cause=cause)
    array = np.asarray(mask)
    if array.shape != (space.n,) or array.dtype not in (np.bool_, np.int8) or array.max(initial=0) > 1:
        rule = f"expected booleans of shape ({space.n},)"
        cause = "it has one entry for each action, True where the action makes sense now"
        raise broken(where, rule=rule, found=f"{array.dtype} of shape {array.shape}", cause=cause)
    if not array.any():
        cause = "an action that does nothing always makes sense; allow at least one"
        raise broken(where, rule="expected an action that is allowed", found="none", cause=cause)


_INFO: Mapping[str, Callable[[str, Any], object]] = {
    INFO_OUTCOME: _outcome,
    INFO_REGIME_ID: _text,
    INFO_REGIME_READ_BACK: plain_mapping,
    INFO_REWARD_MISSING: _reward_missing,
    INFO_REWARD_TERMS: _reward_terms,
    INFO_WORLD_TIME: _world_time,
}
