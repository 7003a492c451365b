"""A broken plugin is one line of text; everything else goes on working."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from skyfall_crl.registry import PluginError, load, resolve
from skyfall_crl.registry.overview import overview

GOOD = """
@hookimpl
def skyfall_crl_task_views():
    return {"view": Ref("collections:OrderedDict", "an ordered one")}
"""
BROKEN = {
    "missing module": ("import not_installed_anywhere", "No module named 'not_installed_anywhere'"),
    "exit at import": ("raise SystemExit('licence\\nexpired')", "SystemExit: licence expired"),
    "misspelt hook": ("@hookimpl\ndef skyfall_crl_enviroments():\n    return {}", "skyfall_crl_enviroments"),
    "argument of the future": (
        "@hookimpl\ndef skyfall_crl_environments(tenant):\n    return {}",
        "hook argument|Argument.*tenant",
    ),
    "not a mapping": (
        "@hookimpl\ndef skyfall_crl_policies():\n    return ['x']",
        "skyfall_crl_policies must return a mapping of names to Refs, not list",
    ),
    "not a name": (
        "@hookimpl\ndef skyfall_crl_policies():\n    return {3: Ref('a:b', 'c')}",
        "skyfall_crl_policies must name things with strings, not int 3",
    ),
    "not a Ref": (
        "@hookimpl\ndef skyfall_crl_policies():\n    return {'x': 'a:b'}",
        "skyfall_crl_policies must give a Ref for 'x', not str 'a:b'",
    ),
    "hook that raises": (
        "@hookimpl\ndef skyfall_crl_sinks():\n    raise RuntimeError('one\\ntwo')",
        "RuntimeError: one two",
    ),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("source", "expected"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_plugin_is_one_line_and_its_neighbours_work(
    source: str, expected: str, install_plugin: Callable[..., None]
) -> None:
    """The line names the cause; asking for an id of the plugin says the same and ends with 2."""
    install_plugin("broken", source)
    install_plugin("good", GOOD)
    rows = {row.name: row for row in overview()}
    failure = rows["broken"].failure
    assert failure is not None
    assert len(failure.splitlines()) == 1
    with pytest.raises(PluginError, match=expected) as caught:
        resolve("environments", "broken/anything")
    assert caught.value.exit_code == 2
    assert "broken-plugin 1.0" in str(caught.value)
    assert (rows["broken"].state, rows["good"].state, rows["builtin"].state) == ("failed", "ok", "ok")
    assert load("task_views", "view") is load("task_views", "good/view")


@pytest.mark.usefixtures("here")
def test_two_distributions_with_one_name_are_both_named(install_plugin: Callable[..., None]) -> None:
    """Neither wins; the user decides which to remove."""
    install_plugin("clash", GOOD, distribution="first-dist")
    install_plugin("clash", GOOD, distribution="second-dist", version="2.0", module="other")
    with pytest.raises(
        PluginError, match=r"claimed by first-dist 1\.0 and second-dist 2\.0; uninstall all but"
    ):
        resolve("task_views", "clash/view")
    (row,) = (row for row in overview() if row.name == "clash")
    assert (row.state, row.distribution) == ("failed", "first-dist, second-dist")


@pytest.mark.usefixtures("here")
def test_a_plugin_for_another_core_is_refused_before_it_is_imported(
    install_plugin: Callable[..., None],
) -> None:
    """Installers can be told to ignore ranges, so the range is checked again."""
    install_plugin("late", "raise RuntimeError('imported')", requires=("skyfall-crl>=7.1,<7.2",))
    with pytest.raises(PluginError, match=r"needs skyfall-crl[<>=0-9.,]+ and 1\.0\.0 is running"):
        resolve("task_views", "late/view")


@pytest.mark.usefixtures("here")
def test_ctrl_c_while_a_plugin_loads_is_not_a_broken_plugin(install_plugin: Callable[..., None]) -> None:
    """The user's wish to stop is never swallowed."""
    install_plugin("slow", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        overview()


def test_every_kind_of_broken_plugin_at_once_leaves_the_commands_alive(
    install_plugin: Callable[..., None], run_command: Callable[..., CompletedProcess[str]]
) -> None:
    """The list has a line each and exit code 0; another plugin's command still runs."""
    for number, (source, _) in enumerate(BROKEN.values()):
        install_plugin(f"broken{number}", source)
    install_plugin("clash", GOOD, distribution="first-dist")
    install_plugin("clash", GOOD, distribution="second-dist", module="other")
    install_plugin(
        "good",
        """
def configure(parser):
    parser.set_defaults(run=lambda arguments: print("hello") or 7)

@hookimpl
def skyfall_crl_commands():
    return {"greet": Ref("good_plugin:configure", "say hello")}
""",
    )
    listed = run_command("plugins", "list")
    states = {line.split()[0]: line.split() for line in listed.stdout.splitlines()}
    assert listed.returncode == 0
    assert len(states) == len(listed.stdout.splitlines())
    assert all("failed" in states[f"broken{number}"] for number in range(len(BROKEN)))
    assert "failed" in states["clash"]
    greeted = run_command("greet")
    assert (greeted.returncode, greeted.stdout) == (7, "hello\n")
    refused = run_command("broken0")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: plugin: plugin 'broken0' (broken0-plugin 1.0) can't be used: ")
    assert len(refused.stderr.splitlines()) == 1
