"""Providers: the forms they take, and that they answer like their schedule."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import ConstantRegime, Regime, RegimeProvider, RegimeSchedule, ScheduledRegime

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

SCHEDULE = {
    "shift_mode": "cyclic",
    "regimes": [{"regime_id": "A", "duration_steps": 2}, {"regime_id": "B", "duration_steps": 1}],
}


@UNTIMED
@given(st.data())
def test_a_scheduled_regime_answers_like_its_schedule_in_any_order_of_questions(
    schedules: Any, data: st.DataObject
) -> None:
    mapping = data.draw(schedules())
    provider, schedule = ScheduledRegime(mapping), RegimeSchedule.from_mapping(mapping)
    for step in data.draw(st.lists(st.integers(0, 80), max_size=40)):
        assert provider.at(step) == schedule.at(step)


def test_a_schedule_is_taken_as_object_mapping_or_path(tmp_path: Path) -> None:
    path = tmp_path / "schedule.yaml"
    path.write_text(dump_yaml(SCHEDULE))
    schedule = RegimeSchedule.from_mapping(SCHEDULE)
    for given_as in (schedule, SCHEDULE, str(path), path):
        provider = ScheduledRegime(given_as)
        assert isinstance(provider, RegimeProvider)
        assert provider.schedule == schedule
        assert provider.at(2).regime.regime_id == "B"


def test_a_broken_schedule_fails_when_the_provider_is_built(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^schedule\.regimes: expected a value, found nothing$"):
        ScheduledRegime({})
    with pytest.raises(ConfigError, match=r"^schedule\.regimes\[0\]\.regime_id: expected"):
        ScheduledRegime({"regimes": [{"regime_id": 1}]})
    with pytest.raises(
        ConfigError, match=r"^schedule: expected a mapping that describes a schedule, found nothing$"
    ):
        ScheduledRegime(None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="nowhere"):
        ScheduledRegime(str(tmp_path / "nowhere.yaml"))


def test_consecutive_steps_of_a_segment_get_the_identical_position() -> None:
    provider = ScheduledRegime(SCHEDULE)
    assert provider.at(0) is provider.at(1)
    assert provider.at(2) is not provider.at(3)
    assert provider.at(3) is provider.at(4)


def test_worlds_that_ask_for_the_same_drifting_step_share_the_answer() -> None:
    provider = ScheduledRegime(RegimeSchedule([Regime("A", 2), Regime("B")], "linear_drift", 4))
    assert provider.at(3) is provider.at(3)


def test_a_constant_regime_is_given_as_id_mapping_or_object() -> None:
    for provider in (
        ConstantRegime("calm", {"demand": 1}),
        ConstantRegime({"regime_id": "calm", "axes": {"demand": 1}}),
        ConstantRegime(Regime("calm", axes={"demand": 1})),
    ):
        assert isinstance(provider, RegimeProvider)
        assert provider.at(0) is provider.at(10**12)
        assert provider.at(5).regime == Regime("calm", axes={"demand": 1})
        assert provider.at(5).drift_progress is None
        assert provider.schedule.identities == ("calm",)


def test_a_constant_regime_needs_nothing_at_all() -> None:
    assert ConstantRegime().at(3).regime == Regime("default")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "regime_id: expected text"),
        (({"regime_id": "r", "duration_steps": 0},), "regime.duration_steps: expected a whole number"),
        ((None,), "regime: expected a mapping that describes a regime, found nothing"),
        ((Regime("r"), {"x": 1}), "axes: expected none beside a regime that carries its own"),
        ((Regime("r", alias_of="other"),), "regimes[0].alias_of: unknown regime 'other'"),
    ],
)
def test_a_broken_constant_regime_fails_when_it_is_built(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ConstantRegime(*arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("provider", [ConstantRegime(), ScheduledRegime(SCHEDULE)])
def test_a_negative_step_is_an_error(provider: RegimeProvider) -> None:
    with pytest.raises(ConfigError, match="step: expected a step of at least 0"):
        provider.at(-1)
