"""Which plugin brings a word of the command line."""

from skyfall_crl.registry.errors import UnknownIdError
from skyfall_crl.registry.lookup import Resolved
from skyfall_crl.registry.plugins import Plugin, installed
from skyfall_crl.registry.suggest import FIRST_PARTY, comes_with, nearest

KIND = "commands"


def find_command(word: str, core: tuple[str, ...]) -> Resolved:
    """Return the command for a word the core doesn't know: of the plugin of that name, else of the others.

    `core` are the words the core knows, for the suggestion. Raises `PluginError` where the plugin of that
    name is broken or blocked, and `UnknownIdError` where nobody offers the word.
    """
    plugins = installed()
    if word in plugins.found:
        own = plugins.get(word)
        if word in own.refs[KIND]:
            return _resolved(own, word)
    for plugin in plugins.loaded():
        if word in plugin.refs[KIND]:
            return _resolved(plugin, word)
    offered = {name for plugin in plugins.loaded() for name in plugin.refs[KIND]}
    absent = FIRST_PARTY.get(word) if word not in plugins.found else None
    broken = ", ".join(plugins.failures())
    silent = f"; these plugins are broken and could not be asked: {broken}" if broken else ""
    raise UnknownIdError(
        f"no command {word!r}{comes_with(absent) or nearest(word, {*core, *offered})}{silent}"
    )


def _resolved(plugin: Plugin, word: str) -> Resolved:
    ref = plugin.refs[KIND][word]
    return Resolved(KIND, word, plugin.name, word, ref, ref.target)
