"""What goes wrong between an id and the object it names."""

from skyfall_crl.ports.errors import ConfigError


class PluginError(ConfigError):
    """A plugin, or the object an id names, is there and can't be used."""

    boundary = "plugin"


class UnknownIdError(PluginError):
    """Nothing installed offers the id."""


class AmbiguousIdError(PluginError):
    """More than one plugin offers a name that was given without its plugin."""


class BlockedError(PluginError):
    """The id is kept out: its plugin is blocked, or only registered ids may be used."""
