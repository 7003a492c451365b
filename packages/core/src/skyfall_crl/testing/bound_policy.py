"""Policies set up as a run sets them up, with the generators at hand, so that two can be compared."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.policy import Decision, Policy, PrivilegedPolicy, SeededPolicy, StatefulPolicy
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.testing.comparison import TOLERANCE, difference
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, plain_mapping, surviving, typed

PolicyFactory: TypeAlias = Callable[..., Policy]


@dataclass(frozen=True, slots=True)
class Binding:
    """What a policy is attached and bound to."""

    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    task_view: TaskView | None = None
    environment: Environment | None = None


@dataclass(slots=True)
class BoundPolicy:
    """A policy and the generators it was given, for first weights and for sampling."""

    policy: Policy
    generators: tuple[np.random.Generator, np.random.Generator]

    def decide(
        self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]] | None = None
    ) -> list[Decision]:
        """Return the policy's decisions; raises `ConformanceError` unless there is one for each observation."""
        cause = "an info may be empty, and the observations are of the space it was bound to"
        with surviving("act", rule="expected act(batch, infos) to return", cause=cause):
            decisions: Any = self.policy.act(batch, [EMPTY] * len(batch) if infos is None else infos)
        if not isinstance(decisions, list) or not all(isinstance(item, Decision) for item in decisions):
            cause = "return [Decision(action), ...], also for one world"
            raise broken("act", rule="expected a list of Decisions", found=typed(decisions), cause=cause)
        if len(decisions) != len(batch):
            rule, cause = f"expected {len(batch)} decisions", "one for each observation, in their order"
            raise broken("act", rule=rule, found=str(len(decisions)), cause=cause)
        checked: list[Decision] = decisions
        return checked

    def adopt(self, other: "BoundPolicy") -> None:
        """Put the generators, and the state a resumed run would restore, to where another policy's are."""
        for mine, theirs in zip(self.generators, other.generators, strict=True):
            mine.bit_generator.state = copy.deepcopy(theirs.bit_generator.state)
        if isinstance(self.policy, StatefulPolicy) and isinstance(other.policy, StatefulPolicy):
            state = plain_mapping("state()", other.policy.state())
            cause = "it takes what JSON gives back, lists in place of tuples"
            with surviving("restore", rule="expected restore(state) to return", cause=cause):
                self.policy.restore(state)

    def unlike(self, other: "BoundPolicy", batch: Sequence[Any]) -> str | None:
        """Let both act three times; return where the decisions differ first, or None when all are equal."""
        for number in range(3):
            mine, theirs = self.decide(batch), other.decide(batch)
            rows = [[as_row(decision) for decision in decisions] for decisions in (mine, theirs)]
            if (found := difference(*rows, tolerance=TOLERANCE)) is not None:
                return f"decision{found} in call {number}"
        return None


def unbound(
    factory: PolicyFactory, *arguments: Any, seed: int, environment: Environment | None
) -> BoundPolicy:
    """Build a policy, seed it and attach it to an environment, as far as it asks for that."""
    call, cause = "factory()", "wrap one that needs arguments in functools.partial"
    if arguments:
        call, cause = (
            "factory(checkpoint_dir)",
            "for WeightsFormat.CHECKPOINT it takes the directory",
        )
    with surviving("factory", rule=f"expected {call} to build a policy", cause=cause):
        policy = factory(*arguments)
    if not isinstance(policy, Policy):
        cause = "it needs the methods bind and act; hand in the class or a function, not an object"
        raise broken("factory", rule="expected a Policy", found=typed(policy), cause=cause)
    generators = (np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1]))
    if isinstance(policy, SeededPolicy):
        with surviving(
            "seed", rule="expected seed(initial, sampling) to return", cause="it comes before bind"
        ):
            policy.seed(*generators)
    if isinstance(policy, PrivilegedPolicy):
        if environment is None:
            rule, cause = "expected an environment for a privileged policy", "hand in the one it looks inside"
            raise broken("attach", rule=rule, found="none", cause=cause)
        with surviving("attach", rule="expected attach(environment) to return", cause="is it the right one?"):
            policy.attach(environment)
    return BoundPolicy(policy, generators)


def bound(factory: PolicyFactory, *arguments: Any, binding: Binding, seed: int) -> BoundPolicy:
    """Build a policy and set it up as a run does."""
    made = unbound(factory, *arguments, seed=seed, environment=binding.environment)
    cause = "hand in spaces, and a task view, that this policy is made for"
    with surviving("bind", rule="expected bind to take the spaces", cause=cause):
        made.policy.bind(binding.observation_space, binding.action_space, binding.task_view)
    return made


def drawn(space: spaces.Space[Any], count: int) -> list[Any]:
    """Return members of a space, the same ones every time."""
    source = copy.deepcopy(space)
    source.seed(11)
    return [source.sample() for _ in range(count)]


def as_row(decision: Decision) -> dict[str, Any]:
    """Return the fields by name, for comparisons."""
    return {
        "action": decision.action,
        "text": decision.text,
        "log_prob": decision.log_prob,
        "value": decision.value,
        "extras": dict(decision.extras),
    }
