"""The forms an id may take, in their order, and what a failed look-up says."""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from skyfall_crl.registry import KINDS, AmbiguousIdError, PluginError, UnknownIdError, load, resolve
from skyfall_crl.registry.suggest import FIRST_PARTY

ACME = """
@hookimpl
def skyfall_crl_environments():
    return {"world": Ref("acme_world:World", "a world"), "gone": Ref("acme_world:Gone", "not there")}

@hookimpl
def skyfall_crl_policies():
    return {"cautious": Ref("acme_world:World", "waits")}
"""


@pytest.fixture
def acme(install_plugin: Callable[..., None], site: Path) -> None:
    """A plugin with an environment and a policy."""
    install_plugin("acme", ACME)
    (site / "acme_world.py").write_text("class World:\n    pass\n")


@pytest.mark.usefixtures("here", "acme")
class TestForms:
    """What each form names."""

    def test_plugin_and_name(self) -> None:
        """The plugin's `Ref` says where the object is."""
        found = resolve("environments", "acme/world")
        assert (found.plugin, found.name, found.target) == ("acme", "world", "acme_world:World")
        assert found.load().__name__ == "World"

    def test_module_and_attribute(self) -> None:
        """Any importable object can be named outright, for any kind."""
        found = resolve("task_views", "acme_world:World")
        assert (found.plugin, found.ref, found.target) == (None, None, "acme_world:World")
        assert found.load() is load("environments", "acme/world")

    def test_a_bare_name_that_one_plugin_offers(self) -> None:
        """The plugin's name can be left off."""
        assert resolve("policies", "cautious").plugin == "acme"
        assert resolve("policies", "linear").target == resolve("policies", "builtin/linear").target

    def test_a_gymnasium_id(self) -> None:
        """Gymnasium's environments are built without its checking wrapper, arguments included."""
        env = load("environments", "CartPole-v1")(max_episode_steps=3)
        assert env.spec.id == "CartPole-v1"
        assert env.spec.max_episode_steps == 3
        assert "PassiveEnvChecker" not in str(env)
        env.close()

    def test_a_module_without_the_attribute_goes_on_to_gymnasium(self) -> None:
        """Gymnasium's own `module:Id` form works, with the version or without one."""
        found = resolve("environments", "gymnasium:CartPole-v1")
        assert found.gymnasium
        env = found.load()()
        assert env.spec.id == "CartPole-v1"
        env.close()

    def test_a_plugin_wins_over_a_gymnasium_namespace(self, site: Path) -> None:
        """A name the plugin lacks is an error, although Gymnasium knows the id."""
        (site / "acme_ids.py").write_text(
            "import gymnasium\ngymnasium.register('acme/Late-v0', entry_point='acme_world:World')\n"
        )
        assert resolve("environments", "acme_ids:acme/Late-v0").gymnasium
        with pytest.raises(UnknownIdError, match="plugin 'acme' has no 'Late-v0' among its environments"):
            resolve("environments", "acme/Late-v0")


