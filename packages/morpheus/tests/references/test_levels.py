"""The published levels: what they say, and when they apply."""

from typing import Any

import pytest

from skyfall_crl.env.morpheus.references.published import levels, published
from skyfall_crl.env.morpheus.simulation import layout_named

DESIGN = {
    "do_nothing": (0.069, 0.111, 0.139),
    "random": (0.090, 0.126, 0.146),
    "hand_rule": (0.194, 0.190, 0.197),
    "look_then_fix": (0.247, 0.292, 0.297),
    "counting_rule": (0.570, 0.569, 0.570),
    "informed": (0.574, 0.574, 0.575),
    "sighted": (0.585, 0.585, 0.585),
    "bound": (0.593, 0.593, 0.593),
}
NAMES = tuple(DESIGN)


@pytest.mark.parametrize("name", NAMES)
def test_published_levels_are_those_the_world_was_designed_for(name: str) -> None:
    table = published()["process-outbound"]
    for configuration, expected in zip("ABC", DESIGN[name], strict=True):
        assert table.configurations[configuration][name].mean == pytest.approx(expected, abs=0.02)


def test_the_table_says_how_it_was_measured() -> None:
    table = published()["process-outbound"]
    layout = layout_named("process-outbound")
    assert (table.version, table.layout_version) == (1, layout.version)
    assert len(table.seeds) == 30
    assert table.steps == 2_500
    assert table.reward == dict(layout.reward)
    for rows in table.configurations.values():
        assert rows.keys() == set(NAMES)
        assert all(0 < row.half_width < 0.01 and len(row.digest) == 64 for row in rows.values())


@pytest.mark.parametrize("layout", published())
def test_the_references_are_in_order_with_disjoint_intervals_where_it_matters(layout: str) -> None:
    for rows in published()[layout].configurations.values():
        low = {name: row.mean - row.half_width for name, row in rows.items()}
        high = {name: row.mean + row.half_width for name, row in rows.items()}
        assert rows["bound"].mean >= rows["sighted"].mean >= rows["informed"].mean
        assert low["informed"] > high["hand_rule"]
        assert low["hand_rule"] > high["random"]
        assert rows["do_nothing"].mean <= high["random"]


def test_on_the_evidence_level_counting_stays_behind_and_counting_by_kind_between() -> None:
    for rows in published()["process-outbound/evidence"].configurations.values():
        low = {name: row.mean - row.half_width for name, row in rows.items()}
        high = {name: row.mean + row.half_width for name, row in rows.items()}
        assert high["counting_rule"] < low["trait_counting_rule"]
        assert high["trait_counting_rule"] < low["informed"]
        span = rows["informed"].mean - rows["random"].mean
        assert (rows["counting_rule"].mean - rows["random"].mean) / span < 0.7


def test_both_levels_of_outbound_are_worth_the_same_to_whoever_does_not_count() -> None:
    plain, level = published()["process-outbound"], published()["process-outbound/evidence"]
    for at, rows in plain.configurations.items():
        for name in ("do_nothing", "look_then_fix", "informed", "sighted", "bound"):
            assert rows[name].mean == level.configurations[at][name].mean


B = layout_named("process-outbound").configurations[1]


@pytest.mark.parametrize(
    ("axes", "configuration"),
    [
        ({}, "A"),
        ({"cause_mix": "A"}, "A"),
        ({"cause_mix": "B", "payment_terms": "B"}, "B"),
        ({"cause_mix": "C", "payment_terms": "C", "demand": 0.7, "fault_probability": 0.15}, "C"),
        ({"cause_mix": [list(row) for row in B.cause_mix], "payment_terms": list(B.late_rates)}, "B"),
    ],
)
def test_levels_are_given_where_the_axes_are_those_of_a_configuration(
    axes: dict[str, Any], configuration: str
) -> None:
    rows = published()["process-outbound"].configurations[configuration]
    assert levels("process-outbound", axes) == {name: row.mean for name, row in rows.items()}
    assert levels(layout_named("process-outbound"), axes) == levels("process-outbound", axes)


@pytest.mark.parametrize(
    "axes",
    [
        {"cause_mix": "B"},
        {"cause_mix": "B", "payment_terms": "B", "demand": 0.8},
        {"cause_mix": "A", "fault_probability": 0.2},
        {"fault_probability": [0.15] * 6 + [0.2]},
        {"reward_weights": {"remediation": 1}},
        {"cause_mix": "nonsense"},
    ],
)
def test_nothing_is_claimed_for_axes_nobody_measured(axes: dict[str, Any]) -> None:
    assert levels("process-outbound", axes) == {}


def test_nothing_is_claimed_for_a_layout_nobody_measured() -> None:
    assert levels("process-sideways", {}) == {}
