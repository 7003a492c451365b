"""What a matrix of levels says."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.metrics.formulas import FORMULAS, REASONS
from skyfall_crl.metrics.matrix import Level, PerformanceMatrix, score_matrix

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "matrix_golden.json").read_text())


def golden(beginning):
    (value,) = [value for name, value in GOLDEN.items() if name.startswith(beginning)]
    return value


def test_the_numbers_of_an_independent_program_come_out_again(matrix):
    found = score_matrix(matrix("ABC", [dict(zip("ABC", row, strict=True)) for row in GOLDEN["R"]]))
    expected = {
        "average_performance": golden("ACC"),
        "backward_transfer": golden("BWT"),
        "forward_transfer": golden("FWT"),
        "forgetting_max_final": golden("forgetting (Chaudhry"),
    }

    for name, value in expected.items():
        assert found.overall[name].value == pytest.approx(value, rel=0, abs=1e-9), name


def test_maintenance_compares_every_later_evaluation_with_the_one_after_learning(matrix):
    found = score_matrix(matrix("ABC", [{}, {"A": 0.9}, {"A": 0.7, "B": 0.8}, {"A": 0.6, "B": 0.9, "C": 1}]))

    assert found.identities["A"]["performance_maintenance"].value == pytest.approx(-0.25)
    assert found.identities["B"]["performance_maintenance"].value == pytest.approx(0.1)
    assert found.identities["C"]["performance_maintenance"].reason == "trained_last"
    assert found.overall["performance_maintenance"].value == pytest.approx(-0.075)


def test_an_identity_that_comes_back_is_measured_from_its_last_block(matrix):
    rows = [{"A": 0.1}, {"A": 0.9}, {"A": 0.2}, {"A": 0.8}, {"A": 0.5, "B": 0.4}]
    found = score_matrix(matrix("ABAB", rows)).identities["A"]

    assert found["backward_transfer"].value == pytest.approx(0.5 - 0.8)
    assert found["forgetting_max_final"].value == pytest.approx(0.9 - 0.5)
    assert found["performance_maintenance"].value == pytest.approx(((0.2 - 0.9) + (0.5 - 0.8)) / 2)


def test_the_first_and_the_last_trained_say_so(matrix):
    found = score_matrix(matrix("AB", [{"A": 0, "B": 0}, {"A": 1, "B": 0.5}, {"A": 1, "B": 1}])).identities

    assert found["A"]["forward_transfer"].reason == "trained_first"
    assert found["B"]["forward_transfer"].value == 0.5
    assert found["B"]["backward_transfer"].reason == "trained_last"
    assert found["B"]["forgetting_max_final"].reason == "trained_last"


def test_what_was_evaluated_and_never_trained_has_a_level_and_nothing_else(matrix):
    found = score_matrix(matrix("A", [{"A": 0, "B": 0}, {"A": 1, "B": 0.25}])).identities["B"]

    assert found["average_performance"].value == 0.25
    assert {score.reason for score in found.values()} == {None, "never_trained"}


def test_without_evaluations_every_value_is_missing(matrix):
    found = score_matrix(matrix("AB", [{}, {}, {}]))

    assert {score.reason for score in found.overall.values()} == {"no_evaluation"}


def test_one_block_is_no_shift(matrix):
    found = score_matrix(matrix("A", [{"A": 0.0}, {"A": 1.0}])).overall

    assert found.pop("average_performance").value == 1
    assert {score.reason for score in found.values()} == {"no_shift"}


def test_a_mean_that_lacks_an_identity_is_marked(matrix):
    found = score_matrix(matrix("ABC", [{}, {"A": 1}, {}, {"A": 0.5, "C": 1}])).overall

    assert (found["backward_transfer"].value, found["backward_transfer"].flags) == (
        -0.5,
        ("evaluations_missing",),
    )
    assert found["forward_transfer"].reason == "no_evaluation"


def test_levels_taken_too_early_or_without_all_rewards_mark_what_rests_on_them():
    rows = [{}, {"A": Level(0.5, early=True)}, {"A": Level(0.25, nulls=True)}]
    found = score_matrix(PerformanceMatrix(("A", "B"), rows)).identities["A"]

    assert found["backward_transfer"].flags == ("early_evaluation", "null_rewards")
    assert found["average_performance"].flags == ("null_rewards",)


identities = st.sampled_from("ABC")
level = st.integers(-8, 8).map(lambda eighths: eighths / 8)


@st.composite
def matrices(draw):
    trained = draw(st.lists(identities, min_size=1, max_size=5))
    stays = [name for place, name in enumerate(trained) if not place or trained[place - 1] != name]
    return stays, [draw(st.dictionaries(identities, level, max_size=3)) for _ in range(len(stays) + 1)]


def plain(scores, renamed=None):
    return {
        renamed.get(name, name) if renamed else name: {key: (s.value, s.reason) for key, s in found.items()}
        for name, found in scores.items()
    }


def of(trained, rows, change=lambda value: value, rename=lambda name: name):
    levels = [{rename(name): Level(change(value)) for name, value in row.items()} for row in rows]
    return score_matrix(PerformanceMatrix(tuple(map(rename, trained)), levels))


@given(matrices(), st.permutations("ABC"))
def test_the_names_of_identities_do_not_matter(drawn, names):
    renamed = dict(zip("ABC", names, strict=True))
    left, right = of(*drawn), of(*drawn, rename=renamed.__getitem__)

    assert plain(left.identities, renamed) == plain(right.identities)
    assert {n: s.value for n, s in left.overall.items()} == pytest.approx(
        {n: s.value for n, s in right.overall.items()}
    )


@given(matrices(), st.sampled_from([0.5, 2.0, 8.0]), st.sampled_from([-2.0, 0.0, 4.0]))
def test_differences_stretch_with_the_reward_and_do_not_move_with_it(drawn, scale, offset):
    left, right = of(*drawn), of(*drawn, change=lambda value: offset + scale * value)

    for name, found in left.identities.items():
        for metric, score in found.items():
            moved = offset if metric == "average_performance" else 0.0
            expected = None if score.value is None else pytest.approx(moved + scale * score.value)
            assert right.identities[name][metric].value == expected
            assert right.identities[name][metric].reason == score.reason


@given(matrices())
def test_every_score_has_a_value_or_a_reason_that_is_explained(drawn):
    found = of(*drawn)

    for scores in (found.overall, *found.identities.values()):
        for name, score in scores.items():
            assert name in FORMULAS
            assert (score.value is None) is (score.reason is not None)
            assert score.reason is None or score.reason in REASONS
