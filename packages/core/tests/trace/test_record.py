"""The models of a trace's lines."""

import pytest
from pydantic import ValidationError

from skyfall_crl.trace import TRACE_VERSION, Provenance, TraceRow

PUBLISHED = """v kind step world world_time episode phase regime_id regime_identity drift_progress reward
reward_terms terminated truncated action outcome policy_version wall_ms"""


def test_four_fields_alone_are_a_valid_row_and_the_others_have_their_defaults():
    row = TraceRow.model_validate({"step": 4, "regime_id": "A", "regime_identity": "A", "reward": 0.5})

    assert (row.v, row.kind, row.world, row.episode, row.phase) == (0, "step", "w0", 0, "train")


def test_every_field_of_a_row_is_documented_and_in_its_published_order():
    fields = TraceRow.model_fields

    assert [name for name in fields if name != "reward_invalid"] == PUBLISHED.split()
    assert all(field.description for field in fields.values())


def test_what_a_plugin_adds_is_kept():
    assert TraceRow.model_validate({"step": 0, "tickets": 3}).model_extra == {"tickets": 3}


@pytest.mark.parametrize(
    "wrong",
    [{"step": -1}, {"phase": "dream"}, {"reward": "high"}, {"drift_progress": 1.5}, {"reward_invalid": "x"}],
)
def test_a_field_outside_its_range_is_refused(wrong):
    with pytest.raises(ValidationError):
        TraceRow.model_validate({"step": 0, **wrong})


def test_the_first_line_needs_nothing_and_keeps_everything():
    header = Provenance.model_validate({"kind": "provenance", "seed": 3, "note": "x"})

    assert (header.v, header.seed, header.model_extra) == (TRACE_VERSION, 3, {"note": "x"})
    assert all(field.description for name, field in Provenance.model_fields.items() if name != "kind")
    with pytest.raises(ValidationError):
        Provenance.model_validate({"kind": "step"})
