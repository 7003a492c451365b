"""What the environment reaches for and what it leaves alone: HTTP clients, the harness, the regime service."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skyfall_crl.regime
from skyfall_crl.env.morpheus import regime as adapter_regime
from skyfall_crl.env.morpheus.observation import ObservationProjector
from skyfall_crl.env.morpheus.regime import Regime, RegimeSchedule, ScheduledRegime
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.taskview import ToolCallTaskView
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import ToolCall

TWO = {
    "shift_mode": "cyclic",
    "regimes": [
        {"regime_id": "A", "duration_steps": 2, "axes": {"demand": 1.0}},
        {"regime_id": "again", "duration_steps": 2, "alias_of": "A"},
    ],
}


def fresh(code: str) -> str:
    """Run code in an interpreter that has imported nothing, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["morpheus_env", "factory", "action", "taskview"])
def test_no_http_client_is_imported_with_the_environment(module: str) -> None:
    assert fresh(f"import sys, skyfall_crl.env.morpheus.{module}; print('httpx' in sys.modules)") == "False"


def test_an_embedded_world_runs_without_an_http_client() -> None:
    code = (
        "import sys; from skyfall_crl.env.morpheus import world; env = world(); env.reset(seed=1); env.step(0); "
        "print('httpx' in sys.modules)"
    )
    assert fresh(code) == "False"


def test_nothing_that_trains_names_an_environment_package() -> None:
    import skyfall_crl.train as train

    sources = [path.read_text() for path in Path(train.__path__[0]).rglob("*.py")]
    assert len(sources) > 10
    assert not any("skyfall_crl.env" in source for source in sources)


def test_the_regime_service_is_the_one_that_everybody_shares() -> None:
    for name in adapter_regime.__all__:
        assert getattr(adapter_regime, name) is getattr(skyfall_crl.regime, name)


def test_entries_that_repeat_one_another_share_an_identity() -> None:
    schedule = RegimeSchedule.from_mapping(TWO)
    first, again = schedule.at(0).regime, schedule.at(2).regime
    assert (first.regime_id, again.regime_id) == ("A", "again")
    assert first.identity == again.identity == "A"
    assert schedule.at(4).regime.regime_id == "A"


def test_axes_are_split_into_what_can_be_told_and_the_rest() -> None:
    regime = Regime("A", axes={"demand": 1.0, "gravity": 2})
    assert (dict(regime.select(("demand", "cause_mix"))), list(regime.exclude(("demand",)))) == (
        {"demand": 1.0},
        ["gravity"],
    )


def test_a_schedule_is_given_built_as_a_mapping_or_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(
        "shift_mode: cyclic\nregimes:\n"
        "- {regime_id: A, duration_steps: 2, axes: {demand: 1.0}}\n"
        "- {regime_id: again, duration_steps: 2, alias_of: A}\n"
    )
    for schedule in (RegimeSchedule.from_mapping(TWO), TWO, file, str(file)):
        provider = ScheduledRegime(schedule)
        assert [provider.at(step).regime.regime_id for step in range(5)] == ["A", "A", "again", "again", "A"]
    with pytest.raises(ConfigError, match="regime_id"):
        ScheduledRegime({"regimes": [{}]})


def test_an_open_end_is_for_the_last_entry_only() -> None:
    regimes = [{"regime_id": "A", "axes": {}}, {"regime_id": "B", "axes": {}, "duration_steps": 2}]
    with pytest.raises(ConfigError, match="duration_steps"):
        RegimeSchedule.from_mapping({"regimes": regimes, "shift_mode": "abrupt"})
    schedule = RegimeSchedule.from_mapping({"regimes": regimes[::-1], "shift_mode": "abrupt"})
    assert schedule.at(1_000_000).regime.regime_id == "A"


def test_a_drift_eases_into_what_comes_next() -> None:
    regimes = [
        {"regime_id": "calm", "duration_steps": 4, "axes": {"demand": 0.0}},
        {"regime_id": "busy", "axes": {"demand": 1.0}},
    ]
    schedule = RegimeSchedule.from_mapping(
        {"shift_mode": "linear_drift", "drift_window": 4, "regimes": regimes}
    )
    demands = [schedule.at(step).regime.axes["demand"] for step in range(9)]
    assert demands == [0.0, 0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0]


def test_the_space_is_the_same_for_every_world_and_names_no_kind_of_chaos() -> None:
    names = set(ObservationProjector().space.spaces)
    assert ObservationProjector().space == ObservationProjector().space
    assert not {name for name in names if "chaos" in name or "service" in name or "failure" in name}
    assert "economics" in names


@pytest.mark.parametrize(
    "placeholder", ["{worldId}", "{world_id}", ":worldId", ":world_id", "<worldId>", "<world_id>", "{world}"]
)
def test_a_call_says_the_world_by_any_placeholder(placeholder: str) -> None:
    call = ToolCall("put", f"/{placeholder}/erp/orders/O", {"a": 1}).resolved("w1")
    assert call == ToolCall("PUT", "/w1/erp/orders/O", {"a": 1})


def test_tools_can_be_discovered_for_one_service_and_for_all() -> None:
    backend = SimulatedBackend()
    world = backend.create_world(name="w", layout="process-outbound", seed=1)
    every, tickets = backend.get_action_space(world), backend.get_action_space(world, "tickets")
    assert 0 < tickets["count"] < every["count"]
    assert all(entry["path"].startswith("/{worldId}/tickets") for entry in tickets["endpoints"])


def test_the_default_view_parses_text_and_names_the_tickets_it_touches() -> None:
    view = ToolCallTaskView()
    action = view.parse_action('I will do it. {"method": "PUT", "path": "/{worldId}/tickets/T1", "body": {}}')
    assert action is not None
    assert view.touched_tickets(action) == ("T1",)
    assert view.parse_action("I would rather not.") is None
