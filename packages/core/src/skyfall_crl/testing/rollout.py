"""Stepping an environment through drawn or given actions, with a look at every result."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.environment import INFO_ACTION_MASK, capabilities
from skyfall_crl.testing.comparison import difference
from skyfall_crl.testing.step_result import Environment, Transition, checked_reset, checked_step
from skyfall_crl.testing.verdict import broken, surviving, typed

SEED = 3_000_000_019
"""The seed of resets: worlds are reset with any seed in [0, 2**32)."""

ANSWERED = (
    "an action of action_space always has an answer; refuse one in info['outcome'], not by an exception"
)
GOES_ON = "a persistent world steps on after truncation; count its next episode from there"

EnvironmentSource: TypeAlias = "gymnasium.Env[Any, Any] | Callable[[], gymnasium.Env[Any, Any]]"


@dataclass(slots=True)
class Play:
    """Where a world started, the actions taken from there, what each returned, and the whole info of each."""

    start: Any
    actions: list[Any] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    infos: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, action: Any, transition: Transition, info: Mapping[str, Any]) -> None:
        """Append one step."""
        self.actions.append(action)
        self.transitions.append(transition)
        self.infos.append(info)

    def stepped_over_a_truncation(self) -> bool:
        """Tell whether there is a step after one that was truncated."""
        return any(transition.truncated for transition in self.transitions[:-1])

    def unlike(self, other: "Play") -> str | None:
        """Return where the other one differs first, start and rows, or None when it is equal as far as it goes."""
        if (found := difference(self.start, other.start)) is not None:
            return f"start: {found}"
        for number, (mine, theirs) in enumerate(zip(self.transitions, other.transitions, strict=False)):
            if (found := difference(mine.as_row(), theirs.as_row())) is not None:
                return f"step {number}, {found}"
        return None


class ActionSource:
    """Draws actions of a space that the mask of an info allows, the same ones every time."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        self._space = copy.deepcopy(space)
        self._space.seed(7)

    def draw(self, info: Mapping[str, Any]) -> Any:
        """Return an action for the step that follows `info`."""
        mask = info.get(INFO_ACTION_MASK)
        if mask is None or not isinstance(self._space, spaces.Discrete):
            return self._space.sample()
        return self._space.sample(mask=np.asarray(mask, np.int8))


def built(source: EnvironmentSource) -> Environment:
    """Return an environment: the one given, or a new one where a factory is given."""
    if isinstance(source, gymnasium.Env):
        return source
    rule = "expected a Gymnasium environment, or a function without arguments that builds one"
    with surviving("factory", rule=rule, cause="wrap one that needs arguments in functools.partial"):
        env = source()
    if not isinstance(env, gymnasium.Env):
        cause = "derive it from gymnasium.Env, and hand in the class or a function, not its id"
        raise broken("factory", rule=rule, found=typed(env), cause=cause)
    return env


def reset(env: Environment, where: str = "reset") -> tuple[Any, Mapping[str, Any]]:
    """Reset with `SEED`, check what comes back, and return it."""
    cause = "accept both keywords, hand the seed to super().reset(seed=seed), and use no other generator"
    with surviving(where, rule="expected reset(seed=..., options=...) to return", cause=cause):
        result = env.reset(seed=SEED, options={})
    return checked_reset(env, result, where)


def play(
    env: Environment,
    start: tuple[Any, Mapping[str, Any]],
    steps: int,
    *,
    actions: Sequence[Any] | None = None,
    where: str = "step",
    longest: int = 0,
    cause: str = ANSWERED,
) -> Play:
    """Take `steps` actions, drawn or given, from where a reset or a restore has led, and check every result.

    An episode that ended is reset without a seed, except that a persistent world steps on after truncation;
    such a world is stepped on, `longest` steps at most, until a truncation has been stepped over. `cause` is what a
    message says of a step that raises.
    """
    persistent = capabilities(env).persistent
    source = ActionSource(env.action_space)
    observation, info = start
    played = Play(copy.deepcopy(observation))
    after = ""
    number = 0
    while number < steps or (persistent and number < longest and not played.stepped_over_a_truncation()):
        before = (played.transitions[-1].observation if number else played.start, observation)
        action = source.draw(info) if actions is None else actions[number]
        place = f"{where} {number}{after}"
        with surviving(place, rule="expected step to return", cause=GOES_ON if after else cause):
            result = env.step(copy.deepcopy(action))
        transition, info = checked_step(env, result, place)
        _check_untouched(place, *before)
        observation = transition.observation
        played.add(action, replace(transition, observation=copy.deepcopy(observation)), info)
        number += 1
        after = " (after a truncation)" if persistent and transition.truncated else ""
        if transition.terminated or (transition.truncated and not persistent):
            _, info = checked_reset(env, env.reset(), "reset after an episode")
    return played


def _check_untouched(place: str, kept: Any, observation: Any) -> None:
    if (changed := difference(kept, observation)) is not None:
        rule = "expected the observation before it to stay as it was"
        cause = "windows keep observations, so return a new array, or a copy, every step"
        raise broken(place, rule=rule, found=changed, cause=cause)
