"""What plugins are told of a run, and what becomes of their failures."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.registry import HookFailure, Lifecycle
from skyfall_crl.registry.hookspecs import LIFECYCLE

LISTENER = """
heard = []

@hookimpl
def skyfall_crl_run_started(run):
    heard.append(("started", run))

@hookimpl
def skyfall_crl_run_finished(environment, policy):
    heard.append(("finished", environment, policy))
"""
MUTATOR = """
@hookimpl
def skyfall_crl_run_started(run):
    run["seeds"].append(1)

@hookimpl
def skyfall_crl_window_collected(window):
    window["steps"] = 0
"""
QUITTER = """
@hookimpl
def skyfall_crl_run_started(run):
    raise SystemExit("no\\nlicence")
"""


@pytest.mark.usefixtures("here")
def test_every_plugin_is_told_although_another_fails(install_plugin: Callable[..., None]) -> None:
    """Failures come back in name order, one line each, and nothing is raised."""
    install_plugin("alpha", QUITTER)
    install_plugin("middle", MUTATOR)
    install_plugin("omega", LISTENER)
    lifecycle = Lifecycle.load()
    failures = lifecycle.run_started({"id": "r1", "seeds": [0]})
    assert [(failure.plugin, failure.hook) for failure in failures] == [
        ("alpha", "skyfall_crl_run_started"),
        ("middle", "skyfall_crl_run_started"),
    ]
    assert failures[0].error == "SystemExit: no licence"
    assert sys.modules["omega_plugin"].heard == [("started", {"id": "r1", "seeds": (0,)})]


@pytest.mark.usefixtures("here")
def test_a_hook_can_not_change_what_it_is_told(install_plugin: Callable[..., None]) -> None:
    """Mappings and lists are frozen, however deep."""
    install_plugin("middle", MUTATOR)
    run: dict[str, Any] = {"seeds": [0]}
    window: dict[str, Any] = {"steps": 64}
    lifecycle = Lifecycle.load()
    assert "AttributeError" in lifecycle.run_started(run)[0].error
    assert "TypeError" in lifecycle.window_collected(run, window)[0].error
    assert (run, window) == ({"seeds": [0]}, {"steps": 64})


@pytest.mark.usefixtures("here")
def test_the_end_of_a_run_hands_over_the_live_objects(install_plugin: Callable[..., None]) -> None:
    """An exporter needs the policy itself; a hook takes only the arguments it names."""
    install_plugin("omega", LISTENER)
    environment, policy = object(), object()
    assert list(Lifecycle.load().run_finished({}, environment, policy)) == []
    assert sys.modules["omega_plugin"].heard == [("finished", environment, policy)]


@pytest.mark.usefixtures("here")
def test_broken_plugins_are_recorded_once_at_the_start(install_plugin: Callable[..., None]) -> None:
    """The run goes on without them."""
    install_plugin("broken", "raise RuntimeError('no\\nway')")
    failures = Lifecycle.load().load_failures
    assert HookFailure("broken", "load", "RuntimeError: no way") in failures


def test_without_plugins_nothing_is_touched() -> None:
    """A call that nobody listens to doesn't even look at its arguments."""

    class Untouchable(dict[str, object]):
        def items(self) -> Any:
            raise AssertionError("looked at")

    lifecycle = Lifecycle([])
    assert list(lifecycle.window_collected(Untouchable(), Untouchable())) == []
    assert list(lifecycle.regime_shifted(Untouchable(), Untouchable())) == []


@pytest.mark.usefixtures("here")
def test_ctrl_c_inside_a_hook_ends_the_run(install_plugin: Callable[..., None]) -> None:
    """The user's wish to stop is never swallowed."""
    install_plugin("alpha", "@hookimpl\ndef skyfall_crl_regime_shifted(shift):\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        Lifecycle.load().regime_shifted({}, {})


def test_every_hook_of_a_run_has_its_method() -> None:
    """A hook that is declared can be called."""
    assert all(hasattr(Lifecycle, hook.removeprefix("skyfall_crl_")) for hook in LIFECYCLE)
