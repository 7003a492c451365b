"""The checkers that `Ref`s name are run by `check_plugin` and `check`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skyfall_crl.registry.plugins import installed
from skyfall_crl.testing import ConformanceError, check, check_plugin

CHECKED = """
@hookimpl
def skyfall_crl_sinks():
    return {"file": Ref("acme_sink:Sink", "a sink", check="%s")}
"""


@pytest.fixture
def acme(install_plugin: Callable[..., None], site: Path) -> Callable[[str], None]:
    """Install a plugin with one sink, which breaks a rule, and a checker for it."""

    def install(checker: str) -> None:
        (site / "acme_sink.py").write_text(
            "class Sink:\n    def open(self, run): run['x'] = 1\n"
            "    def rows(self, batch): ...\n    def close(self, status): ...\n"
            "def stumble(factory): raise ValueError('two\\nlines')\n"
            "def leave(factory): raise SystemExit\n"
            "nothing = None\n"
        )
        install_plugin("acme", CHECKED % checker)

    return install


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("checker", "message"),
    [
        (
            "skyfall_crl.testing:check_sink",
            "open: expected it to return on a thread that didn't build the sink",
        ),
        ("acme_sink:stumble", "ValueError: two lines"),
        ("acme_sink:leave", "SystemExit: "),
        ("acme_sink:nothing", "its check acme_sink:nothing is not callable"),
    ],
)
def test_a_plugin_is_told_what_its_own_checkers_say(
    checker: str, message: str, acme: Callable[[str], None]
) -> None:
    """The message names the plugin, the kind and the id before it."""
    acme(checker)
    with pytest.raises(ConformanceError) as caught:
        check_plugin("acme")
    assert str(caught.value).startswith(f"plugin 'acme', sinks, 'file': {message}".strip())
    assert len(str(caught.value).splitlines()) == 1


IN_PAIRS = {
    "policies": {"scratch", "sb3-ppo", "sb3-recurrent-ppo"},
    "algorithms": {"latent-context", "scratch", "sb3-ppo", "sb3-recurrent-ppo"},
    "regime_providers": set(),
}
"""What works only with a part of its own, which no checker knows; these are checked beside their partners."""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", IN_PAIRS)
def test_every_policy_algorithm_and_provider_of_the_core_passes_the_checker_it_names(kind: str) -> None:
    """The core puts its own pieces through what it asks of others."""
    refs = installed().get("builtin").refs[kind]
    assert {name for name, ref in refs.items() if ref.check is None} == IN_PAIRS[kind]
    for name in refs.keys() - IN_PAIRS[kind]:
        check(kind, f"builtin/{name}")
