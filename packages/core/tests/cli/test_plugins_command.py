"""`skyfall-crl plugins`: the list, and the check of one plugin."""

import json
from collections.abc import Callable
from subprocess import CompletedProcess

Command = Callable[..., CompletedProcess[str]]

ACME = """
@hookimpl
def skyfall_crl_environments():
    return {"world": Ref("collections:deque", "a world"), "moon": Ref("collections:deque", "another")}

@hookimpl
def skyfall_crl_policies():
    return {"cautious": Ref("collections:deque", "waits")}
"""


def test_the_list_has_a_line_for_each_plugin(
    install_plugin: Callable[..., None], run_command: Command
) -> None:
    """Name, distribution, version, state, and the ids by kind or what is wrong."""
    install_plugin("acme", ACME, distribution="acme-world", version="2.1")
    install_plugin("broken", "raise RuntimeError('one\\ntwo')")
    install_plugin("quiet", "")
    done = run_command("plugins", "list", SKYFALL_CRL_BLOCK_PLUGINS="quiet")
    lines = {line.split()[0]: " ".join(line.split()) for line in done.stdout.splitlines()}
    assert done.returncode == 0
    assert lines["acme"] == "acme acme-world 2.1 ok environments: moon, world; policies: cautious"
    assert lines["broken"] == "broken broken-plugin 1.0 failed RuntimeError: one two"
    assert lines["quiet"] == "quiet quiet-plugin 1.0 blocked blocked by SKYFALL_CRL_BLOCK_PLUGINS"
    assert lines["builtin"].startswith("builtin skyfall-crl 1.0.0 ok ")


def test_the_json_list_says_the_same_to_a_program(
    install_plugin: Callable[..., None], run_command: Command
) -> None:
    """One object a plugin, descriptions included."""
    install_plugin("acme", ACME, distribution="acme-world", version="2.1")
    install_plugin("broken", "raise RuntimeError('no')")
    done = run_command("plugins", "list", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["acme"] == {
        "name": "acme",
        "distribution": "acme-world",
        "version": "2.1",
        "state": "ok",
        "ids": {
            "environments": {"moon": "another", "world": "a world"},
            "policies": {"cautious": "waits"},
        },
        "failure": None,
    }
    assert (rows["broken"]["state"], rows["broken"]["failure"]) == ("failed", "RuntimeError: no")


def test_without_plugins_only_the_core_is_asked(
    install_plugin: Callable[..., None], run_command: Command
) -> None:
    """The others are still listed, with what keeps them out, and not imported."""
    install_plugin("acme", "import os; os._exit(9)")
    done = run_command("--no-plugins", "plugins", "list")
    lines = {line.split()[0]: " ".join(line.split()[-3:]) for line in done.stdout.splitlines()}
    assert done.returncode == 0
    assert lines["acme"] == "blocked by --no-plugins"


def test_a_plugin_that_keeps_the_rules_is_told_so(
    install_plugin: Callable[..., None], run_command: Command
) -> None:
    """Silence would leave the author guessing."""
    install_plugin("acme", ACME)
    done = run_command("plugins", "check", "acme")
    assert (done.returncode, done.stdout) == (0, "plugin 'acme' keeps the rules\n")


def test_a_broken_rule_is_one_line_and_a_failure(
    install_plugin: Callable[..., None], run_command: Command
) -> None:
    """A build can stop on the exit code."""
    install_plugin("acme", f"import numpy\n{ACME}")
    done = run_command("plugins", "check", "acme")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: plugin: plugin 'acme': importing acme_plugin brings in numpy")
    assert len(done.stderr.splitlines()) == 1


def test_checking_what_is_not_installed_is_a_mistake_in_the_request(run_command: Command) -> None:
    """It is told apart from a broken rule by its exit code."""
    done = run_command("plugins", "check", "amce")
    assert done.returncode == 2
    assert done.stderr.startswith("error: plugin: no plugin 'amce' is installed")
