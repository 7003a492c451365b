"""Reward specs: validation, scoring, and the overlay of a regime."""

import copy
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.document import dump_yaml, parse_yaml
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.reward import RewardSpec, RewardTerm

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PAPER = RewardSpec(
    "paper",
    1,
    (
        RewardTerm("remediation", 5),
        RewardTerm("financial", 3),
        RewardTerm("throughput", 2, {"capacity": {"units": 2}}),
    ),
)
UNIT = st.floats(0, 1)


@st.composite
def specs(draw: st.DrawFn) -> RewardSpec:
    names = draw(st.lists(st.text("abcde", min_size=1, max_size=3), min_size=1, max_size=5, unique=True))
    weights = draw(st.lists(st.floats(0, 100), min_size=len(names), max_size=len(names)))
    weights[draw(st.integers(0, len(names) - 1))] = draw(st.floats(0.01, 100))
    return RewardSpec("any", 1, tuple(map(RewardTerm, names, weights)))


def test_the_reward_is_the_mean_of_the_signals_weighted_by_their_shares() -> None:
    score = PAPER.score({"remediation": 0.5, "financial": 1.0, "throughput": 0, "other": 7})
    assert score.reward == 0.5 * 0.5 + 0.3 * 1.0
    assert score.terms == {"remediation": 0.5, "financial": 1.0, "throughput": 0.0}
    assert list(score.terms) == ["remediation", "financial", "throughput"]
    assert score.missing == ()


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_a_failed_signal_counts_nothing_and_is_named(value: float | None) -> None:
    score = PAPER.score({"remediation": value, "financial": 1.0})
    assert score == (
        0.3,
        {"remediation": 0.0, "financial": 1.0, "throughput": 0.0},
        ("remediation", "throughput"),
    )


def test_rounding_beyond_the_unit_interval_is_taken_back_and_more_is_an_error() -> None:
    signals = {"remediation": 1 + 5e-10, "financial": -5e-10, "throughput": 1}
    assert PAPER.score(signals).terms == {"remediation": 1.0, "financial": 0.0, "throughput": 1.0}
    for value in (1 + 2e-9, -2e-9, 60.0):
        with pytest.raises(
            EnvironmentFailure, match=r"reward signal 'financial': expected a value in \[0, 1\], found"
        ):
            PAPER.score({"financial": value})


def test_terms_are_plain_floats_whatever_numbers_come_in() -> None:
    numpy = pytest.importorskip("numpy")
    score = PAPER.score(
        {"remediation": numpy.float64(0.25), "financial": True, "throughput": numpy.float32(1)}
    )
    assert [type(value) for value in (*score.terms.values(), score.reward)] == [float] * 4


@UNTIMED
@given(specs(), st.data())
def test_a_reward_lies_between_its_terms_and_is_recomputed_from_them(
    spec: RewardSpec, data: st.DataObject
) -> None:
    signals = {term.name: data.draw(UNIT) for term in spec.terms}
    score = spec.score(signals)
    assert score.terms == signals
    assert min(signals.values()) - 1e-12 <= score.reward <= max(signals.values()) + 1e-12
    weights = [term.weight for term in spec.terms]
    exact = math.fsum(
        w * signals[term.name] for w, term in zip(weights, spec.terms, strict=True)
    ) / math.fsum(weights)
    assert abs(score.reward - exact) <= 1e-9


@UNTIMED
@given(specs(), st.floats(0.5, 2))
def test_only_the_proportion_of_weights_counts(spec: RewardSpec, factor: float) -> None:
    scaled = spec.at({"reward_weights": {term.name: term.weight * factor for term in spec.terms}})
    signals = {term.name: 1 / (1 + index) for index, term in enumerate(spec.terms)}
    assert abs(scaled.score(signals).reward - spec.score(signals).reward) < 1e-12


@UNTIMED
@given(specs())
def test_a_spec_survives_its_mapping_and_yaml(spec: RewardSpec) -> None:
    assert RewardSpec.from_mapping(parse_yaml(dump_yaml(spec.to_mapping()), "spec")) == spec


def test_params_are_kept_and_copied() -> None:
    assert RewardSpec.from_mapping(PAPER.to_mapping()) == PAPER == copy.deepcopy(PAPER)
    assert PAPER.to_mapping()["terms"][2] == {
        "name": "throughput",
        "weight": 2,
        "params": {"capacity": {"units": 2}},
    }
    params = {"list": [1]}
    term = RewardTerm("a", 1, params)
    params["list"].append(2)
    assert term.params == {"list": [1]}


