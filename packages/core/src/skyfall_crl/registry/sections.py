"""Top-level keys of the run document that plugins add."""

from collections.abc import Mapping

from skyfall_crl.registry.lookup import Resolved, resolve
from skyfall_crl.registry.plugins import installed
from skyfall_crl.registry.suggest import SECTIONS

KIND = "config_sections"


def config_sections() -> Mapping[str, Resolved]:
    """Return every key that exactly one plugin offers, in name order; loads the plugins and no model.

    For a key that is missing here `resolve("config_sections", key)` raises an error that says why.
    """
    plugins = tuple(installed().loaded())
    keys = [key for plugin in plugins for key in plugin.refs[KIND]]
    return {key: resolve(KIND, key) for key in sorted(keys) if keys.count(key) == 1}


def distribution_for_section(key: str) -> str | None:
    """Return the distribution that brings a key of ours, or None for a key nobody is known to offer."""
    return SECTIONS.get(key)
