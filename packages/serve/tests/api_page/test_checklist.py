"""Every public name and every rule of the API page of export and serving, with the tests that show it."""

import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
HERE = "skyfall_crl.serve"

NAMES: dict[str, tuple[str, ...]] = {
    "bundle:MANIFEST_NAME": (),
    "bundle:CHECKPOINT_DIRNAME": (),
    "bundle:MissingCheckpoint": (),
    "bundle:WeightsFormat": ("CHECKPOINT", "WEIGHTS"),
    "bundle:PolicyRef": ("model_config", "id", "kwargs", "format", "checkpoint", "external"),
    "bundle:Bundle": (
        *("model_config", "version", "policy", "observation_space", "action_space", "reward_spec", "env"),
        *("regime", "run", "provenance", "from_dict", "to_dict", "from_yaml", "to_yaml", "save", "load"),
        *("observation", "action", "reward", "checkpoint_path"),
    ),
    "bundle:export_bundle": (),
    "runner:ServeResult": ("trace_path", "steps", "total_reward", "regimes", "provenance"),
    "runner:load_policy": (),
    "runner:build_environment": (),
    "runner:serve": (),
    "spaces:UnsupportedSpace": (),
    "spaces:space_to_dict": (),
    "spaces:space_from_dict": (),
}
REQUIRED = "required"
PARAMETERS: dict[str, dict[str, Any]] = {
    "bundle:export_bundle": {
        "destination": REQUIRED,
        "env": REQUIRED,
        "algorithm": None,
        "policy_id": None,
        "policy_kwargs": None,
        "env_id": None,
        "env_kwargs": None,
        "reward_spec": None,
        "regime": None,
        "run": None,
        "external_checkpoint": None,
    },
    "runner:serve": {
        "directory": REQUIRED,
        "steps": 100,
        "env": None,
        "trace_path": None,
        "window_steps": 64,
        "auto_reset": False,
        "seed": None,
        "env_kwargs": None,
        "regime": None,
        "use_recorded_regime": True,
        "trust": False,
    },
    "runner:load_policy": {"bundle": REQUIRED, "directory": REQUIRED, "trust": False},
    "runner:build_environment": {"bundle": REQUIRED, "trust": False, "overrides": REQUIRED},
    "spaces:space_to_dict": {"space": REQUIRED},
    "spaces:space_from_dict": {"data": REQUIRED},
}
POSITIONAL = {"destination", "directory", "bundle", "space", "data"}

RULES: dict[str, list[str]] = json.loads(Path(__file__).with_name("rules.json").read_text("utf-8"))
"""Each rule in our words, with the tests that show it as `file::test` below the folder of tests."""


def named(name: str) -> Any:
    """Return the object behind `module:name` of this portion."""
    module, _, symbol = name.partition(":")
    return getattr(import_module(f"{HERE}.{module}"), symbol)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_where_the_page_says_it_is(name: str) -> None:
    """With every attribute of the page."""
    found = named(name)
    fields = {**getattr(found, "__dataclass_fields__", {}), **getattr(found, "model_fields", {})}
    assert [
        attribute for attribute in NAMES[name] if not hasattr(found, attribute) and attribute not in fields
    ] == []


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_function_has_the_parameters_of_the_page(name: str) -> None:
    """In their order and with their defaults; others may follow, by name and with a default."""
    found = inspect.signature(named(name)).parameters
    wanted = PARAMETERS[name]
    assert [parameter for parameter in found if parameter in wanted] == list(wanted)
    for parameter in found.values():
        default = REQUIRED if parameter.default is parameter.empty else parameter.default
        if parameter.name in wanted:
            assert default == wanted[parameter.name], parameter
            by_position = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            assert by_position is (parameter.name in POSITIONAL), parameter
        else:
            assert parameter.kind is parameter.KEYWORD_ONLY, parameter
            assert default != REQUIRED, parameter


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """The tests pytest finds in the files the table names, without their parameters."""
    named_files = {TESTS / test.partition("::")[0] for tests in RULES.values() for test in tests}
    files = sorted(str(file) for file in named_files if file.exists())
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(TESTS), *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS, timeout=240)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize(
    ("rule", "tests"), [pytest.param(rule, tests, id=rule[:60]) for rule, tests in RULES.items()]
)
def test_every_rule_is_shown_by_tests_that_exist(rule: str, tests: list[str], collected: set[str]) -> None:
    """No rule without a test, and no test that isn't there."""
    assert tests
    missing = [test for test in tests if test not in collected]
    assert not missing, f"{rule}: {missing}"
