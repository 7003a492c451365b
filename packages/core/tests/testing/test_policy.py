"""Every rule for policies, broken once by a tiny policy."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports import CheckpointError, Decision, PolicyError, TaskView, ToolCall
from skyfall_crl.testing import SwitchingBandit, check_policy
from skyfall_crl.train.policies import LinearPolicy, MlpPolicy, RandomPolicy

WIDE = spaces.Box(-1.0, 1.0, (2,), np.float32)


class Guess:
    """Draws an action that is allowed, from the generator it was given."""

    def seed(self, initial, sampling) -> None:
        self.sampling = sampling

    def bind(self, observation_space, action_space, task_view=None) -> None:
        if not isinstance(action_space, spaces.Discrete):
            raise PolicyError(f"expected Discrete actions, found {action_space}")
        self.count = int(action_space.n)

    def act(self, batch, infos) -> list[Decision]:
        masks = [info.get("action_mask", np.ones(self.count, bool)) for info in infos]
        return [self.decide(int(self.sampling.choice(np.flatnonzero(mask)))) for mask in masks]

    def decide(self, action: int) -> Decision:
        return Decision(action)


def having(**attributes: Any) -> type[Guess]:
    """Return a policy with other methods."""
    return type("Having", (Guess,), attributes)


def deciding(**fields: Any) -> type[Guess]:
    """Return a policy with something else in its decisions."""
    return having(decide=lambda self, action: Decision(**{"action": action, **fields}))


def acting(act: Callable[[Guess, Any, Any, list[Decision]], Any]) -> type[Guess]:
    """Return a policy that gives something else than its decisions."""
    return having(act=lambda self, batch, infos: act(self, batch, infos, Guess.act(self, batch, infos)))


def fail(*_: Any, **__: Any) -> Any:
    raise OSError("no model")


class Scaling(Guess):
    """Scales the observations it was given, in place."""

    def act(self, batch, infos):
        for observation in batch:
            observation *= 0.5
        return super().act(batch, infos)


class Global(Guess):
    """Draws from the process's generator."""

    def act(self, batch, infos):
        random.random()
        return super().act(batch, infos)


class Unseeded(Guess):
    """Draws from a generator of its own."""

    fresh = np.random.default_rng(1)

    def seed(self, initial, sampling):
        self.sampling = self.fresh


class Alternating:
    """Takes its actions in turn, and says nothing of where it is."""

    turn = 0

    def bind(self, observation_space, action_space, task_view=None) -> None:
        if not isinstance(action_space, spaces.Discrete):
            raise PolicyError("expected Discrete actions")

    def act(self, batch, infos) -> list[Decision]:
        self.turn += 1
        return [Decision(self.turn % 3) for _ in batch]


class Tracking(Alternating):
    """Says where it is."""

    def state(self):
        return {"turn": self.turn}

    def restore(self, state):
        self.turn = state["turn"]


class Weighted(Guess):
    """Has weights to load."""

    weight = 1.0

    def load_weights(self, directory: Path) -> None:
        if not (directory / "weight").exists():
            raise CheckpointError(f"{directory}: no weight")

    def decide(self, action: int) -> Decision:
        return Decision(action, value=self.weight)


class HalfLoaded(Weighted):
    def load_weights(self, directory):
        self.weight = 0.0
        super().load_weights(directory)


class Privileged(Guess):
    """Looks inside a world."""

    def attach(self, environment) -> None:
        self.world = environment.unwrapped.digest

    def act(self, batch, infos):
        assert len(batch) == 1
        return super().act(batch, infos)


