"""The schedules of the shipped examples: worlds take their axes, and drifts pass through the configurations."""

from pathlib import Path
from typing import Any

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").glob("*.yaml"))


def schedules() -> dict[str, tuple[str, Any]]:
    """Return layout and regimes of each example of an embedded world that is scheduled, by file name."""
    yaml = pytest.importorskip("yaml", reason="PyYAML isn't installed here")
    found = {}
    for path in EXAMPLES:
        document = yaml.safe_load(path.read_text("utf-8"))
        if document.get("env", {}).get("id") == "morpheus/world":
            schedule = document["regime"]["params"]["schedule"]
            found[path.stem] = (document["env"]["kwargs"]["layout"], schedule)
    return found


def test_worlds_take_the_axes_of_every_regime() -> None:
    """A regime that a world refused would end a run at its first shift."""
    axes = pytest.importorskip("skyfall_crl.env.morpheus.simulation.axes", reason="the adapter isn't here")
    layouts = pytest.importorskip("skyfall_crl.env.morpheus.simulation.layouts")
    shown = schedules()
    assert {"quickstart", "outbound-drift", "evidence-cyclic", "evidence-drift"} <= shown.keys()
    for layout_name, schedule in shown.values():
        layout = layouts.layout_named(layout_name)
        for regime in schedule["regimes"]:
            given = regime.get("axes", {})
            read = axes.completed(layout, given)
            assert given.items() <= read.items()
            assert axes.conditions(layout, read)


@pytest.mark.parametrize("stem", ["outbound-drift", "evidence-drift"])
def test_a_drift_passes_through_the_configurations_and_comes_back(stem: str) -> None:
    """Numbers that are eased can't be named, so they are copied, and a copy can go wrong."""
    layouts = pytest.importorskip("skyfall_crl.env.morpheus.simulation.layouts")
    layout_name, schedule = schedules()[stem]
    *passed, last = schedule["regimes"]
    configurations = layouts.layout_named(layout_name).configurations
    for regime, configuration in zip(passed, configurations, strict=True):
        assert regime["regime_id"] == configuration.name
        assert regime["axes"]["cause_mix"] == [list(row) for row in configuration.cause_mix]
        assert regime["axes"]["payment_terms"] == list(configuration.late_rates)
    assert last["alias_of"] == configurations[0].name
