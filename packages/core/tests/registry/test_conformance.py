"""Each rule of the plugin kit, broken once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skyfall_crl.registry import UnknownIdError
from skyfall_crl.testing import ConformanceError, check, check_plugin


def policy(name: str = "p", target: str = "collections:deque", rest: str = "'a policy'") -> str:
    """Return a plugin's source that names one policy."""
    return f"@hookimpl\ndef skyfall_crl_policies():\n    return {{{name!r}: Ref({target!r}, {rest})}}"


BROKEN = {
    "does not load": (
        "import nowhere_at_all",
        r"plugin 'acme' \(acme-plugin 1\.0\) can't be used: ModuleNotFound",
    ),
    "heavy": (
        f"import numpy\n{policy()}",
        "importing acme_plugin brings in numpy; a plugin module only names things",
    ),
    "the rest of the core": (
        f"import skyfall_crl.ports.errors\n{policy()}",
        r"brings in skyfall_crl\.ports, skyfall_crl\.ports\.errors; a plugin module may import only",
    ),
    "a hook without its mark": (
        "def skyfall_crl_policies():\n    return {}",
        "acme_plugin.skyfall_crl_policies looks like a hook and is never called; mark it with @hookimpl",
    ),
    "a name like a path": (policy("a/b"), "policies, 'a/b': a name must be letters and digits"),
    "no description": (
        policy(rest="'  '"),
        "policies, 'p': the description must be one line that is not empty",
    ),
    "two lines": (policy(rest="'a\\nb'"), "the description must be one line"),
    "target without a module": (policy(target="gone:x"), "policies, 'p': target 'gone:x' can't be imported"),
    "target without the object": (
        policy(target="collections:x"),
        "target 'collections:x' can't be imported: Attrib",
    ),
    "port that is not there": (
        policy(rest="'d', 'collections:Port'"),
        "port 'collections:Port' can't be imported",
    ),
    "check that is not there": (policy(rest="'d', None, 'gone:c'"), "check 'gone:c' can't be imported"),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_where_it_is_broken(
    source: str, message: str, install_plugin: Callable[..., None]
) -> None:
    """The message is one line that an author can act on."""
    install_plugin("acme", source)
    with pytest.raises(ConformanceError, match=message) as caught:
        check_plugin("acme")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.usefixtures("here")
def test_an_eager_package_above_the_plugin_module_is_found(
    install_plugin: Callable[..., None], site: Path
) -> None:
    """Importing a module runs the packages it lies in."""
    install_plugin("acme", policy(), module="acme_world.plugin")
    (site / "acme_world" / "__init__.py").write_text("import pydantic")
    with pytest.raises(ConformanceError, match=r"importing acme_world\.plugin brings in pydantic"):
        check_plugin("acme")


@pytest.mark.usefixtures("here")
def test_a_plugin_name_that_can_not_be_a_prefix_is_refused(install_plugin: Callable[..., None]) -> None:
    """A blank in a prefix would make every id of the plugin unreadable."""
    install_plugin("acme world", policy(), module="acme_plugin")
    with pytest.raises(ConformanceError, match="plugin 'acme world': a name must be"):
        check_plugin("acme world")


@pytest.mark.usefixtures("here")
def test_a_plugin_that_keeps_the_rules_passes(install_plugin: Callable[..., None]) -> None:
    """Helpers of its own and the standard library are its own affair."""
    install_plugin(
        "acme", f"import json\n{policy(rest=repr('a policy') + ', None, ' + repr('builtins:callable'))}"
    )
    check_plugin("acme")


@pytest.mark.usefixtures("here")
def test_a_plugin_that_is_not_installed_is_no_broken_rule() -> None:
    """The name is wrong, not the plugin."""
    with pytest.raises(UnknownIdError, match="no plugin 'acme' is installed"):
        check_plugin("acme")


@pytest.mark.usefixtures("here")
class TestCheck:
    """The checker that an id brings along."""

    @pytest.fixture(autouse=True)
    def acme(self, install_plugin: Callable[..., None], site: Path) -> None:
        """Ids with a checker, without one, and with one that can't be called."""
        (site / "acme_check.py").write_text(
            "nothing = None\ndef refuse(policy):\n    raise AssertionError(f'{policy.__name__} is bad')\n"
        )
        install_plugin(
            "acme",
            """
@hookimpl
def skyfall_crl_policies():
    return {
        "checked": Ref("collections:deque", "d", check="acme_check:refuse"),
        "unchecked": Ref("collections:deque", "d"),
        "odd": Ref("collections:deque", "d", check="acme_check:nothing"),
    }
""",
        )

    def test_it_gets_the_object_behind_the_id(self) -> None:
        """What it raises is the result."""
        with pytest.raises(AssertionError, match="deque is bad"):
            check("policies", "acme/checked")

    def test_an_id_without_one_is_told(self) -> None:
        """A check that checks nothing must not pass."""
        with pytest.raises(ConformanceError, match="'acme/unchecked' has no `check` in its Ref"):
            check("policies", "acme/unchecked")
        with pytest.raises(ConformanceError, match="has no `check`"):
            check("policies", "collections:deque")

    def test_one_that_is_not_callable_is_told(self) -> None:
        """The Ref is wrong, and it is named."""
        with pytest.raises(ConformanceError, match="its check acme_check:nothing is not callable"):
            check("policies", "acme/odd")
