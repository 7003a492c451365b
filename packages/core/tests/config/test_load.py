"""Reading run documents."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.config import load_config, parse_config
from skyfall_crl.ports.errors import ConfigError

MINIMAL = """
env: {id: CartPole-v1}
policy: {id: random}
run: {steps: 10}
"""


@pytest.fixture
def write(tmp_path: Path):
    def written(text: str, name: str = "run.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_a_minimal_document_gets_the_documented_defaults(write) -> None:
    config = load_config(write(MINIMAL))
    assert (config.run.window_steps, config.run.num_envs, config.run.seed) == (64, 1, 0)
    assert (config.regime.provider, config.regime.notify, config.regime.on_mismatch) == (
        "constant",
        "hidden",
        "stop",
    )
    assert config.algorithm is None


def test_the_resolved_document_reads_back_as_the_same_config(write) -> None:
    config = load_config(write(MINIMAL), ["run.seed=7", "regime.params.regime=A"])
    assert parse_config(config.to_document(), source="again") == config


def test_overrides_reach_into_mappings_and_lists(write) -> None:
    text = MINIMAL + (
        "regime: {provider: scheduled, params: {schedule: {shift_mode: cyclic, regimes: "
        "[{regime_id: A, duration_steps: 5}, {regime_id: B, duration_steps: 5}]}}}"
    )
    config = load_config(
        write(text), ["regime.params.schedule.regimes.1.duration_steps=9", "env.kwargs.length=0.5"]
    )
    assert config.regime.params["schedule"]["regimes"][1]["duration_steps"] == 9
    assert config.env.kwargs == {"length": 0.5}


def test_a_schedule_file_is_read_beside_the_document_and_becomes_part_of_it(write) -> None:
    write("{shift_mode: cyclic, regimes: [{regime_id: A, duration_steps: 3}]}", "drift.yaml")
    path = write(MINIMAL + "regime: {provider: scheduled, params: {schedule: drift.yaml}}")
    assert load_config(path).regime.params["schedule"]["regimes"] == [{"regime_id": "A", "duration_steps": 3}]


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        (MINIMAL + "evn: {}", "evn", "did you mean 'env'"),
        (MINIMAL.replace("steps: 10", "stepz: 10"), "run.stepz", "did you mean 'steps'"),
        (MINIMAL.replace("steps: 10", "steps: ten"), "run.steps", "expected a whole number, found 'ten'"),
        (MINIMAL.replace("steps: 10", "steps: -3"), "run.steps", "found -3"),
        (MINIMAL.replace("steps: 10", "steps: true"), "run.steps", "expected a whole number, found True"),
        (MINIMAL.replace("policy: {id: random}", ""), "policy", "found nothing"),
        (MINIMAL.replace("{id: random}", "random"), "policy", "expected a mapping, found 'random'"),
        (MINIMAL + "sinks: {a: 1}", "sinks", "expected a list, found a mapping"),
        (MINIMAL + "regime: {notify: loud}", "regime.notify", "'hidden', 'signal' or 'label'"),
        (MINIMAL + "export: {bundle: true}", "export", "install skyfall-crl-serve"),
        (MINIMAL + "metrics: {rho: 2}", "metrics.rho", "found 2"),
        (
            MINIMAL + "regime: {provider: scheduled, params: {schedule: {regimes: []}}}",
            "regime.params.schedule",
            "regimes",
        ),
        (
            MINIMAL + "regime: {provider: scheduled, params: {schedule: {regimes: "
            "[{regime_id: A, duration_steps: 1}, {regime_id: A}]}}}",
            "regime.params.schedule",
            "'A' again",
        ),
        (
            MINIMAL + "regime: {provider: scheduled, params: {schedule: {regimes: "
            "[{regime_id: A, duration_steps: -1}, {regime_id: B}]}}}",
            "regime.params.schedule",
            "-1",
        ),
        ("- a\n- b\n", "", "expected a mapping of sections, found a list"),
        ("", "", "expected a mapping of sections"),
        ("a: [", "", ""),
    ],
)
def test_a_mistake_is_one_line_with_file_key_path_expected_and_found(
    write, text: str, key: str, said: str
) -> None:
    path = write(text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(str(path))
    assert key in line
    assert said in line
    assert caught.value.exit_code == 2


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.yaml"):
        load_config(tmp_path / "nothing.yaml")


@pytest.mark.parametrize("word", ["run.steps", "=3", "run..steps=3", ".=1"])
def test_an_override_without_key_and_value_is_refused(write, word: str) -> None:
    with pytest.raises(ConfigError, match=r"key\.path=value"):
        load_config(write(MINIMAL), [word])


def test_an_override_through_a_plain_value_of_a_list_is_refused(write) -> None:
    with pytest.raises(ConfigError, match="index from 0 to 0"):
        load_config(write(MINIMAL + "sinks: [{id: a}]"), ["sinks.4.id=b"])


@given(
    st.dictionaries(
        st.text(max_size=6), st.recursive(st.none() | st.integers() | st.text(), st.lists), max_size=4
    )
)
def test_no_document_gets_anything_but_a_config_or_a_config_error(document: dict) -> None:
    with pytest.raises(ConfigError, match=r"^generated"):
        parse_config(document, source="generated")


def test_a_number_of_worlds_that_no_machine_holds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    path.write_text("env: {id: x}\npolicy: {id: y}\nrun: {steps: 1, num_envs: 100000000}\n")
    with pytest.raises(ConfigError, match=r"run\.num_envs.*4096"):
        load_config(path)
