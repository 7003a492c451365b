"""The parts of a layout fit together, and its numbers keep effort scarce."""

from statistics import fmean

import pytest

from skyfall_crl.env.morpheus.action import DEFAULT_DOMAINS
from skyfall_crl.env.morpheus.simulation import layout_named, layout_names
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.templates import ENTITY_IDS

pytestmark = pytest.mark.floor

WIRE_TYPES = (
    "data_corruption",
    "dependency_failure",
    "duplicate_data",
    "format_change",
    "invalid_state",
    "missing_data",
    "partial_data",
    "permission_denied",
    "rate_limit",
    "stale_data",
    "timing_issue",
)


def test_every_symptom_has_a_remedy_and_a_sign_for_each_cause(layout: Layout) -> None:
    stages = [symptom.stage for symptom in layout.symptoms]
    assert len(set(stages)) == len(stages)
    for symptom in layout.symptoms:
        assert len(symptom.causes) == len(symptom.remedies) == len(symptom.candidates) == layout.causes
        assert len(set(symptom.candidates)) == layout.causes
        assert symptom.duration_steps > 0
        assert symptom.failure_type in WIRE_TYPES


def test_a_symptom_shows_itself_in_two_records_that_are_read_in_open_domains(layout: Layout) -> None:
    for symptom in layout.symptoms:
        first, second = symptom.evidence
        assert first.path != second.path
        for evidence in symptom.evidence:
            assert evidence.entity in ENTITY_IDS
            assert evidence.path.split("/")[2] in DEFAULT_DOMAINS


def test_a_remedy_has_one_name_and_no_two_are_the_same_operation(layout: Layout) -> None:
    remedies = [remedy for symptom in layout.symptoms for remedy in symptom.remedies]
    assert len({remedy.name for remedy in remedies}) == len(remedies)
    assert len({(r.method, r.path, *sorted(r.fields)) for r in remedies}) == len(remedies)
    assert all(remedy.path.split("/")[2] in DEFAULT_DOMAINS for remedy in remedies)


def test_one_path_leads_to_one_kind_of_entity(layout: Layout) -> None:
    kinds: dict[str, str] = {}
    for symptom in layout.symptoms:
        for evidence in symptom.evidence:
            assert kinds.setdefault(evidence.path, evidence.entity) == evidence.entity


def test_configurations_differ_in_the_likely_cause_of_every_symptom_and_in_what_is_late(
    layout: Layout,
) -> None:
    count = len(layout.symptoms)
    assert [configuration.name for configuration in layout.configurations] == ["A", "B", "C"]
    for symptom in range(count):
        likely = []
        for configuration in layout.configurations:
            mix = configuration.cause_mix[symptom]
            assert abs(fmean(mix) * len(mix) - 1) < 1e-9
            likely.append(mix.index(max(mix)))
        assert len(set(likely)) == layout.causes
    for configuration in layout.configurations:
        assert abs(fmean(configuration.late_rates) - 1) < 1e-9
    assert len({configuration.late_rates for configuration in layout.configurations}) == 3


def test_effort_suffices_for_who_knows_the_configuration_and_not_for_who_tries_or_looks(
    layout: Layout,
) -> None:
    faults = layout.demand * len(layout.symptoms) * layout.fault_probability
    for configuration in layout.configurations:
        attempts = fmean(
            sum((place + 1) * chance for place, chance in enumerate(sorted(mix, reverse=True)))
            for mix in configuration.cause_mix
        )
        assert faults * attempts <= 0.95
    assert faults * (1 + layout.causes) / 2 >= 1.2
    assert faults * (1 + layout.look_steps) >= 1.2


def test_layouts_are_processes_of_their_own() -> None:
    layouts = [layout_named(name) for name in layout_names() if "/" not in name]
    assert len({layout.title for layout in layouts}) == len(layouts)
    assert len({tuple(symptom.duration_steps for symptom in layout.symptoms) for layout in layouts}) == len(
        layouts
    )
    assert len({len(layout.symptoms) for layout in layouts}) == len(layouts)
