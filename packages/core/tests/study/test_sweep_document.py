"""What a sweep document may say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import ConfigError, CrlError
from skyfall_crl.study.sweep_document import read_sweep, seeds_of
from skyfall_crl.study.sweep_plan import SweepPlan, point_name

RANDOM = {"set": {"policy": {"id": "random"}, "algorithm": None}}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"seed": [1]}, r"seed: unknown key; did you mean 'seeds'\?"),
        ({"seeds": [-1]}, r"seeds"),
        ({"variants": {"a b": {}}}, r"variants: expected names of letters"),
        ({"variants": {"a": {}}, "bounds": {"upper": "a", "lower": "b"}}, r"bounds.lower: unknown name 'b'"),
        (
            {"variants": {"ppo": {}}, "reference": "pop"},
            r"reference: unknown name 'pop'; did you mean 'ppo'\?",
        ),
        ({"variants": {"a": {"weights": {"x": "p"}}}}, r"variants.a.weights.x: unknown name 'p'"),
        ({"variants": {"a": {"tune": {"x": [1]}}}}, r"variants.a.tune: expected a section `tune`"),
        ({"grid": {"run.steps": []}}, r"grid.run.steps: expected a list of at least one value"),
        ({"grid": {"run.steps": [8, 9, 8]}}, r"grid.run.steps: expected each value once, found 8 again"),
        ({"tune": {"seeds": [1, 7]}}, r"tune.seeds: expected seeds that are not reported, found 1 in both"),
        ({"tune": {"seeds": [7], "metric": "reward"}}, r"tune.metric: unknown name 'reward'"),
        ({"tune": {"seeds": [7], "fraction": 0}}, r"tune.fraction: expected greater than 0, found 0"),
        ({"scenarios": {"S1": {"without": ["x"]}}}, r"scenarios.S1.without: unknown name 'x'"),
        ({"checks": {"control": "S0"}}, r"checks.control: unknown name 'S0'"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(
    write_sweep: Callable[..., Path], keys: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        read_sweep(write_sweep(**keys))
    assert "sweep.yaml: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_in_a_runs_config_names_scenario_and_variant(write_sweep: Callable[..., Path]) -> None:
    path = write_sweep(scenarios={"S1": {}}, variants={"long": {"set": {"run.stepz": 4}}})
    with pytest.raises(ConfigError, match=r"sweep.yaml: S1, long: run.stepz: unknown key"):
        SweepPlan(read_sweep(path), path).reported({})


def test_an_unknown_id_is_an_error_before_anything_runs(write_sweep: Callable[..., Path]) -> None:
    path = write_sweep(variants={"a": {"set": {"algorithm.id": "pppo"}}})
    with pytest.raises(CrlError, match="pppo"):
        SweepPlan(read_sweep(path), path).check()


def test_runs_are_scenarios_times_variants_times_points_times_seeds(write_sweep: Callable[..., Path]) -> None:
    path = write_sweep(
        scenarios={"S0": {"seeds": [5]}, "S1": {"set": {"run.steps": 80}, "without": ["random"]}},
        variants={"random": RANDOM, "learner": {}},
        grid={"algorithm.kwargs.learning_rate": [0.1, 0.2]},
        bounds={"upper": "learner", "lower": "random"},
        seeds={"first": 3, "count": 2},
    )
    runs = SweepPlan(read_sweep(path), path).reported({})
    assert [run.directory for run in runs] == [
        "S0/random/seed-5",
        "S0/learner/seed-5",
        "S1/learner/seed-3",
        "S1/learner/seed-4",
    ]
    path = write_sweep(variants={"a": {}}, grid={"algorithm.kwargs.learning_rate": [0.1, 0.2]})
    runs = SweepPlan(read_sweep(path), path).reported({})
    assert [run.variant for run in runs] == ["a,learning_rate=0.1"] * 2 + ["a,learning_rate=0.2"] * 2
    assert {run.config.algorithm.kwargs["learning_rate"] for run in runs} == {0.1, 0.2}


def test_a_setting_of_one_variant_in_one_scenario_stays_there(write_sweep: Callable[..., Path]) -> None:
    path = write_sweep(
        scenarios={"S0": {}, "S1": {"set": {"run.steps": 80}, "variants": {"a": {"run.steps": 96}}}},
        variants={"a": {}, "b": {}},
        seeds=[0],
    )
    runs = {run.directory: run for run in SweepPlan(read_sweep(path), path).reported({})}
    steps = {name: run.config.run.steps for name, run in runs.items()}
    assert steps == {"S0/a/seed-0": 160, "S0/b/seed-0": 160, "S1/a/seed-0": 96, "S1/b/seed-0": 80}
    assert len({run.digest for run in runs.values()}) == 3


def test_points_with_equal_last_keys_or_odd_values_get_names_of_their_own() -> None:
    names = {
        point_name({"a.x": 1, "b.x": 2}),
        point_name({"a.x": 2, "b.x": 1}),
        point_name({"a.x": [1, 2]}),
        point_name({"a.x": "mlp/../x y"}),
        point_name({"a.x": "x" * 300}),
    }
    assert len(names) == 5
    assert all(len(name) < 90 and "/" not in name and " " not in name for name in names)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-2, 2),
    st.text(max_size=4),
    st.lists(st.integers(0, 2)),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(VALUES, min_size=2, max_size=2, unique_by=lambda value: msgspec.json.encode(value)))
def test_different_values_get_different_names(values: list[object]) -> None:
    names = {point_name({"a.x": value, "a.y": 1}) for value in values}
    assert len(names) == 2
    assert all(name == Path(name).name and not name.startswith(".") for name in names)


def test_seeds_are_taken_once(write_sweep: Callable[..., Path]) -> None:
    assert seeds_of([3, 1, 3]) == (3, 1)
    assert seeds_of(read_sweep(write_sweep(seeds={"count": 3})).seeds) == (0, 1, 2)
