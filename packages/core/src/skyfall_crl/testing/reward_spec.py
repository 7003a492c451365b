"""Is a reward spec plain data that scores as specs do."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from skyfall_crl.reward import RewardSpec
from skyfall_crl.testing.comparison import TOLERANCE, difference
from skyfall_crl.testing.verdict import broken, shown, surviving, typed

SpecSource: TypeAlias = RewardSpec | Callable[[], RewardSpec]


def check_reward_spec(source: SpecSource, signals: Sequence[str] | None = None) -> None:
    """Check a spec, or what a factory without arguments builds; raises `ConformanceError`.

    `signals` are those of the environment it is meant for.
    """
    spec = _built(source)
    if (
        spec is not source
        and (found := difference(spec.to_mapping(), _built(source).to_mapping())) is not None
    ):
        cause = "a spec is a value; its version says when it changes"
        raise broken("factory", rule="expected equal specs each time", found=found, cause=cause)
    check_stored(spec)
    check_scores(spec)
    check_weights(spec)
    if signals is not None:
        cause = "rename the term, or declare the signal in reward_signals"
        with surviving("terms", rule="expected terms that are signals", cause=cause):
            spec.check(signals)


def check_stored(spec: RewardSpec) -> None:
    """Check that a spec is the same after JSON, as rows and bundles hold it."""
    cause = "keep everything in name, version, terms and the params of terms"
    with surviving("to_mapping", rule="expected what from_mapping reads", cause=cause):
        again: Any = RewardSpec.from_mapping(msgspec.json.decode(msgspec.json.encode(spec.to_mapping())))
    if again != spec:
        cause = f"{cause}, and don't derive from RewardSpec"
        raise broken("to_mapping", rule="expected an equal spec after JSON", found=shown(again), cause=cause)


def check_scores(spec: RewardSpec) -> None:
    """Check scores of extreme signals, of one at a time, and of none."""
    names = [term.name for term in spec.terms]
    total = math.fsum(term.weight for term in spec.terms)
    cases: list[tuple[dict[str, float | None], float]] = [
        (dict.fromkeys(names, 0.0), 0.0),
        (dict.fromkeys(names, 1.0), 1.0),
        (dict.fromkeys(names), 0.0),
    ]
    for term in spec.terms:
        alone: dict[str, float | None] = {name: float(name == term.name) for name in names}
        cases += [(alone, term.weight / total)]
    for signals, expected in cases:
        where = f"score({shown(signals)})"
        cause = "scoring is RewardSpec's; what is particular belongs into the signals"
        with surviving(where, rule="expected a score", cause=cause):
            score = spec.score(signals)
        if difference(expected, score.reward, tolerance=TOLERANCE) is not None:
            rule = f"expected the weighted mean, {expected}"
            raise broken(where, rule=rule, found=shown(score.reward), cause=cause)
        unread = {name for name in names if signals[name] is None}
        if set(score.missing) != unread or sorted(score.terms) != sorted(names):
            rule = "expected every term, and those without a signal named as missing"
            raise broken(where, rule=rule, found=shown(score), cause=cause)


def check_weights(spec: RewardSpec) -> None:
    """Check that a regime's weights are laid over a copy."""
    before = spec.to_mapping()
    doubled = {term.name: 2.0 * term.weight + 1.0 for term in spec.terms}
    under = spec.at({"reward_weights": doubled})
    if (found := difference(before, spec.to_mapping())) is not None:
        cause = "return a new spec; bundles store the one that no regime has touched"
        raise broken("at", rule="expected the spec to stay as it was", found=found, cause=cause)
    weights = {term.name: term.weight for term in under.terms}
    if (found := difference(doubled, weights)) is not None:
        cause = "the axis reward_weights replaces weights by term"
        raise broken("at", rule="expected the regime's weights", found=found, cause=cause)


def _built(source: SpecSource) -> RewardSpec:
    spec: Any = source
    if not isinstance(source, RewardSpec):
        cause = "wrap one that needs arguments in functools.partial"
        with surviving("factory", rule="expected a RewardSpec, or a function without arguments", cause=cause):
            spec = source()
    if not isinstance(spec, RewardSpec):
        cause = "build one by RewardSpec(name, version, terms) or RewardSpec.from_mapping"
        raise broken("factory", rule="expected a RewardSpec", found=typed(spec), cause=cause)
    return spec
