"""Every rule for algorithms and what they say of windows, broken once by a tiny change to one of the core's."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from skyfall_crl.ports import Decision, Window
from skyfall_crl.testing import SwitchingBandit, check_algorithm
from skyfall_crl.train.algorithms import PPO, Reinforce
from skyfall_crl.train.policies import LinearPolicy, MlpPolicy


def having(**attributes: Any) -> type[Reinforce]:
    """Return an algorithm with other methods."""
    return type("Having", (Reinforce,), attributes)


def updating(change: Callable[[Reinforce, Window, Any], Any]) -> type[Reinforce]:
    """Return an algorithm whose update gives something else."""
    return having(update=lambda self, window: change(self, window, Reinforce.update(self, window)))


def fail(*_: Any, **__: Any) -> Any:
    raise OSError("disk full")


class Normalising(Reinforce):
    """Centres the rewards of the window it was given."""

    def update(self, window):
        window.rewards -= 0.5
        return super().update(window)


BROKEN: dict[str, tuple[Any, str]] = {
    "no factory": (
        object(),
        r"factory: expected factory\(policy\) to build an algorithm",
    ),
    "something else": (lambda policy: policy, "factory: expected an Algorithm, found LinearPolicy"),
    "a policy of its own": (
        having(policy=property(lambda self: LinearPolicy(), lambda self, policy: None)),
        "policy: expected the policy that the factory was given, found LinearPolicy",
    ),
    "seed fails": (
        having(seed=fail),
        r"seed: expected seed\(generator\) to return, found OSError",
    ),
    "update fails": (
        having(update=fail),
        "update with a window of two worlds that go on: expected update",
    ),
    "update returns nothing": (
        updating(lambda *_: None),
        "expected a mapping of names to numbers, found N",
    ),
    "a number that is none": (
        updating(lambda *_: {"loss": float("nan")}),
        "update with .*: expected finite numbers, found loss = float nan",
    ),
    "a number in words": (
        updating(lambda *_: {"loss": "low"}),
        "finite numbers, found loss = str 'low'",
    ),
    "a window changed": (Normalising, "expected the window to stay as it was, found rewards"),
}


@pytest.mark.parametrize(("factory", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    factory: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_algorithm, factory, LinearPolicy))


def test_the_policy_of_the_core_is_trained_where_none_is_given() -> None:
    """An algorithm for the core's own policies needs no more than itself."""
    check_algorithm(Reinforce)


@pytest.mark.parametrize("factory", [PPO, Reinforce, partial(PPO, minibatches=1)])
@pytest.mark.parametrize("policy", [LinearPolicy, MlpPolicy])
def test_the_cores_own_pass(factory: Any, policy: Any) -> None:
    """They keep what they ask of others, in worlds of any length."""
    check_algorithm(factory, policy, environment=partial(SwitchingBandit, max_steps=3))


def test_a_policy_that_answers_in_text_cannot_make_windows(complaint: Callable[..., str]) -> None:
    """Its author collects windows otherwise."""
    talking = type(
        "Talking", (LinearPolicy,), {"act": lambda self, batch, infos: [Decision(None, "x")] * len(batch)}
    )
    assert "act: expected an action, found Decision" in complaint(check_algorithm, Reinforce, talking)
