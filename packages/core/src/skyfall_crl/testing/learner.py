"""An algorithm with the policy it trains, set up as a run sets them up, so that two can be compared."""

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from skyfall_crl.ports.algorithm import Algorithm, SeededAlgorithm, Window
from skyfall_crl.testing.bound_policy import Binding, BoundPolicy, PolicyFactory, bound, drawn
from skyfall_crl.testing.comparison import TOLERANCE, difference
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, surviving, typed
from skyfall_crl.testing.window import collect_window

AlgorithmFactory: TypeAlias = Callable[..., Algorithm]

_KEPT = ("rewards", "valid", "terminated", "truncated", "observations", "last_observations")


@dataclass(slots=True)
class Learner:
    """An algorithm, the policy it trains, and the generator it was given."""

    algorithm: Algorithm
    bound: BoundPolicy
    generator: np.random.Generator

    def update(self, window: Window, what: str) -> Mapping[str, float]:
        """Return what `update` says about a window; raises `ConformanceError` unless those are named numbers."""
        where = f"update with {what}"
        cause = "mind rows that aren't valid, worlds that ended, and final_observations"
        with surviving(where, rule="expected update to return", cause=cause):
            values: Any = self.algorithm.update(window)
        if not isinstance(values, Mapping):
            cause = "return {} when nothing was learned"
            raise broken(
                where, rule="expected a mapping of names to numbers", found=typed(values), cause=cause
            )
        for name, value in values.items():
            if not isinstance(value, int | float | np.number) or not math.isfinite(value):
                rule, cause = (
                    "expected finite numbers",
                    "convert tensors by .item(), leave out what isn't known",
                )
                raise broken(where, rule=rule, found=f"{name} = {typed(value)}", cause=cause)
        checked: Mapping[str, float] = values
        return checked

    def adopt(self, other: "Learner") -> None:
        """Put the generators, and the policy's own state, to where another learner's are."""
        self.bound.adopt(other.bound)
        self.generator.bit_generator.state = copy.deepcopy(other.generator.bit_generator.state)


class Workshop:
    """Builds learners of the factories under test, and the windows they are given."""

    def __init__(
        self, factory: AlgorithmFactory, policy: PolicyFactory, environment: Callable[[], Environment]
    ) -> None:
        self.factory, self.policy, self.environment = factory, policy, environment
        env = environment()
        self.binding = Binding(env.observation_space, env.action_space)
        self.batch = drawn(env.observation_space, 4)
        env.close()

    def learner(self, seed: int) -> Learner:
        """Build a policy, bind it, and build the algorithm that trains it."""
        made = bound(self.policy, binding=self.binding, seed=seed)
        cause = "it is called after the policy was bound; hand in a policy_factory that it can train"
        with surviving("factory", rule="expected factory(policy) to build an algorithm", cause=cause):
            algorithm = self.factory(made.policy)
        if not isinstance(algorithm, Algorithm):
            cause = "it needs policy, update and checkpoint"
            raise broken("factory", rule="expected an Algorithm", found=typed(algorithm), cause=cause)
        generator = np.random.default_rng([seed, 2])
        if isinstance(algorithm, SeededAlgorithm):
            with surviving("seed", rule="expected seed(generator) to return", cause="it comes before update"):
                algorithm.seed(generator)
        return Learner(algorithm, made, generator)

    def windows(self, made: Learner) -> dict[str, Window]:
        """Collect one window of each kind that a run hands over, by what it is."""
        policy, env = made.bound.policy, self.environment
        lost = collect_window(policy, env, steps=4)
        lost.rewards[:], lost.valid[:] = 0.0, False
        return {
            "a window of two worlds that go on": collect_window(policy, env),
            "a window of worlds that were reset": collect_window(policy, env, auto_reset=True),
            "a window with a single usable row": collect_window(policy, env, steps=2, worlds=1),
            "a window without a usable row": lost,
        }

    def unlike(self, one: Learner, other: Learner) -> str | None:
        """Return where the policies of two learners decide differently first, or None."""
        return one.bound.unlike(other.bound, self.batch)

    def update_both(self, one: Learner, other: Learner) -> str | None:
        """Let two learners learn from the same window; return where they differ then, or None."""
        what = "a window after they were stored"
        window = collect_window(one.bound.policy, self.environment)
        other.adopt(one)
        values = [dict(learner.update(copied(window), what)) for learner in (one, other)]
        if (found := difference(*values, tolerance=TOLERANCE)) is not None:
            return f"what update returned: {found}"
        return self.unlike(one, other)


def copied(window: Window) -> Window:
    """Return a window with arrays and observations of its own."""
    return replace(window, **{name: copy.deepcopy(getattr(window, name)) for name in _KEPT})


def changed(kept: Window, window: Window) -> str | None:
    """Return where a window differs from a copy, or None."""
    for name in _KEPT:
        if (found := difference(getattr(kept, name), getattr(window, name), path=name)) is not None:
            return found
    return None
