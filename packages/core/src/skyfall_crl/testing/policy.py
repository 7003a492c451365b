"""Does a policy act as its callers expect: in order, in its spaces, and from the generators it was given."""

import copy
import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import CheckpointError, PolicyError
from skyfall_crl.ports.policy import Decision, PrivilegedPolicy, SeededPolicy, StatefulPolicy, WeightedPolicy
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.testing.bound_policy import Binding, BoundPolicy, PolicyFactory, bound, drawn, unbound
from skyfall_crl.testing.comparison import difference
from skyfall_crl.testing.doubles import SwitchingBandit
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, plain_mapping, shown, surviving, typed

BATCH = 5

Maker: TypeAlias = Callable[[], BoundPolicy]


def check_policy(
    factory: PolicyFactory,
    observation_space: spaces.Space[Any] | None = None,
    action_space: spaces.Space[Any] | None = None,
    *,
    task_view: TaskView | None = None,
    environment: Environment | None = None,
) -> None:
    """Check the policies that a factory without arguments builds; raises `ConformanceError`.

    They are bound to the spaces given, or to those of `skyfall_crl.testing.doubles.SwitchingBandit`. A policy that
    answers in text needs `task_view`; a privileged one is attached to `environment`, for which alone it then decides.
    """
    world = SwitchingBandit()
    binding = Binding(
        observation_space or world.observation_space,
        action_space or world.action_space,
        task_view,
        environment,
    )

    def make() -> BoundPolicy:
        return bound(factory, binding=binding, seed=1)

    worlds = 1 if isinstance(make().policy, PrivilegedPolicy) else BATCH
    batch = drawn(binding.observation_space, worlds)
    check_decisions(make, batch, binding)
    check_masked(make, batch, binding.action_space)
    check_generators(make, batch)
    check_state(make, batch)
    check_refusal(factory, environment)
    check_no_weights(make, batch)


def check_decisions(make: Maker, batch: Sequence[Any], binding: Binding) -> None:
    """Check decisions for several worlds and for one, and that observations are left alone."""
    made = make()
    kept = copy.deepcopy(batch)
    for part in (batch, batch[:1], batch):
        for decision in made.decide(part):
            check_decision(decision, binding)
    if (found := difference(kept, batch)) is not None:
        cause = "the window keeps them, so copy before you scale or pad"
        raise broken("act", rule="expected observations to stay as they were", found=found, cause=cause)


def check_decision(decision: Decision, binding: Binding) -> None:
    """Check what one decision holds."""
    action, text = decision.action, decision.text
    if action is None and not (isinstance(text, str) and binding.task_view is not None):
        rule = "expected an action, or a text where there is a task view to parse it"
        found, cause = (
            f"action None, text {shown(text)}",
            "hand in task_view for a policy that answers in text",
        )
        raise broken("act", rule=rule, found=found, cause=cause)
    if action is not None and not binding.action_space.contains(action):
        rule = f"expected an action of {shown(binding.action_space)}"
        cause = "mind the dtype of arrays, and `start` of a Discrete space"
        raise broken("act", rule=rule, found=typed(action), cause=cause)
    for name in ("log_prob", "value"):
        number = getattr(decision, name)
        if number is not None and not (isinstance(number, float) and math.isfinite(number)):
            rule, cause = (
                f"expected {name} to be a finite float or None",
                "convert tensors by .item() or .tolist()",
            )
            raise broken("act", rule=rule, found=typed(number), cause=cause)
    plain_mapping("act, extras", decision.extras)


def check_masked(make: Maker, batch: Sequence[Any], space: spaces.Space[Any]) -> None:
    """Check that a policy which draws or has weights takes no action that a mask forbids; a script may know better."""
    made = make()
    chooses = isinstance(made.policy, SeededPolicy | WeightedPolicy)
    if not isinstance(space, spaces.Discrete) or not chooses:
        return
    for only in range(min(int(space.n), 8)):
        mask = np.zeros(int(space.n), np.bool_)
        mask[only] = True
        infos: list[Mapping[str, Any]] = [{"action_mask": mask} for _ in batch]
        for decision in made.decide(batch, infos):
            if decision.action is not None and int(decision.action) != only + int(space.start):
                rule = f"expected action {only + int(space.start)}, the only one info['action_mask'] allows"
                cause = "give forbidden actions the probability 0"
                raise broken("act", rule=rule, found=shown(decision.action), cause=cause)


def check_generators(make: Maker, batch: Sequence[Any]) -> None:
    """Check that chance comes from the generators of `seed` alone."""
    before = random.getstate(), np.random.get_state()
    one, other = make(), make()
    found = one.unlike(other, batch)
    after = random.getstate(), np.random.get_state()
    if difference(before, after) is not None:
        rule = "expected the process's own generators to stay as they were"
        raise broken(
            "act", rule=rule, found="a draw", cause="draw from what seed(initial, sampling) was given"
        )
    if found is not None:
        rule = "expected equal decisions of two policies with equal seeds"
        cause = "draw first weights and actions from the generators of seed(initial, sampling), and from nothing else"
        raise broken("seed", rule=rule, found=found, cause=cause)


def check_state(make: Maker, batch: Sequence[Any]) -> None:
    """Check that a policy can go on where another one stopped, with the state it gives away."""
    one, other = make(), make()
    for _ in range(7):
        one.decide(batch)
    other.adopt(one)
    if (found := one.unlike(other, batch)) is None:
        return
    rule = "expected a resumed policy to decide like one that was never stopped"
    if isinstance(one.policy, StatefulPolicy):
        raise broken("state and restore", rule=rule, found=found, cause="state() leaves something out")
    cause = "it carries something from step to step; give that away in state() and take it back in restore()"
    raise broken("act", rule=rule, found=found, cause=cause)


def check_refusal(factory: PolicyFactory, environment: Environment | None) -> None:
    """Check that spaces a policy can't work in are refused by `PolicyError`, or taken."""
    made = unbound(factory, seed=1, environment=environment)
    text = spaces.Text(4)
    try:
        made.policy.bind(text, text)
    except PolicyError:
        return
    except Exception as error:
        rule = "expected PolicyError for spaces it can't work in"
        found, cause = (
            f"{type(error).__name__}: {error}",
            "look at the spaces in bind, before anything is built",
        )
        raise broken(f"bind to {text}", rule=rule, found=found, cause=cause) from error


def check_no_weights(make: Maker, batch: Sequence[Any]) -> None:
    """Check that loading weights from an empty directory is refused and changes nothing."""
    one, other = make(), make()
    if not isinstance(one.policy, WeightedPolicy):
        return
    with TemporaryDirectory() as folder:
        refused_weights(one.policy, Path(folder), "an empty directory")
    if (found := other.unlike(one, batch)) is not None:
        cause = "read and check everything before the first weight is changed"
        raise broken("load_weights", rule="expected a refusal to change nothing", found=found, cause=cause)


def refused_weights(policy: WeightedPolicy, folder: Path, what: str) -> None:
    """Check that `load_weights` raises `CheckpointError` for a directory."""
    rule = "expected CheckpointError"
    cause = "a checkpoint may be torn or of another run; say so, rather than filling a part"
    with surviving(f"load_weights from {what}", rule=rule, cause=cause):
        try:
            policy.load_weights(folder)
        except CheckpointError:
            return
    raise broken(f"load_weights from {what}", rule=rule, found="none", cause=cause)
