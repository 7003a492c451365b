"""Every rule for reward specs, broken once by a tiny spec."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from skyfall_crl.reward import RewardSpec, RewardTerm
from skyfall_crl.testing import check_reward_spec

VERSIONS = count(1)
TERMS = (RewardTerm("speed", 3.0), RewardTerm("care", 1.0, {"capacity": 4}))
SPEC = RewardSpec("acme", 1, TERMS)


def spec_with(**methods: Any) -> RewardSpec:
    """Return a spec with other methods."""
    return type("Other", (RewardSpec,), methods)("acme", 1, TERMS)


def fail(*_: Any) -> Any:
    raise KeyError("speed")


BROKEN: dict[str, tuple[Any, str]] = {
    "arguments": (
        RewardSpec,
        "factory: expected a RewardSpec, or a function without arguments, found TypeError",
    ),
    "a mapping": (lambda: SPEC.to_mapping(), "factory: expected a RewardSpec, found dict"),
    "another each time": (
        lambda: RewardSpec("acme", next(VERSIONS), TERMS),
        r"factory: expected equal specs each time, found \['version'\]: 2, expected 1",
    ),
    "a field of its own": (
        spec_with(to_mapping=lambda self: {**RewardSpec.to_mapping(self), "bonus": 1}),
        "to_mapping: expected what from_mapping reads, found FieldError: bonus: unknown key",
    ),
    "a term forgotten": (
        spec_with(to_mapping=lambda self: RewardSpec.to_mapping(RewardSpec("acme", 1, TERMS[:1]))),
        "to_mapping: expected an equal spec after JSON, found RewardSpec",
    ),
    "a class of its own": (
        spec_with(score=fail),
        "expected an equal spec after JSON.*don't derive from RewardSpec",
    ),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_reward_spec, source))


class TestScoring:
    """What the core's own class would have to get wrong, since a class derived from it is none."""

    def test_a_score_is_the_weighted_mean(
        self, complaint: Callable[..., str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Not a sum, and not without a term."""
        score = RewardSpec.score
        monkeypatch.setattr(
            RewardSpec, "score", lambda self, signals: score(self, signals)._replace(reward=0.0)
        )
        assert "expected the weighted mean, 1.0, found 0.0; scoring is" in complaint(check_reward_spec, SPEC)
        monkeypatch.setattr(RewardSpec, "score", fail)
        assert "score({'speed': 0.0, 'care': 0.0}): expected a score" in complaint(check_reward_spec, SPEC)

    def test_what_is_missing_is_named(
        self, complaint: Callable[..., str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A term without a signal is no term with 0."""
        score = RewardSpec.score
        monkeypatch.setattr(
            RewardSpec, "score", lambda self, signals: score(self, signals)._replace(missing=())
        )
        message = complaint(check_reward_spec, SPEC)
        assert "expected every term, and those without a signal named as missing, found Score" in message

    def test_weights_are_laid_over_a_copy(
        self, complaint: Callable[..., str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The spec of a bundle is the one no regime has touched."""
        with monkeypatch.context() as patch:
            patch.setattr(RewardSpec, "at", lambda self, axes: self)
            assert "at: expected the regime's weights, found ['speed']: 3.0" in complaint(
                check_reward_spec, SPEC
            )
        terms = SPEC.at({"reward_weights": {"speed": 7.0, "care": 3.0}}).terms

        def change_in_place(self, axes):
            object.__setattr__(self, "terms", terms)
            return self

        monkeypatch.setattr(RewardSpec, "at", change_in_place)
        assert "at: expected the spec to stay as it was" in complaint(check_reward_spec, replace(SPEC))


def test_a_spec_that_keeps_the_rules_passes(complaint: Callable[..., str]) -> None:
    """As an object and out of a factory, with the signals of its environment."""
    check_reward_spec(SPEC, ["care", "speed", "more"])
    check_reward_spec(lambda: RewardSpec.from_mapping(SPEC.to_mapping()))
    message = complaint(check_reward_spec, SPEC, ["speed"])
    assert "terms: expected terms that are signals, found FieldError" in message
    assert "no signal 'care'" in message
