"""Every public name and every rule of the adapter's API page, with the tests that show it."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
HERE = "skyfall_crl.env.morpheus"

NAMES: dict[str, tuple[str, ...]] = {
    "morpheus_env:MorpheusEnv": (
        *("owns_world", "reward_spec", "regime_id", "reset", "step", "describe", "close"),
        *("observation_space", "action_space", "apply_regime"),
    ),
    "observation:PRIORITIES": (),
    "observation:OPEN_STATUSES": (),
    "observation:ObservedTicket": ("from_payload",),
    "observation:ObservationProjector": ("space", "project"),
    "observation:normalize_tickets": (),
    "action:ALLOWED_METHODS": (),
    "action:DEFAULT_DOMAINS": (),
    "action:ToolCall": ("resolved",),
    "action:ActionOutcome": (),
    "action:ActionScope": ("judge",),
    "action:parse_tool_call": (),
    "action:extract_ticket_ids": (),
    "taskview:TaskView": ("to_tool_call", "parse_action", "touched_tickets"),
    "taskview:ToolCallTaskView": ("to_tool_call", "parse_action", "touched_tickets"),
    "economics:FinancialState": (),
    "vector:PersistentVectorEnv": ("reset", "step", "close", "metadata"),
    "ports:BackendError": (),
    "ports:MorpheusBackend": (
        *("create_world", "reset_world", "get_tasks", "close", "fetch"),
        *("get_action_space", "act", "set_chaos", "verify"),
    ),
    "factory:morpheus_world": (),
    "regime:ConstantRegime": (),
    "regime:Regime": ("identity", "select", "exclude"),
    "regime:RegimeProvider": ("at",),
    "regime:RegimeSchedule": ("at", "from_mapping", "from_yaml"),
    "regime:ScheduledRegime": ("at",),
    "http_backend:HttpBackend": (
        *("create_world", "observe", "get_tasks", "fetch", "close", "get_action_space", "act", "set_chaos"),
        *("reset_world", "verify"),
    ),
}

RULES: dict[str, list[str]] = json.loads(Path(__file__).with_name("rules.json").read_text())
"""Each rule in our words, with the tests that show it as `file::test` below the folder of tests."""


def test_every_public_name_is_where_the_page_says_it_is() -> None:
    for name, attributes in NAMES.items():
        module, _, symbol = name.partition(":")
        found: Any = getattr(import_module(f"{HERE}.{module}"), symbol)
        missing = [attribute for attribute in attributes if not hasattr(found, attribute)]
        assert not missing or set(missing) <= set(getattr(found, "__annotations__", ())) | INSTANCE_ONLY


INSTANCE_ONLY = {"observation_space", "action_space"}
"""Attributes that every Gymnasium environment gets when it is built."""


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """The tests pytest finds in the files the table names, without their parameters."""
    named = {TESTS / test.partition("::")[0] for tests in RULES.values() for test in tests}
    files = sorted(str(file) for file in named if file.exists())
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(TESTS), *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize(
    ("rule", "tests"), [pytest.param(rule, tests, id=rule[:60]) for rule, tests in RULES.items()]
)
def test_every_rule_is_shown_by_tests_that_exist(rule: str, tests: list[str], collected: set[str]) -> None:
    assert tests
    missing = [test for test in tests if test not in collected]
    assert not missing, f"{rule}: {missing}"