BROKEN: dict[str, tuple[Any, str]] = {
    "an object": (
        Guess(),
        r"factory: expected factory\(\) to build a policy, found TypeError.*functools.partial",
    ),
    "something else": (dict, "factory: expected a Policy, found dict {}; it needs the methods bind and act"),
    "seed fails": (
        having(seed=fail),
        r"seed: expected seed\(initial, sampling\) to return, found OSError: no model",
    ),
    "bind fails": (
        having(bind=fail),
        "bind: expected bind to take the spaces, found OSError: no model; hand in",
    ),
    "act fails": (having(act=fail), r"act: expected act\(batch, infos\) to return, found OSError: no model"),
    "a single decision": (
        acting(lambda policy, batch, infos, d: d[0]),
        "expected a list of Decisions, found Decision",
    ),
    "bare actions": (acting(lambda *_: [0]), r"expected a list of Decisions, found list \[0\]"),
    "one for all": (
        acting(lambda policy, batch, infos, d: d[:1]),
        "expected 5 decisions, found 1; one for each obs",
    ),
    "in place": (Scaling, "act: expected observations to stay as they were"),
    "no action": (
        deciding(action=None),
        "an action, or a text where there is a task view to parse it, found action N",
    ),
    "a text and no view": (deciding(action=None, text="1"), "found action None, text '1'; hand in task_view"),
    "an action outside": (deciding(action=3), r"expected an action of Discrete\(3\), found int 3"),
    "a certain log_prob": (
        deciding(log_prob=np.float32(0)),
        "expected log_prob to be a finite float or None, found f",
    ),
    "an endless value": (
        deciding(value=float("inf")),
        "expected value to be a finite float or None, found float inf",
    ),
    "extras of objects": (
        deciding(extras={"seen": np.ones(2)}),
        "act, extras: expected a mapping of plain data",
    ),
    "no mind for the mask": (
        acting(lambda policy, batch, infos, d: [Decision(2) for _ in d]),
        r"act: expected action 0, the only one info\['action_mask'\] allows, found 2",
    ),
    "the process's generator": (
        Global,
        "act: expected the process's own generators to stay as they were, found a dr",
    ),
    "a generator of its own": (Unseeded, "seed: expected equal decisions of two policies with equal seeds"),
    "hidden state": (
        Alternating,
        "act: expected a resumed policy to decide like .*; it carries something from step",
    ),
    "half a state": (
        type("Half", (Tracking,), {"state": lambda self: {"turn": 0}}),
        r"state and restore: expected a resumed policy .*; state\(\) leaves something out",
    ),
    "a state of arrays": (
        type("Arrays", (Tracking,), {"state": lambda self: {"turn": np.ones(1)}}),
        r"state\(\): expected a mapping of plain data.*found turn",
    ),
    "restore fails": (
        type("Stuck", (Tracking,), {"restore": fail}),
        r"restore: expected restore\(state\) to return",
    ),
    "any spaces": (
        having(bind=lambda self, seen, taken, task_view=None: setattr(self, "count", int(taken.n))),
        r"bind to Text.*: expected PolicyError for spaces it can't work in, found AttributeError",
    ),
    "no weights, no word": (
        type("Silent", (Weighted,), {"load_weights": lambda self, directory: None}),
        "load_weights from an empty directory: expected CheckpointError, found none",
    ),
    "no weights, another word": (
        type("Other", (Weighted,), {"load_weights": fail}),
        "load_weights from an empty directory: expected CheckpointError, found OSError: no model",
    ),
    "half the weights": (
        HalfLoaded,
        "load_weights: expected a refusal to change nothing, found .*0.0, expected 1.0",
    ),
    "privileged, but nothing to see": (Privileged, "attach: expected an environment for a privileged policy"),
}


@pytest.mark.parametrize(("factory", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    factory: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_policy, factory))


def test_a_policy_that_cannot_be_attached_is_told(complaint: Callable[..., str]) -> None:
    """A reference policy looks inside one kind of world."""
    check_policy(Privileged, environment=SwitchingBandit())
    stuck = type("Stuck", (Privileged,), {"attach": fail})
    message = complaint(check_policy, stuck, environment=SwitchingBandit())
    assert "attach: expected attach(environment) to return, found OSError" in message


@pytest.mark.parametrize("factory", [Guess, Tracking, Weighted, LinearPolicy, MlpPolicy, RandomPolicy])
def test_a_policy_that_keeps_the_rules_passes(factory: Any) -> None:
    """With and without chance, memory and weights; the core's own are among them."""
    check_policy(factory)


def test_a_policy_is_bound_to_the_spaces_it_is_made_for(complaint: Callable[..., str]) -> None:
    """Spaces can be handed in, with a start other than 0 and without masks as well."""
    check_policy(RandomPolicy, spaces.Text(5), WIDE)
    check_policy(LinearPolicy, spaces.MultiBinary(3), spaces.Discrete(4, start=2))
    assert "bind: expected bind to take the spaces" in complaint(
        check_policy, LinearPolicy, action_space=spaces.Text(5)
    )


def test_a_policy_may_answer_in_text_where_a_view_parses_it() -> None:
    """The action is then the view's to find."""

    class View(TaskView):
        def to_tool_call(self, action, *, world_id, observation=None) -> ToolCall | None:
            return None

    check_policy(deciding(action=None, text="wait"), task_view=View())