@pytest.mark.usefixtures("here", "acme")
class TestFailures:
    """What a look-up that fails says."""

    def test_a_near_name_in_the_plugin(self) -> None:
        """The scope is named, and the nearest name."""
        with pytest.raises(
            UnknownIdError, match="'acme' has no 'wrold' among its environments; did you mean 'world'"
        ):
            resolve("environments", "acme/wrold")

    def test_no_near_name_lists_what_there_is(self) -> None:
        """Without a near name the known ones are listed."""
        with pytest.raises(UnknownIdError, match="known: gone, world"):
            resolve("environments", "acme/zzz")

    def test_a_name_of_another_kind(self) -> None:
        """The likeliest mistake is the wrong section of a config."""
        with pytest.raises(UnknownIdError, match="it has one among its policies"):
            resolve("environments", "acme/cautious")

    @pytest.mark.parametrize(("plugin", "distribution"), FIRST_PARTY.items())
    def test_a_plugin_of_ours_that_is_not_installed(
        self, plugin: str, distribution: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The distribution to install is named."""
        monkeypatch.setattr("skyfall_crl.registry.discovery.entry_points", lambda group: [])
        with pytest.raises(UnknownIdError, match=f"`pip install {distribution}`"):
            resolve("environments", f"{plugin}/world")

    def test_a_module_of_ours_that_is_not_installed(self) -> None:
        """The form that names a module names its distribution too."""
        with pytest.raises(UnknownIdError, match="`pip install skyfall-crl-qud`"):
            resolve("environments", "skyfall_crl.env.qud.not_here:world")

    def test_a_plugin_nobody_installed(self) -> None:
        """The nearest installed plugin is named, and that Gymnasium was asked."""
        with pytest.raises(
            UnknownIdError, match="no plugin 'amce' is installed and Gymnasium has no such id; did"
        ):
            resolve("environments", "amce/world")

    def test_a_bare_name_nobody_offers(self) -> None:
        """Gymnasium's ids are among what may be meant."""
        with pytest.raises(UnknownIdError, match="did you mean 'CartPole-v1'"):
            resolve("environments", "CartPole")
        with pytest.raises(UnknownIdError, match="no plugin offers 'CartPole-v1' among its policies"):
            resolve("policies", "CartPole-v1")

    def test_a_module_that_is_not_there(self) -> None:
        """The user learns where a module has to be."""
        with pytest.raises(
            UnknownIdError, match="No module named 'acme_wrold'; it must be installed or on PYTHONPATH"
        ):
            resolve("environments", "acme_wrold:World")

    def test_a_module_that_breaks(self, site: Path) -> None:
        """The module's own failure is the cause, whether it raises or quits; no other form is tried."""
        (site / "quits.py").write_text("raise SystemExit(4)")
        with pytest.raises(PluginError, match="importing 'quits' failed: SystemExit: 4") as caught:
            resolve("environments", "quits:CartPole")
        assert isinstance(caught.value.__cause__, SystemExit)
        assert not isinstance(caught.value, UnknownIdError)

    def test_a_module_without_the_attribute(self) -> None:
        """The nearest attribute is named."""
        with pytest.raises(UnknownIdError, match="no 'Wrold' in the module; did you mean 'World'"):
            resolve("policies", "acme_world:Wrold")
        with pytest.raises(
            UnknownIdError, match="neither has 'Wrold' nor registers it with Gymnasium; did you mean"
        ):
            resolve("environments", "acme_world:Wrold")

    @pytest.mark.parametrize("identifier", ["a/b:c", "a b:c", ":c", "os:", "os:path.join", "9:a"])
    def test_what_is_no_form_at_all(self, identifier: str) -> None:
        """The forms are listed."""
        with pytest.raises(UnknownIdError, match="must be 'module:attribute', 'plugin/name' or a name"):
            resolve("policies", identifier)

    def test_an_object_that_is_not_where_the_plugin_says(self) -> None:
        """The id resolves, loading it says what is missing."""
        found = resolve("environments", "acme/gone")
        with pytest.raises(PluginError, match="'acme/gone': loading acme_world:Gone failed: AttributeError"):
            found.load()

    def test_a_kind_that_does_not_exist(self) -> None:
        """A typing mistake of a caller is told as such."""
        with pytest.raises(UnknownIdError, match="no kind 'policy' of ids; did you mean 'policies'"):
            resolve("policy", "linear")

    def test_a_bare_name_of_two_plugins(self, install_plugin: Callable[..., None]) -> None:
        """Both are named, and the core's own has no precedence."""
        install_plugin(
            "zeta",
            "@hookimpl\ndef skyfall_crl_policies():\n    return {'linear': Ref('collections:deque', 'x')}",
        )
        with pytest.raises(
            AmbiguousIdError, match="offered by 2 plugins; say 'builtin/linear' or 'zeta/linear'"
        ):
            resolve("policies", "linear")
        assert resolve("policies", "zeta/linear").plugin == "zeta"

    def test_a_broken_plugin_is_named_where_it_might_have_known(
        self, install_plugin: Callable[..., None]
    ) -> None:
        """A name that nobody offers may be one that nobody could be asked for."""
        install_plugin("broken", "raise RuntimeError('no')")
        with pytest.raises(
            UnknownIdError, match=r"these plugins are broken and could not be asked: .*broken"
        ):
            resolve("policies", "cautiuos")


def test_an_explicit_id_imports_only_its_plugin(
    install_plugin: Callable[..., None], run_python: Callable[..., CompletedProcess[str]]
) -> None:
    """Neither the other plugins nor the named object nor anything heavy is imported."""
    install_plugin("acme", ACME)
    install_plugin("other", "raise RuntimeError('imported')")
    program = """
import sys
from skyfall_crl.registry import resolve
resolve("environments", "acme/world")
unwanted = {"other_plugin", "acme_world", "skyfall_crl.registry.builtin", "gymnasium", "numpy", "pydantic"}
print("acme_plugin" in sys.modules, sorted(unwanted & set(sys.modules)))
"""
    assert run_python(program).stdout == "True []\n"


@pytest.mark.usefixtures("here")
def test_a_plugin_can_offer_every_kind_of_thing(install_plugin: Callable[..., None]) -> None:
    """No kind needs a line of the core to change."""
    hooks = [
        f"@hookimpl\ndef skyfall_crl_{kind}():\n    return {{'mine': Ref('collections:deque', 'x')}}\n"
        for kind in KINDS
    ]
    install_plugin("acme", "\n".join(hooks))
    found = {kind: load(kind, "acme/mine") for kind in KINDS}
    assert found == dict.fromkeys(KINDS, deque)
