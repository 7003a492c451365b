"""One regime: its fields, its identity, and the split of its axes."""

import copy
from typing import Any

import pytest

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import Regime


def test_a_regime_is_its_own_identity_unless_it_repeats_another() -> None:
    assert Regime("calm").identity == "calm"
    assert Regime("calm-again", alias_of="calm").identity == "calm"


def test_axes_split_into_those_named_and_all_others_in_their_own_order() -> None:
    regime = Regime("r", axes={"demand": 0.7, "capacity": 2, "terms": [30]})
    assert list(regime.select(("terms", "demand", "unknown")).items()) == [("demand", 0.7), ("terms", [30])]
    assert regime.exclude({"demand", "unknown"}) == {"capacity": 2, "terms": [30]}
    assert regime.select(()) == {}
    assert regime.exclude(()) == regime.axes


def test_axes_are_copied_so_that_the_caller_cannot_change_a_schedule_later() -> None:
    mix: dict[str, Any] = {"mix": [1, (2, 3)]}
    regime = Regime("r", axes=mix)
    mix["mix"].append(4)
    mix["demand"] = 1
    assert regime.axes == {"mix": [1, [2, 3]]}


def test_a_regime_can_be_hashed_compared_and_copied() -> None:
    regime = Regime("r", 3, axes={"demand": {"a": 1}})
    assert copy.deepcopy(regime) == regime == Regime.from_mapping(regime.to_mapping())
    assert hash(regime) == hash(Regime("r", 3, axes={"demand": {"a": 1}}))
    assert regime != Regime("r", 3)


def test_an_empty_axes_key_means_no_axes() -> None:
    assert Regime.from_mapping({"regime_id": "r", "axes": None}) == Regime("r")


NO_STEPS = "duration_steps: expected a whole number of at least 1, found"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"regime_id": ""}, "regime_id: expected text that is not empty, found ''"),
        ({"regime_id": 3}, "regime_id: expected text that is not empty, found 3"),
        ({"duration_steps": 0}, f"{NO_STEPS} 0"),
        ({"duration_steps": -4}, f"{NO_STEPS} -4"),
        ({"duration_steps": 2.0}, f"{NO_STEPS} 2.0"),
        ({"duration_steps": True}, f"{NO_STEPS} True"),
        ({"alias_of": ["a"]}, "alias_of: expected text that is not empty, found a list"),
        ({"axes": [1]}, "axes: expected a mapping of axis names to values, found a list"),
        ({"axes": {"a": [1, {"b": float("nan")}]}}, "axes.a[1].b: expected a finite number, found nan"),
        ({"axes": {"a": 10**400}}, "axes.a: expected a finite number, found a number too large"),
        ({"axes": {"a": {1: 2}}}, "axes.a: expected text keys, found 1"),
        ({"axes": {"a": b"x"}}, "axes.a: expected plain data (text, numbers, lists, mappings), found b'x'"),
        ({"duraton_steps": 3}, "duraton_steps: unknown key of a regime; did you mean 'duration_steps'?"),
        (
            {"x": 3},
            "x: unknown key of a regime; expected one of regime_id, duration_steps, alias_of, axes",
        ),
    ],
)
def test_a_mistake_is_named_with_its_key_path_and_what_was_found(fields: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Regime.from_mapping({"regime_id": "r", **fields})
    assert str(caught.value) == message


def test_a_regime_is_a_mapping_with_an_id() -> None:
    with pytest.raises(ConfigError, match=r"^regime_id: expected a value, found nothing$"):
        Regime.from_mapping({})
    with pytest.raises(
        ConfigError, match=r"^expected a mapping that describes a regime, found an empty list$"
    ):
        Regime.from_mapping([])