def test_a_regime_without_reward_weights_leaves_the_spec_as_it_is() -> None:
    assert PAPER.at({}) is PAPER
    assert PAPER.at({"demand": 2, "reward_weights": None}) is PAPER


def test_a_regime_lays_weights_over_the_spec_without_editing_it() -> None:
    shifted = PAPER.at({"reward_weights": {"financial": 0, "throughput": 5}})
    assert [term.weight for term in shifted.terms] == [5, 0, 5]
    assert shifted.terms[2].params == {"capacity": {"units": 2}}
    assert (shifted.name, shifted.version) == ("paper", 1)
    assert [term.weight for term in PAPER.terms] == [5, 3, 2]
    assert shifted.score({"remediation": 1.0, "financial": 1.0, "throughput": 0.0}).reward == 0.5


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"finance": 1}, "reward_weights.finance: unknown term of 'paper'; did you mean 'financial'?"),
        ({"financial": -1}, "reward_weights.financial: expected a finite number of at least 0, found -1"),
        ({"financial": "1"}, "reward_weights.financial: expected a finite number of at least 0, found '1'"),
        ({"financial": True}, "reward_weights.financial: expected a finite number of at least 0, found True"),
        ([1, 2], "reward_weights: expected a mapping of term names to weights, found a list"),
        (
            {"remediation": 0, "financial": 0, "throughput": 0},
            "reward_weights.terms: expected a positive, finite sum of weights, found 0.0",
        ),
    ],
)
def test_an_overlay_that_does_not_fit_the_spec_is_an_error(weights: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        PAPER.at({"reward_weights": weights})
    assert str(caught.value) == message


def test_a_term_the_environment_does_not_declare_is_an_error_at_build() -> None:
    PAPER.check(["throughput", "financial", "remediation", "more"])
    with pytest.raises(ConfigError) as caught:
        PAPER.check(["remediation", "financials", "throughput"])
    assert str(caught.value) == (
        "reward spec 'paper': terms[1].name: the environment has no signal 'financial'; "
        "did you mean 'financials'?"
    )


TERM = {"name": "a", "weight": 1}
HUGE = {"name": "b", "weight": 1.7e308}
NO_SUM = "terms: expected a positive, finite sum of weights, found"
NO_LIST = "terms: expected a list of at least one term, found"
NO_VERSION = "version: expected a whole number of at least 1, found"
NO_WEIGHT = "terms[0].weight: expected a finite number of at least 0, found"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"terms": []}, f"{NO_LIST} an empty list"),
        ({"terms": {"a": 1}}, f"{NO_LIST} a mapping"),
        ({"name": ""}, "name: expected text that is not empty, found ''"),
        ({"version": 0}, f"{NO_VERSION} 0"),
        ({"version": "1"}, f"{NO_VERSION} '1'"),
        ({"term": []}, "term: unknown key of a reward spec; did you mean 'terms'?"),
        ({"terms": [TERM, TERM]}, "terms[1].name: expected each term once, found 'a' again"),
        ({"terms": [{**TERM, "weight": 0}]}, f"{NO_SUM} 0.0"),
        ({"terms": [{**TERM, "weight": 1.7e308}, HUGE]}, f"{NO_SUM} inf"),
        ({"terms": [TERM, {"name": "b"}]}, "terms[1].weight: expected a value, found nothing"),
        ({"terms": [{**TERM, "weight": -1}]}, f"{NO_WEIGHT} -1"),
        ({"terms": [{**TERM, "weight": math.nan}]}, f"{NO_WEIGHT} nan"),
        ({"terms": [{**TERM, "weight": 10**400}]}, f"{NO_WEIGHT} a number too large"),
        ({"terms": [{**TERM, "params": [1]}]}, "terms[0].params: expected a mapping, found a list"),
        (
            {"terms": [{**TERM, "params": {"x": math.inf}}]},
            "terms[0].params.x: expected a finite number, found inf",
        ),
        ({"terms": [{**TERM, "name": 3}]}, "terms[0].name: expected text that is not empty, found 3"),
        ({"terms": ["a"]}, "terms[0]: expected a mapping that describes a reward term, found 'a'"),
    ],
)
def test_a_mistake_is_named_with_its_key_path(fields: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RewardSpec.from_mapping({"name": "s", "version": 1, "terms": [TERM], **fields})
    assert str(caught.value) == message


def test_a_spec_is_a_mapping_with_terms() -> None:
    with pytest.raises(
        ConfigError, match=r"^expected a mapping that describes a reward spec, found 'paper'$"
    ):
        RewardSpec.from_mapping("paper")
    with pytest.raises(ConfigError, match=r"^terms: expected a value, found nothing$"):
        RewardSpec.from_mapping({"name": "s", "version": 1})
