"""The layout of outbound logistics: its numbers, and that its parts fit together."""

import pytest

from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names
from skyfall_crl.ports.errors import ConfigError


def test_the_configurations_rotate_the_causes_and_move_the_expensive_stages(layout: Layout) -> None:
    a, b, c = layout.configurations
    assert a.cause_mix[0] == (0.85, 0.1125, 0.0375)
    assert a.cause_mix[1] == b.cause_mix[0] == (0.0375, 0.85, 0.1125)
    assert c.cause_mix[0] == (0.1125, 0.0375, 0.85)
    for k, configuration in enumerate((a, b, c)):
        hot = {2 * k % 7, (2 * k + 1) % 7}
        assert {s for s, rate in enumerate(configuration.late_rates) if rate > 1} == hot
        assert sum(configuration.late_rates) == pytest.approx(7)
        assert max(configuration.late_rates) == pytest.approx(4 * min(configuration.late_rates))


def test_the_likely_cause_of_a_symptom_differs_in_every_configuration(layout: Layout) -> None:
    for symptom in range(len(layout.symptoms)):
        likely = [mix.cause_mix[symptom].index(0.85) for mix in layout.configurations]
        assert sorted(likely) == [0, 1, 2]


def test_stages_durations_and_wire_types_are_those_of_the_process(layout: Layout) -> None:
    stages = [(symptom.stage, symptom.duration_steps, symptom.failure_type) for symptom in layout.symptoms]
    assert stages == [
        ("allocate", 2, "partial_data"),
        ("pick", 3, "stale_data"),
        ("pack", 2, "format_change"),
        ("tender", 4, "dependency_failure"),
        ("deliver", 24, "timing_issue"),
        ("invoice", 2, "data_corruption"),
        ("collect", 48, "missing_data"),
    ]
    assert layout.symptoms[layout.delivered_after].stage == "deliver"
    assert layout.priority_weights == (0.25, 0.5, 0.75, 1.0)
    assert layout.steps_per_day == 48


def test_every_symptom_has_a_remedy_and_a_sign_for_each_cause(layout: Layout) -> None:
    for symptom in layout.symptoms:
        assert len(symptom.causes) == len(symptom.remedies) == len(symptom.candidates) == layout.causes
        assert len({remedy.name for remedy in symptom.remedies}) == layout.causes
        assert symptom.evidence[0].entity != symptom.evidence[1].entity


def test_an_unknown_layout_is_a_config_error_that_names_the_known_ones() -> None:
    assert layout_names()[:2] == ("process-outbound", "process-inbound")
    with pytest.raises(ConfigError, match=r"expected one of process-outbound, .*, found 'process-outbond'"):
        layout_named("process-outbond")
