"""Blocked plugins, the core alone, and registered ids alone."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from skyfall_crl.registry import BlockedError, UnknownIdError, builtin_only, load, registered_only, resolve
from skyfall_crl.registry.overview import overview

ACME = """
@hookimpl
def skyfall_crl_environments():
    return {"world": Ref("acme_world:build", "a world", privileged=True)}
"""


@pytest.fixture
def acme(install_plugin: Callable[..., None], site: Path) -> None:
    """A plugin whose factory resolves another id, and a module that nobody registered."""
    install_plugin("acme", ACME)
    (site / "acme_world.py").write_text(
        "from skyfall_crl.registry import load\ndef build(backend):\n    return load('backends', backend)\n"
    )
    (site / "stranger.py").write_text("raise RuntimeError('a stranger was imported')")


@pytest.mark.usefixtures("here", "acme")
class TestRegisteredOnly:
    """Ids from somebody else import nothing that is not registered."""

    def test_a_module_is_refused_and_not_imported(self) -> None:
        """The refusal comes before the import."""
        with registered_only(), pytest.raises(BlockedError, match="only registered ids are allowed here"):
            resolve("environments", "stranger:World")

    def test_gymnasium_ids_that_import_a_module_are_refused(self) -> None:
        """A bare id stays allowed, because it only names what is registered already."""
        with registered_only():
            assert resolve("environments", "CartPole-v1").gymnasium
            with pytest.raises(BlockedError):
                resolve("environments", "gymnasium:CartPole-v1")
            with pytest.raises(BlockedError):
                resolve("environments", "stranger:ns/World-v0")

    def test_the_target_of_a_registered_id_counts_as_the_id(self) -> None:
        """It is then that plugin's, with all its `Ref` says."""
        with registered_only():
            found = resolve("environments", "acme_world:build")
        assert (found.plugin, found.name) == ("acme", "world")
        assert found.ref is not None
        assert found.ref.privileged

    def test_the_target_of_another_kind_does_not_count(self) -> None:
        """An environment's factory is no policy."""
        with registered_only(), pytest.raises(BlockedError):
            resolve("policies", "acme_world:build")

    def test_a_nested_look_up_obeys(self) -> None:
        """What a factory resolves is under the same rule."""
        with registered_only():
            build = load("environments", "acme/world")
            with pytest.raises(BlockedError):
                build(backend="stranger:World")

    def test_it_ends_with_the_block(self) -> None:
        """Also when the block is left by an error."""
        with pytest.raises(ZeroDivisionError), registered_only():
            raise ZeroDivisionError
        assert resolve("backends", "acme_world:build").plugin is None

    def test_a_whole_command_is_under_it_in_every_thread(self) -> None:
        """A thread that was started without the context obeys the process-wide form."""
        caught: list[BaseException] = []

        def look_up() -> None:
            try:
                resolve("environments", "stranger:World")
            except Exception as error:
                caught.append(error)

        with registered_only(process_wide=True):
            thread = threading.Thread(target=look_up)
            thread.start()
            thread.join()
        assert [type(error) for error in caught] == [BlockedError]


@pytest.mark.usefixtures("here", "acme")
class TestBlocking:
    """Plugins that are left out say so, and by what."""

    def test_by_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Blanks are trimmed and empty entries dropped."""
        monkeypatch.setenv("SKYFALL_CRL_BLOCK_PLUGINS", " ,, acme ,")
        with pytest.raises(BlockedError, match="plugin 'acme' is blocked by SKYFALL_CRL_BLOCK_PLUGINS"):
            resolve("environments", "acme/world")
        (row,) = (row for row in overview() if row.name == "acme")
        assert (row.state, row.failure) == ("blocked", "blocked by SKYFALL_CRL_BLOCK_PLUGINS")
        with pytest.raises(UnknownIdError):
            resolve("environments", "world")

    def test_all_but_the_core(self) -> None:
        """The core's own ids stay."""
        with builtin_only():
            assert resolve("policies", "linear").plugin == "builtin"
            with pytest.raises(BlockedError, match="blocked by --no-plugins"):
                resolve("environments", "acme/world")
        assert resolve("environments", "acme/world").plugin == "acme"
